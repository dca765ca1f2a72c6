"""Priors on trees and factors of their values: statistics, and rejected input."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import tree_shape, tree_values, uniform_trees
from partita.factors.trees.core import log_trees
from partita.states import Forest


def test_trees_are_counted():
    assert np.round(np.exp(log_trees(8)[1:])).tolist() == [1, 1, 4, 26, 236, 2752, 39208, 660032]
    rough = log_trees(400)
    assert (np.diff(rough)[2:] > 0).all()
    # ratios of consecutive numbers are smooth where exact counting ends
    steps = np.diff(rough) - np.log(np.arange(1, 401))
    assert abs(steps[160] - steps[140]) < 2e-3


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="groups and short for each"):
        tree_values(["x", "y"], 2, groups=[[0]], short=[[0]])
    with pytest.raises(InputError, match="different lengths"):
        tree_values(["x"], 2, groups=[[0, 1]], short=[[0]])
    with pytest.raises(InputError, match="same domain"):
        tree_values(["x"], 2, groups=[[0]], short=[[0]]).check(Forest.singletons(2))
    with pytest.raises(InputError, match="the width is 1"):
        tree_shape(width=1)
    with pytest.raises(InputError, match="the number of mentions is 0"):
        uniform_trees(0)
