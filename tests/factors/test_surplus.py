"""Checks of the input of `surplus`."""

import numpy as np
import pytest

from partita import InputError
from partita.factors import surplus


def test_sources_have_names():
    for source in ([0, 2], [-2, 0], [[0, 1]]):
        with pytest.raises(InputError, match="give -1 or 0..1 for each mention"):
            surplus(source, ("a", "b"), -1.0)


def test_each_source_has_a_weight():
    template = surplus(np.array([0, 1, -1]), ("a", "b"), (-2.0, -3.0))
    assert template.features == ("a", "b") and template.weights.tolist() == [-2.0, -3.0]
    with pytest.raises(InputError):
        surplus([0], ("a", "b"), (-1.0, 0.0, 0.0))
