"""Proposals that cut segments anew; the laws test their transition matrices."""

import numpy as np
import pytest

from partita.factors import Model, token_attributes
from partita.posterior import sample
from partita.proposals import gibbs_recut, recut
from partita.states import SPACES, Segments


@pytest.mark.parametrize("make", [recut, gibbs_recut])
def test_segments_follow_the_attributes_of_their_tokens(make):
    label = np.array([0, 0, 0, 1, 1, 0, 1])
    model = Model(token_attributes(np.eye(2)[label], 2, weights=5.0 * np.eye(2)))
    start = Segments.of([0, 5, 7], 2)
    found = sample(
        model,
        start,
        proposal=make(),
        draws=100,
        tune=100,
        thin=20,
        chains=1,
        random_seed=1,
        progressbar=False,
    )
    labels = np.stack([SPACES[Segments].restore(start, draw).label for draw in found.draws[0]])
    assert ((labels == label).mean(0) > 0.9).all()
