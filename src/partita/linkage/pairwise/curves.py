"""The logistic curve by which a column votes, fitted by least squares.

The fit is the trust-region method of SciPy's `least_squares` (Moré's step from the singular values
of the Jacobian, the same radii and tolerances), compiled for three parameters. SciPy's own took
half of the CPU seconds of a file of a few thousand records. Weak columns have flat optima, so the
path of the fit matters: other methods (Levenberg-Marquardt, a grid) end at other votes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, entry, kernel, logistic
from partita.kernel.special import MAX_LOG_ODDS

__all__ = ["Curve", "fit_curve"]

FIRST_ZEROS = (0.2, 0.5, 0.8)
"""Quantiles of the scores at which fits begin."""
FIRST_PLATEAU = 0.9
"""Plateau at which fits begin beside the highest rate."""
FIRST_SLOPE = 0.5
"""Slope at which fits begin."""
PLATEAU_LIMITS = (0.01, 0.99)
"""Limits of a first plateau."""
MAX_SLOPE = 20.0
"""Limit of a slope: a steeper curve is a step."""
MAX_EVALUATIONS = 60
"""Evaluations of the curve in one fit."""
TOLERANCE = 1e-8
"""Relative change of cost or parameters, and gradient, at which a fit ends (SciPy's default)."""
TIED = 1e-6
"""Relative difference of two costs below which the earlier start is kept."""
ROOT_STEPS = 10
"""Steps of the search for the damping of a step (SciPy's default)."""
ROOT_TOLERANCE = 0.01
"""Relative distance of the length of a step from the radius (SciPy's default)."""
SWEEPS = 30
"""Sweeps of Jacobi rotations at most; three columns need about five."""
EPSILON = float(np.finfo(float).eps)
"""Distance of 1 from the next number."""


class Curve(NamedTuple):
    """rate = base + (plateau - base) logistic(slope (score - zero))."""

    zero: float
    slope: float
    plateau: float
    base: float


class _Fit(NamedTuple):
    """Data and work space of a fit; parameters are zero, log slope and log-odds of the plateau."""

    score: Floats
    rate: Floats
    residual: Floats
    next_residual: Floats
    jacobian: Floats
    """Derivatives; after `_rotate` its left singular vectors times the singular values."""
    right: Floats
    """Right singular vectors, by column."""
    singular: Floats
    projected: Floats
    """Residuals in the basis of the left singular vectors."""
    gradient: Floats
    step: Floats
    following: Floats
    """Parameters after the step."""


def fit_curve(score: Floats, rate: Floats, common: float) -> Curve:
    """Fit the curve by least squares from several starts; every bin has the same weight."""
    base = min(common, float(rate.min()))
    fit = _allocate(score, rate)
    best, least = np.zeros(3), np.inf
    for zero in np.quantile(score, FIRST_ZEROS):
        for plateau in (float(rate.max()), FIRST_PLATEAU):
            top = float(np.clip(plateau, *PLATEAU_LIMITS))
            x = np.array([zero, np.log(FIRST_SLOPE), np.log(top / (1 - top))])
            cost = _minimise(fit, base, x)
            # a step between two bins has many optima, of which rounding must not choose
            if cost < least * (1 - TIED):
                best, least = x, cost
    slope = float(min(MAX_SLOPE, np.exp(best[1])))
    return Curve(float(best[0]), slope, float(logistic(best[2])), base)


def _allocate(score: Floats, rate: Floats) -> _Fit:
    bins = len(score)
    return _Fit(
        score=score,
        rate=rate,
        residual=np.empty(bins),
        next_residual=np.empty(bins),
        jacobian=np.empty((bins, 3)),
        right=np.empty((3, 3)),
        singular=np.empty(3),
        projected=np.empty(3),
        gradient=np.empty(3),
        step=np.empty(3),
        following=np.empty(3),
    )


@entry
def _minimise(fit: _Fit, base: float, x: Floats) -> float:
    """Move parameters to a minimum of half the sum of squared residuals, which is returned."""
    radius, damping = math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2), 0.0
    cost = _evaluate(fit, base, x, fit.residual)
    evaluations, is_done = 1, False
    while not is_done and evaluations < MAX_EVALUATIONS:
        _differentiate(fit, base, x)
        if max(abs(fit.gradient[0]), abs(fit.gradient[1]), abs(fit.gradient[2])) < TOLERANCE:
            break
        _rotate(fit)
        gain = -1.0
        while gain <= 0 and evaluations < MAX_EVALUATIONS and not is_done:
            damping = _solve_step(fit, radius, damping)
            length, size = 0.0, 0.0
            for k in range(3):
                fit.following[k] = x[k] + fit.step[k]
                length += fit.step[k] ** 2
                size += x[k] ** 2
            length, size = math.sqrt(length), math.sqrt(size)
            expected = _predict_gain(fit)
            lower = _evaluate(fit, base, fit.following, fit.next_residual)
            evaluations += 1
            if not math.isfinite(lower):
                radius = 0.25 * length
                continue
            gain = cost - lower
            ratio = gain / expected if expected > 0 else 0.0
            is_done = gain < TOLERANCE * cost and ratio > 0.25
            is_done |= length < TOLERANCE * (TOLERANCE + size)
            if not is_done:
                before = radius
                if ratio < 0.25:
                    radius = 0.25 * length
                elif ratio > 0.75 and length > 0.95 * radius:
                    radius *= 2.0
                damping *= before / radius
        if gain > 0:
            cost = lower
            for k in range(3):
                x[k] = fit.following[k]
            for i in range(fit.score.size):
                fit.residual[i] = fit.next_residual[i]
    return cost


