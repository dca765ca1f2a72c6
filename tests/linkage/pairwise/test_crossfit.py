"""Cross-fitted weights: known rates come back, useless columns and households do no harm."""

import numpy as np
import pytest

from partita.linkage.pairwise.crossfit import WeightedLevels, cross_fit

MATCHES, OTHERS = 2_000, 60_000
M = tuple(np.array(m) for m in ([0.9, 0.07, 0.03], [0.8, 0.15, 0.05], [0.85, 0.15])) * 2
U = tuple(np.array(u) for u in ([0.01, 0.02, 0.97], [0.02, 0.03, 0.95], [0.05, 0.95])) * 2
SIZES = [3, 3, 2] * 2


def drawn(rng, rates, n):
    return np.column_stack([rng.choice(len(rate), n, p=rate) for rate in rates])


@pytest.fixture
def pairs():
    rng = np.random.default_rng(1)
    levels = np.concatenate([drawn(rng, M, MATCHES), drawn(rng, U, OTHERS)]).astype(np.int8)
    levels[rng.random(levels.shape) < 0.05] = -1
    weight = np.concatenate([np.ones(MATCHES), np.full(OTHERS, 50.0)])
    return WeightedLevels(levels, np.zeros(levels.shape), weight)


def scores(fit, levels):
    total = -fit.zero
    for q, (m, u) in enumerate(zip(fit.m, fit.u, strict=True)):
        total = total + np.append(np.log(m / u), 0.0)[levels[:, q]]
    return total


def test_known_rates_and_zero_come_back(pairs):
    fit = cross_fit(pairs, SIZES)
    for q in range(len(SIZES)):
        # pairs near the zero blur m: the posterior of the other columns is soft
        assert fit.m[q] == pytest.approx(M[q], abs=0.1)
        assert fit.u[q] == pytest.approx(U[q], abs=0.01)
    # log of the prior odds of a non-match among all weighted pairs
    assert fit.zero == pytest.approx(np.log(OTHERS * 50 / MATCHES), abs=1.5)
    match = np.arange(MATCHES + OTHERS) < MATCHES
    found = scores(fit, pairs.levels) > 0
    assert (found & match).sum() / found.sum() > 0.9
    assert (found & match).sum() / MATCHES > 0.8


def test_a_column_that_separates_nothing_gets_no_weight(pairs):
    rng = np.random.default_rng(2)
    noise = rng.choice(2, len(pairs.levels), p=[0.3, 0.7]).astype(np.int8)
    data = pairs._replace(
        levels=np.column_stack([pairs.levels, noise]),
        adjustment=np.zeros((len(noise), 7)),
    )
    fit = cross_fit(data, [*SIZES, 2])
    assert fit.m[6].tolist() == fit.u[6].tolist()
    assert 6 not in [number for number, _, _ in fit.votes]


def test_households_do_not_become_the_match_class(pairs):
    """Many pairs share one column exactly and differ in the others: EM would merge them."""
    rng = np.random.default_rng(3)
    family = drawn(rng, (np.array([1.0, 0, 0]), *U[1:]), 10 * MATCHES).astype(np.int8)
    data = WeightedLevels(
        np.concatenate([pairs.levels, family]),
        np.zeros((len(pairs.levels) + len(family), 6)),
        np.concatenate([pairs.weight, np.ones(len(family))]),
    )
    fit = cross_fit(data, SIZES)
    assert (scores(fit, family) > 0).mean() < 0.05
    assert (scores(fit, pairs.levels[:MATCHES]) > 0).mean() > 0.7


def test_the_result_does_not_depend_on_the_order_of_pairs(pairs):
    order = np.random.default_rng(4).permutation(len(pairs.levels))
    mixed = WeightedLevels(*(part[order] for part in pairs))
    one, other = cross_fit(pairs, SIZES), cross_fit(mixed, SIZES)
    assert one.zero == pytest.approx(other.zero, abs=0.1)


def test_one_column_cannot_be_judged(pairs):
    data = WeightedLevels(pairs.levels[:, :1], pairs.adjustment[:, :1], pairs.weight)
    assert cross_fit(data, SIZES[:1]) is None
