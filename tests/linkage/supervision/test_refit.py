"""The penalised refit: its gradient, its prior mean, and the recovery of known weights."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from partita.comparison import ExactMatch
from partita.linkage.pairwise.dependence import Edge
from partita.linkage.pairwise.model import PairModel
from partita.linkage.supervision import refit
from partita.linkage.supervision.refit import PenalisedRefit, TrainingPairs

pytestmark = pytest.mark.compiled


def model(edges=()):
    m = [np.array([0.8, 0.15, 0.05]), np.array([0.9, 0.1]), np.array([0.6, 0.3, 0.1])]
    u = [np.array([0.05, 0.1, 0.85]), np.array([0.2, 0.8]), np.array([0.1, 0.2, 0.7])]
    return PairModel(
        names=["a", "b", "c"],
        column_types=["name"] * 3,
        comparisons=[ExactMatch()] * 3,
        level_names=[["equal", "alike", "different"], ["equal", "different"], ["x", "y", "z"]],
        m=m,
        u=u,
        common=[0.05, 0.2, 0.1],
        lam=0.2,
        edges=list(edges),
        household=None,
        converged=True,
        steps=1,
        warnings=[],
    )


def pool(rng, n=300):
    levels = np.stack([rng.integers(-1, k, n) for k in (3, 2, 3)], 1).astype(np.int8)
    return TrainingPairs(levels, rng.normal(0, 0.3, n), rng.random(n), rng.random(n))


EDGE = Edge(0, 2, 0.5, 0.0, (0.5, 0.2, 0.0), (0.5, 0.3, 0.0))


@pytest.mark.parametrize("edges", [(), (EDGE,)])
def test_the_gradient_is_that_of_the_loss(monkeypatch, edges):
    rng = np.random.default_rng(1)
    seen = {}
    monkeypatch.setattr(refit, "minimize", lambda loss, start, **_: seen.update(loss=loss) or _X)
    refitter = PenalisedRefit(model(edges))
    refitter.fit(pool(rng), 0.7, refitter.no_change())
    theta = rng.normal(0, 0.3, refitter.no_change().size)
    numeric = approx_fprime(theta, lambda one: seen["loss"](one)[0], 1e-7)
    np.testing.assert_allclose(seen["loss"](theta)[1], numeric, atol=1e-3)


class _X:
    x = np.zeros(1)


def test_no_change_gives_the_scores_of_the_model():
    rng = np.random.default_rng(2)
    refitter, given = PenalisedRefit(model([EDGE])), pool(rng)
    same = refitter.apply(refitter.no_change())
    for one, other in zip(same.m, model().m, strict=True):
        np.testing.assert_allclose(one, other)
    assert same.lam == pytest.approx(0.2)
    weights = [np.append(one, 0.0) for one in model().weights()]
    columns = np.stack([one[given.levels[:, q]] for q, one in enumerate(weights)], 1)
    lifts = np.array([[0.5, 0.2, 0.0, 0.0], [0.5, 0.3, 0.0, 0.0]])
    most = np.minimum(lifts[0][given.levels[:, 0]], lifts[1][given.levels[:, 2]])
    off = np.clip(np.minimum(columns[:, 0], columns[:, 2]), 0.0, most)
    expected = model().prior + columns.sum(1) + given.rest - off
    np.testing.assert_allclose(refitter.score(given, refitter.no_change()), expected)


def test_a_large_penalty_keeps_the_weights_and_m_stays_a_distribution():
    refitter, given = PenalisedRefit(model()), pool(np.random.default_rng(3))
    far = [
        np.abs(refitter.fit(given, strength, refitter.no_change())).max() for strength in (1e6, 1.0)
    ]
    assert far[0] < 1e-3 < far[1]
    loose = refitter.apply(refitter.fit(given, 0.01, refitter.no_change()))
    assert [float(one.sum()) for one in loose.m] == pytest.approx([1.0] * 3)
    assert all(np.array_equal(a, b) for a, b in zip(loose.u, model().u, strict=True))


def test_labels_drawn_from_known_weights_give_them_back():
    rng = np.random.default_rng(4)
    given = pool(rng, 40_000)
    refitter = PenalisedRefit(model())
    theta = rng.normal(0, 0.3, refitter.no_change().size)
    p = 1 / (1 + np.exp(-refitter.score(given, theta)))
    told = TrainingPairs(
        given.levels, given.rest, (rng.random(p.size) < p).astype(float), np.ones(p.size)
    )
    found = refitter.apply(refitter.fit(told, 1e-3, refitter.no_change()))
    true = refitter.apply(theta)
    assert found.prior == pytest.approx(true.prior, abs=0.15)
    for one, other in zip(found.weights(), true.weights(), strict=True):
        np.testing.assert_allclose(one, other, atol=0.2)