@kernel
def _rise(log_odds: float) -> float:
    """The logistic function."""
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -MAX_LOG_ODDS), MAX_LOG_ODDS)))


@kernel
def _evaluate(fit: _Fit, base: float, x: Floats, residual: Floats) -> float:
    """Write the residuals of a curve; return half the sum of their squares."""
    plateau, slope, total = _rise(x[2]), math.exp(min(x[1], MAX_LOG_ODDS)), 0.0
    for i in range(fit.score.size):
        height = (plateau - base) * _rise(slope * (fit.score[i] - x[0]))
        residual[i] = base + height - fit.rate[i]
        total += residual[i] ** 2
    return 0.5 * total


@kernel
def _differentiate(fit: _Fit, base: float, x: Floats) -> None:
    """Write the derivatives of the residuals, and the gradient of half their squares."""
    plateau, slope = _rise(x[2]), math.exp(min(x[1], MAX_LOG_ODDS))
    fit.gradient[:] = 0.0
    for i in range(fit.score.size):
        share = _rise(slope * (fit.score[i] - x[0]))
        rise = (plateau - base) * slope * share * (1 - share)
        fit.jacobian[i, 0] = -rise
        fit.jacobian[i, 1] = rise * (fit.score[i] - x[0])
        fit.jacobian[i, 2] = plateau * (1 - plateau) * share
        for k in range(3):
            fit.gradient[k] += fit.jacobian[i, k] * fit.residual[i]


@kernel
def _rotate(fit: _Fit) -> None:
    """Orthogonalise the columns of the Jacobian by one-sided Jacobi rotations (Hestenes)."""
    for k in range(3):
        for other in range(3):
            fit.right[k, other] = 1.0 if k == other else 0.0
    for _ in range(SWEEPS):
        is_orthogonal = True
        for a in range(2):
            for b in range(a + 1, 3):
                is_orthogonal &= not _rotate_two(fit, a, b)
        if is_orthogonal:
            break
    for k in range(3):
        square, product = 0.0, 0.0
        for i in range(fit.score.size):
            square += fit.jacobian[i, k] ** 2
            product += fit.jacobian[i, k] * fit.residual[i]
        fit.singular[k] = math.sqrt(square)
        fit.projected[k] = product / fit.singular[k] if square > 0 else 0.0


