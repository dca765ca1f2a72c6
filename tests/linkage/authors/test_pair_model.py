"""The share of matches among pairs of equal names, from the dependence of their contents."""

import numpy as np
import pytest

from partita.linkage.authors.pair_model import estimate_share

U = [np.array([0.5, 0.5]), np.array([0.02, 0.98]), np.array([0.03, 0.97]), np.array([0.01, 0.99])]
"""Rates of agreement and disagreement of non-matches: a name and three columns of contents."""
M = np.array([0.3, 0.25, 0.2])
"""Rates of agreement of matches in the contents."""


def draw(share, n=200_000, seed=0):
    rng = np.random.default_rng(seed)
    match = rng.random(n) < share
    rates = np.where(match[:, None], M, [u[0] for u in U[1:]])
    contents = (rng.random((n, 3)) >= rates).astype(np.int8)
    return np.column_stack([np.zeros(n, np.int8), contents])


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_finds_the_share_of_matches(share):
    levels = draw(share)
    found = estimate_share(levels, np.ones(len(levels)), U, default=0.5)
    assert found == pytest.approx(share, rel=0.1)


def test_without_excess_the_default_remains():
    levels = draw(0.0, 2_000)
    levels[:, 1:] = 1
    assert estimate_share(levels, np.ones(len(levels)), U, default=0.5) == 0.5
    assert estimate_share(levels[:0], np.ones(0), U, default=0.05) == 0.05


def test_contents_that_depend_on_each_other_lower_the_share():
    rng = np.random.default_rng(1)
    match = rng.random(200_000) < 0.6
    # half of the matches are papers of one project, which agree three times as often
    rates = np.where(rng.random((match.size, 1)) < 0.5, 1.5 * M, 0.5 * M)
    rates = np.where(match[:, None], rates, [u[0] for u in U[1:]])
    contents = (rng.random((match.size, 3)) >= rates).astype(np.int8)
    levels = np.column_stack([np.zeros(match.size, np.int8), contents])
    found = estimate_share(levels, np.ones(match.size), U, default=0.5)
    assert 0.6 / 1.5 < found < 0.6
