"""Checks of the input of `surplus`."""

import numpy as np
import pytest

from partita import InputError
from partita.factors import surplus


def test_sources_have_names():
    for source in ([0, 2], [-2, 0], [[0, 1]]):
        with pytest.raises(InputError, match="for each mention"):
            surplus(source, ("a", "b"))


def test_mentions_have_costs():
    template = surplus(np.array([0, 1, -1]), ("a", "b"), (2.0, 3.0, 0.0))
    assert template.features == ("a", "b") and template.weights.tolist() == [-1.0, -1.0]
    for cost in ((1.0, 2.0), -1.0):
        with pytest.raises(InputError, match="one cost of 0 or more, or 3 of them"):
            surplus([0, 1, 0], ("a", "b"), cost)