@kernel
def _rotate_two(fit: _Fit, a: int, b: int) -> bool:
    """Rotate two columns until they are orthogonal; return whether they were not."""
    first, second, both = 0.0, 0.0, 0.0
    for i in range(fit.score.size):
        first += fit.jacobian[i, a] ** 2
        second += fit.jacobian[i, b] ** 2
        both += fit.jacobian[i, a] * fit.jacobian[i, b]
    if abs(both) <= EPSILON * math.sqrt(first) * math.sqrt(second):
        return False
    gap, twice = second - first, 2.0 * both
    tangent = twice / (gap + math.copysign(math.hypot(gap, twice), gap))
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for i in range(fit.score.size):
        left, right = fit.jacobian[i, a], fit.jacobian[i, b]
        fit.jacobian[i, a] = cosine * left - sine * right
        fit.jacobian[i, b] = sine * left + cosine * right
    for k in range(3):
        left, right = fit.right[k, a], fit.right[k, b]
        fit.right[k, a] = cosine * left - sine * right
        fit.right[k, b] = sine * left + cosine * right
    return True


@kernel
def _solve_step(fit: _Fit, radius: float, damping: float) -> float:
    """Write the step of least predicted cost within a radius; return its damping (Moré)."""
    largest = max(fit.singular[0], fit.singular[1], fit.singular[2])
    smallest = min(fit.singular[0], fit.singular[1], fit.singular[2])
    has_full_rank = fit.score.size >= 3 and smallest > EPSILON * fit.score.size * largest
    lower, upper = 0.0, _measure(fit, 0.0, 1) / radius
    if has_full_rank:
        length = _measure(fit, 0.0, -1)
        if length <= radius:
            _write_step(fit, 0.0, 1.0)
            return 0.0
        lower = (length - radius) * length / _measure(fit, 0.0, -3)
    elif damping == 0:
        damping = max(0.001 * upper, math.sqrt(lower * upper))
    for _ in range(ROOT_STEPS):
        if damping < lower or damping > upper:
            damping = max(0.001 * upper, math.sqrt(lower * upper))
        length = _measure(fit, damping, -1)
        excess = length - radius
        if excess < 0:
            upper = damping
        ratio = -excess * length / _measure(fit, damping, -3)
        lower = max(lower, damping - ratio)
        damping -= (excess + radius) * ratio / radius
        if abs(excess) < ROOT_TOLERANCE * radius:
            break
    _write_step(fit, damping, radius / _measure(fit, damping, -1))
    return damping


@kernel
def _measure(fit: _Fit, damping: float, order: int) -> float:
    """Length of the damped step (-1), sum of its derivative (-3), or length of s u'f (1)."""
    total = 0.0
    for k in range(3):
        square = fit.singular[k] ** 2
        part = (fit.singular[k] * fit.projected[k]) ** 2
        if part == 0:
            continue
        if order == -1:
            part /= (square + damping) ** 2
        elif order == -3:
            part /= (square + damping) ** 3
        total += part
    return total if order == -3 else math.sqrt(total)


@kernel
def _write_step(fit: _Fit, damping: float, factor: float) -> None:
    fit.step[:] = 0.0
    for k in range(3):
        part = fit.singular[k] * fit.projected[k]
        if part == 0:
            continue
        part *= factor / (fit.singular[k] ** 2 + damping)
        for row in range(3):
            fit.step[row] -= fit.right[row, k] * part


@kernel
def _predict_gain(fit: _Fit) -> float:
    """The fall of the cost if residuals were linear."""
    total = 0.0
    for k in range(3):
        total += fit.gradient[k] * fit.step[k]
    for i in range(fit.score.size):
        change = 0.0
        for k in range(3):
            turned = 0.0
            for row in range(3):
                turned += fit.right[row, k] * fit.step[row]
            change += fit.jacobian[i, k] * turned
        total += 0.5 * change * change
    return -total
