"""Factors over Segments: features and checks; the laws test the scores against a naive twin."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, adjacent_segments, segment_attributes, token_attributes
from partita.posterior import sample
from partita.proposals import recut
from partita.states import Segments


def test_features_have_the_names_of_labels_and_attributes():
    token = token_attributes(np.ones((3, 2)), ["name", "town"])
    assert list(token.features) == ["name|0", "name|1", "town|0", "town|1"]
    pairs = adjacent_segments(["name", "town"])
    assert list(pairs.features)[-2:] == ["start|name", "start|town"]


@pytest.mark.parametrize(
    "template", [token_attributes(np.ones((3, 1)), 2), segment_attributes(np.ones((8, 1)), 2, 2)]
)
def test_rows_must_fit_the_tokens(template):
    with pytest.raises(InputError, match=r"rows for . tokens and 5 tokens"):
        sample(Model(template), Segments.of([0, 5], 2), proposal=recut(), draws=1, chains=1)
