"""The fit of a column's curve against SciPy's least squares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from partita.kernel import Floats, logistic
from partita.linkage.pairwise.curves import Curve, fit_curve


def _rate(curve: Curve, score: Floats) -> Floats:
    risen = logistic(curve.slope * (score - curve.zero))
    return curve.base + (curve.plateau - curve.base) * risen


def _cost(curve: Curve, score: Floats, rate: Floats) -> float:
    return float(0.5 * ((_rate(curve, score) - rate) ** 2).sum())


@pytest.mark.parametrize("seed", range(20))
def test_noisy_curve_has_the_optimum_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    score = np.sort(random.normal(0, 6, 20))[::-1].copy()
    truth = Curve(random.normal(0, 2), random.uniform(0.3, 2.0), random.uniform(0.6, 0.95), 0.02)
    rate = np.clip(_rate(truth, score) + random.normal(0, 0.02, 20), 0.0, 1.0)
    curve = fit_curve(score, rate, 0.02)

    def residuals(x: Floats) -> Floats:
        other = Curve(x[0], float(np.exp(x[1])), float(logistic(x[2])), curve.base)
        return _rate(other, score) - rate

    top = np.log(truth.plateau / (1 - truth.plateau))
    other = least_squares(residuals, [truth.zero, np.log(truth.slope), top])
    assert _cost(curve, score, rate) == pytest.approx(other.cost, rel=1e-5)
    assert curve.zero == pytest.approx(other.x[0], abs=1e-3)
    assert curve.slope == pytest.approx(np.exp(other.x[1]), rel=1e-3)


def test_exact_curve_is_recovered() -> None:
    score = np.linspace(12, -12, 15)
    truth = Curve(1.5, 0.8, 0.9, 0.05)
    curve = fit_curve(score, _rate(truth, score), 0.05)
    assert curve.zero == pytest.approx(truth.zero, abs=0.05)
    assert curve.plateau == pytest.approx(truth.plateau, abs=0.01)


@pytest.mark.parametrize("rate", [np.zeros(6), np.ones(6), np.repeat([1.0, 0.0], 3)])
def test_degenerate_rates_give_a_finite_curve(rate: Floats) -> None:
    curve = fit_curve(np.linspace(5, -5, 6), rate, 0.1)
    assert np.isfinite(curve).all()
    assert 0 < curve.slope <= 20.0


def test_two_bins_do_not_fail() -> None:
    assert np.isfinite(fit_curve(np.array([3.0, -3.0]), np.array([0.9, 0.1]), 0.1)).all()


def test_scores_of_some_hundreds_do_not_overflow() -> None:
    score = np.array([663.0, 500.0, 300.0, 100.0, 0.0, -50.0, -187.0])
    assert np.isfinite(fit_curve(score, np.array([1.0, 1, 1, 1, 1, 1, 0]), 0.1)).all()
