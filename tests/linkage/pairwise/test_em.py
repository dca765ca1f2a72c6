import numpy as np
import pytest

from partita.linkage.pairwise.dependence import Edge, dependence_adjustment
from partita.linkage.pairwise.em import em
from partita.linkage.pairwise.level_rates import initial_m, remove_matches, update_rates
from partita.linkage.pairwise.patterns import group_patterns

M = [np.array([0.7, 0.2, 0.1]), np.array([0.8, 0.15, 0.05]), np.array([0.6, 0.25, 0.15])] * 2
U = [np.array([0.02, 0.08, 0.9]), np.array([0.01, 0.04, 0.95]), np.array([0.1, 0.2, 0.7])] * 2


def drawn(matches, others, seed=0):
    """Levels of pairs from known profiles, a tenth of them missing, and which are matches."""
    rng = np.random.default_rng(seed)
    truth = np.arange(matches + others) < matches
    columns = [
        np.where(truth, rng.choice(3, truth.size, p=m), rng.choice(3, truth.size, p=u))
        for m, u in zip(M, U, strict=True)
    ]
    levels = np.stack(columns, axis=1).astype(np.int8)
    levels[rng.random(levels.shape) < 0.1] = -1
    return levels, truth


def naive(levels, offset, random, lam, everything, steps, edges=()):
    """EM over pairs, written out."""
    m = [initial_m(3) for _ in random]
    u = [remove_matches(one, own, lam) for one, own in zip(random, m, strict=True)]
    for _ in range(steps):
        columns = np.stack(
            [
                np.append(np.log(a / b), 0)[levels[:, q]]
                for q, (a, b) in enumerate(zip(m, u, strict=True))
            ],
            1,
        )
        score = np.log(lam / (1 - lam)) + offset + columns.sum(1)
        p = 1 / (1 + np.exp(-score - dependence_adjustment(edges, levels, columns)))
        lam = p.sum() / everything
        for q in range(len(m)):
            seen = levels[:, q] >= 0
            counts = np.bincount(levels[seen, q], p[seen], minlength=3)
            m[q], u[q] = update_rates(counts, random[q], lam)
    return m, u, lam


def test_em_recovers_the_profiles_that_made_the_data():
    levels, _ = drawn(3000, 30_000)
    share = 3000 / 33_000
    # random pairs are not all non-matches
    random = [share * m + (1 - share) * u for m, u in zip(M, U, strict=True)]
    fit = em(group_patterns(levels, [3] * 6, np.zeros(len(levels))), random, 0.01, len(levels))
    assert fit.converged
    assert fit.lam == pytest.approx(share, rel=0.05)
    for found, true in zip([*fit.m, *fit.u], [*M, *U], strict=True):
        assert found == pytest.approx(true, abs=0.04)


@pytest.mark.parametrize("dependent", [False, True])
def test_em_on_patterns_is_em_on_pairs(dependent):
    levels, _ = drawn(200, 2000, seed=1)
    # offsets in the middle of a grain are their own mean, so that nothing is rounded
    offset = np.random.default_rng(2).integers(-4, 4, len(levels)) * 0.25 + 0.125
    edges = [Edge(0, 1, 2.5, 0.0, (2.5, 1.0, 0.0), (2.5, 2.0, 0.0))] if dependent else []
    fit = em(group_patterns(levels, [3] * 6, offset), U, 0.01, 50_000.0, edges=edges)
    m, u, lam = naive(levels, offset, U, 0.01, 50_000.0, fit.steps, edges)
    assert fit.lam == pytest.approx(lam)
    for found, expected in zip([*fit.m, *fit.u], [*m, *u], strict=True):
        assert found == pytest.approx(expected)


def test_dependence_lowers_the_number_of_matches():
    levels, _ = drawn(200, 2000, seed=1)
    patterns = group_patterns(levels, [3] * 6, np.zeros(len(levels)))
    edges = [Edge(0, 1, 6.0, 0.0, (6.0, 6.0, 0.0), (6.0, 6.0, 0.0))]
    free = em(patterns, U, 0.01, 50_000.0)
    assert em(patterns, U, 0.01, 50_000.0, edges=edges).lam < free.lam


def test_pairs_of_one_record_compete():
    levels = np.zeros((4, 2), np.int8)
    pairs = np.array([[0, 4], [0, 5], [0, 6], [1, 7]])
    patterns = group_patterns(levels, [3, 3], np.zeros(4))
    random = U[:2]
    alone = em(patterns, random, 0.1, 16.0)
    together = em(patterns, random, 0.1, 16.0, competing_pairs=pairs, n=8)
    assert alone.lam * 16 == pytest.approx(4, rel=0.1)
    assert together.lam * 16 == pytest.approx(2, rel=0.1)


def test_em_says_when_it_has_not_converged(monkeypatch):
    levels, _ = drawn(300, 3000)
    monkeypatch.setattr("partita.linkage.pairwise.em.MAX_STEPS", 2)
    fit = em(group_patterns(levels, [3] * 6, np.zeros(len(levels))), U, 1e-5, 1e6)
    assert not fit.converged
    assert fit.steps == 2
