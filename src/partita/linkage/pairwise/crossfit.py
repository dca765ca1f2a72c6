"""Cross-fitted weights: each column is judged by the other columns only.

EM lets a column vote on the class that the same column helped to define. Here pairs are sorted by
their score without column q. Random pairs agree in q at the rate u, matches at some plateau M; the
score at which the rate is half way between them is the zero that column q votes for. The consensus
of the columns is the zero of the file. m and u of a column are re-estimated by the posterior that
the other columns imply. Candidates count once and random pairs stand for all other pairs, so that
m, u and lambda are those of all pairs and not of nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, logistic, runs_of
from partita.linkage.pairwise.curves import fit_curve
from partita.linkage.pairwise.level_rates import (
    LevelWeights,
    count_rates,
    make_decreasing,
    shrink_rates,
)

__all__ = ["CrossFit", "WeightedLevels", "cross_fit"]

ROUNDS = 5
"""Rounds of votes and re-estimation. Origin: 19 labelled sets, one domain left out at a time."""
ZERO_QUANTILE = 0.85
"""Weighted quantile of the columns' votes; related non-matches bias votes downwards.
Origin: the same sets; .75 to .9 differ by at most .06 of F1 on two of them."""
MIN_STRENGTH_KEPT = 0.5
"""Share of the largest sum of votes that the last round must keep; else that round counts.
Origin: a choice."""
MIN_INFORMATION = 0.05
"""Least Kullback-Leibler divergence of m from u, in nats, of a column that counts.
Origin: a choice."""
MIN_FILLED = 200
"""Pairs with both values filled that a column needs. Origin: a choice."""
FIRST_BIN = 25
"""Pairs of the highest bin of a curve. Origin: a choice."""
LAST_SMALL_BIN = 2000
"""Pairs of a bin from which bins double in size; below, they grow by 1.6. Origin: a choice."""
MAX_BINS = 20
"""Bins of a curve. Origin: a choice."""
DIGITS = 9
"""Decimal digits of scores that count as equal."""
MARGIN = 4.0
"""Nats below the zero at which a pair counts as a non-match. Origin: a choice."""
FIRST_AGREEMENT = 0.01
"""Share of all pairs up to which a level, with all better ones, agrees in the first round.
Origin: a choice."""


class WeightedLevels(NamedTuple):
    """Levels of candidate and random pairs (rows) by column, and the pairs that each stands for."""

    levels: NDArray[np.int8]
    adjustment: Floats
    """Term-frequency adjustment in nats, by pair and column."""
    weight: Floats


class CrossFit(NamedTuple):
    """m and u of every column, and the log-odds zero of the file."""

    m: list[Floats]
    u: list[Floats]
    """Equal to m for a column that does not separate matches."""
    used: NDArray[np.bool_]
    """Which columns separate matches."""
    zero: float
    """Sum of match weights at which a pair is as likely a match as not, in nats."""
    votes: list[tuple[int, float, float]]
    """Column number, its zero, and the weight of its vote."""

    def score(self, levels: NDArray[np.int8], adjustment: Floats) -> Floats:
        """The log-odds of pairs by levels and term-frequency adjustments (nats, by column)."""
        weights = [np.log(m / u) for m, u in zip(self.m, self.u, strict=True)]
        return LevelWeights(weights, -self.zero).score(levels) + adjustment[:, self.used].sum(1)


def cross_fit(
    data: WeightedLevels, sizes: Sequence[int], column_weights: Sequence[float] = ()
) -> CrossFit | None:
    """Estimate m, u and the zero; None if fewer than two columns can be judged.

    `column_weights` temper the evidence and the votes of the columns.
    """
    columns = [
        _Column(q, data, size, column_weights[q] if column_weights else 1.0)
        for q, size in enumerate(sizes)
        if (data.levels[:, q] >= 0).sum() >= MIN_FILLED and size > 1
    ]
    if len(columns) < 2:
        return None
    fits = []
    for number in range(ROUNDS + 1):
        zero, slope = _vote(columns)
        if number:
            fits.append(_collect(columns, zero, sizes))
        for column in columns if number < ROUNDS else ():
            column.estimate(zero, max(1.0, slope) if number else None)
    # with few columns the estimates can drift apart, until no column separates anything
    strengths = [sum(strength for _, _, strength in fit.votes) for fit in fits]
    is_stable = strengths[-1] >= MIN_STRENGTH_KEPT * max(strengths)
    return fits[-1 if is_stable else int(np.argmax(strengths))]


def _vote(columns: Sequence[_Column]) -> tuple[float, float]:
    """The consensus zero and slope of the columns."""
    parts = [column.part() for column in columns]
    total = np.sum(parts, axis=0)
    for column, part in zip(columns, parts, strict=True):
        column.vote(total - part)
    voters = [column for column in columns if column.used] or columns
    strength = np.array([column.strength for column in voters])
    zero = _find_quantile(np.array([column.zero for column in voters]), strength, ZERO_QUANTILE)
    return zero, _find_quantile(np.array([column.slope for column in voters]), strength, 0.5)


def _collect(columns: Sequence[_Column], zero: float, sizes: Sequence[int]) -> CrossFit:
    """The estimates of one round."""
    flat = [np.full(size, 1 / size) for size in sizes]
    m, u, used = list(flat), list(flat), np.zeros(len(sizes), bool)
    for column in columns:
        if column.used and column.m is not None:
            m[column.number], u[column.number] = column.m, column.u
            used[column.number] = True
    votes = [(column.number, column.zero, column.strength) for column in columns if column.used]
    return CrossFit(m, u, used, zero, votes)


class _Column:
    """One column: its levels, weights and vote."""

    def __init__(
        self, number: int, data: WeightedLevels, size: int, column_weight: float = 1.0
    ) -> None:
        self.number, self.size, self.column_weight = number, size, column_weight
        self.level = data.levels[:, number].astype(np.int64)
        self.filled = self.level >= 0
        self.adjustment = data.adjustment[:, number]
        self.weight = data.weight[self.filled]
        self.seen = self.level[self.filled]
        self.share = count_rates(self.seen, size, 1e-9, self.weight)
        self.fill = float(self.weight.sum() / data.weight.sum())
        reached = np.cumsum(self.share)
        # before anything is estimated: the surprise of a level or a better one
        surprise = -np.log(np.maximum(reached, 1e-12))
        surprise[-1] = 0.0
        self.weights = column_weight * np.append(surprise, (surprise * self.share).sum())
        self.information = float(surprise[0])
        self.agreeing = int(np.clip((reached <= FIRST_AGREEMENT).sum(), 1, size - 1))
        self.used = True
        self.m: Floats | None = None
        self.u = self.share
        self.zero, self.slope, self.strength = 0.0, 0.0, 0.0

    def part(self) -> Floats:
        """The score of each pair by this column."""
        return self.weights[self.level] + self.adjustment * (self.filled & self.used)

    def vote(self, others: Floats) -> None:
        """Find the score of the other columns at which agreement in this one rises."""
        self.others = others[self.filled]
        if self.m is not None:
            agreed = np.cumsum(self.m[:-1])
            self.agreeing = min(self.size - 1, int(np.searchsorted(agreed, agreed[-1] / 2)) + 1)
        agree = (self.seen < self.agreeing).astype(float)
        base = float(self.share[: self.agreeing].sum())
        curve = fit_curve(*_bin_scores(self.others, agree, self.weight), base)
        self.zero, self.slope = curve.zero, curve.slope
        rise = max(curve.plateau - curve.base, 1e-3) * min(self.slope, 1.0) ** 2
        strength = max(self.information, 1e-6) * np.sqrt(self.fill) * rise
        self.strength = float(self.column_weight * strength)

    def estimate(self, zero: float, slope: float | None) -> None:
        """Estimate m, u and the weights from the posterior of the other columns."""
        own = float(np.clip(self.slope, 0.5, 1.0)) if slope is None else slope
        p = logistic(own * (self.others - zero)) * (self.others > zero - MARGIN)
        # one match agrees exactly, the prior of the others is the rate among all pairs
        unit = np.eye(1, self.size)[0]
        m = count_rates(self.seen, self.size, self.share + unit, self.weight * p)
        u = count_rates(self.seen, self.size, 1e-6, self.weight * (1 - p))
        m = shrink_rates(m, u, self.column_weight)
        self.information = float((m * np.log(m / u)).sum())
        self.used = self.information > MIN_INFORMATION
        weights = make_decreasing(np.log(m / u), np.ones(self.size))
        # m that gives these weights with this u
        self.m, self.u = np.exp(weights) * u / (np.exp(weights) * u).sum(), u
        self.weights = np.append(weights, 0.0) * self.used


def _bin_scores(score: Floats, agree: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Mean score and rate of agreement in bins by rank, small at the top.

    Pairs of equal score share a bin, so that the order of the input has no effect.
    """
    order = np.argsort(-score, kind="stable")
    first = runs_of(np.round(score[order], DIGITS))
    starts, size = [0], float(FIRST_BIN)
    for place in first:
        if place - starts[-1] >= size and len(starts) < MAX_BINS:
            starts.append(int(place))
            size *= 1.6 if size < LAST_SMALL_BIN else 2.0
    mass = np.add.reduceat(weight[order], starts)
    means = np.add.reduceat((score * weight)[order], starts) / mass
    return means, np.add.reduceat((agree * weight)[order], starts) / mass


def _find_quantile(values: Floats, weight: Floats, share: float) -> float:
    """A quantile of weighted values."""
    order = np.argsort(values)
    mass = np.cumsum(weight[order])
    place = int(np.searchsorted(mass, share * mass[-1]))
    return float(values[order][min(place, values.size - 1)])
