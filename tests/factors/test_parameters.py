"""Weights of exact draws, of which some may be impossible."""

import numpy as np
import pytest

from partita.factors.parameters import draw_index


def test_indices_are_drawn_by_their_weights():
    rng = np.random.default_rng(1)
    weights = np.array([-np.inf, 700.0, 700.0 + np.log(3.0), -np.inf])
    drawn = np.bincount([draw_index(rng, weights) for _ in range(4000)], minlength=4)
    assert drawn[[0, 3]].sum() == 0
    assert drawn[2] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_single_possible_index_is_drawn():
    assert draw_index(np.random.default_rng(0), np.array([-np.inf, -1e6])) == 1
