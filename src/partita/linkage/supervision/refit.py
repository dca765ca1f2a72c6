"""Penalised refit of the match weights to labelled pairs, with the EM weights as prior mean.

    loss = sum over labels  -log P(label | S)                 fit to the labels
         + sum over background pairs  v * CE(P_0, P)          certain pairs stay certain
         + strength / 2 * |theta|^2                           penalty on every change

S is the match score of a pair. theta changes the prior, a scale of all weights, a scale of each
column, and each level: few labels change the shared scales, many labels change single levels. u is
fixed and m stays a distribution, so that the entity model can use the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from partita.kernel import Floats, Ints, logistic
from partita.linkage.pairwise.dependence import dependence_adjustment
from partita.linkage.pairwise.model import PairModel, PairScores

__all__ = ["PenalisedRefit", "TrainingPairs", "training_pairs"]

PRIOR_UNIT = 2.0
"""Nats that a theta of 1 adds to the prior. Origin: 0.1."""
SCALE_UNIT = 1.0
"""Share that a theta of 1 adds to all weights. Origin: 0.1."""
COLUMN_UNIT = 0.5
"""Share that a theta of 1 adds to the weights of one column. Origin: 0.1."""
LEVEL_UNIT = 0.5
"""Nats that a theta of 1 adds to one level. Origin: 0.1."""
MAX_ITERATIONS = 200
"""Iterations of L-BFGS-B."""
MIN_M = 1e-9
"""Smallest m, which keeps log m finite."""


@dataclass(frozen=True, eq=False)
class TrainingPairs:
    """Compared pairs: levels, the part of the score that theta does not change, and targets."""

    levels: NDArray[np.int8]
    rest: Floats
    target: Floats
    """P(match); 0 or 1 for a labelled pair."""
    weight: Floats

    def subset(self, rows: Ints) -> TrainingPairs:
        """The pairs of some rows."""
        return TrainingPairs(
            self.levels[rows], self.rest[rows], self.target[rows], self.weight[rows]
        )

    def __add__(self, other: TrainingPairs) -> TrainingPairs:
        """The pairs of both."""
        return TrainingPairs(
            np.concatenate([self.levels, other.levels]),
            np.concatenate([self.rest, other.rest]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.weight, other.weight]),
        )


def training_pairs(
    model: PairModel, scores: PairScores, target: ArrayLike, weight: float = 1.0
) -> TrainingPairs:
    """Training pairs from scored pairs, each with the same weight."""
    dependence = dependence_adjustment(model.edges, scores.levels, scores.columns)
    rest = scores.term_frequency.sum(1) + scores.dependence - dependence
    return TrainingPairs(scores.levels, rest, np.asarray(target, float), np.full(len(rest), weight))


class _Parameters:
    """The map from theta to weights; a row has the levels of all columns in order."""

    def __init__(self, model: PairModel) -> None:
        self.model = model
        self.start = np.concatenate([np.log(m / u) for m, u in zip(model.m, model.u, strict=True)])
        self.log_u = np.log(np.concatenate(model.u))
        self.first = np.cumsum([0, *(len(level) for level in model.u)])
        self.column = np.repeat(np.arange(len(model.u)), np.diff(self.first))

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.model.u)

    @property
    def size(self) -> int:
        """The length of theta."""
        return 2 + self.columns + self.start.size

    def unfold(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """The prior, the weight of each level, and m."""
        columns = self.columns
        scale = SCALE_UNIT * theta[1] + COLUMN_UNIT * theta[2 : 2 + columns][self.column]
        raised = self.log_u + self.start * (1.0 + scale) + LEVEL_UNIT * theta[2 + columns :]
        top = np.maximum.reduceat(raised, self.first[:-1])[self.column]
        m = np.exp(raised - top)
        m = np.maximum(m / np.bincount(self.column, m)[self.column], MIN_M)
        return self.model.prior + PRIOR_UNIT * float(theta[0]), np.log(m) - self.log_u, m

    def fold(self, prior: float, weights: Floats, m: Floats) -> Floats:
        """The gradient by theta, from the gradients by the prior and by the weights."""
        level = weights - m * np.bincount(self.column, weights)[self.column]
        scale = np.bincount(self.column, self.start * level)
        ends = [PRIOR_UNIT * prior, SCALE_UNIT * scale.sum()]
        return np.concatenate([ends, COLUMN_UNIT * scale, LEVEL_UNIT * level])

    def by_column(self, row: Floats) -> list[Floats]:
        """The row split by column."""
        return np.split(row, self.first[1:-1])


class _Scorer:
    """Scores of training pairs, and the gradient of a weighted sum of the scores."""

    def __init__(self, shape: _Parameters, pool: TrainingPairs) -> None:
        self.shape, self.pool = shape, pool
        # a missing value points to the 0 that is appended to the weights
        missing = shape.start.size
        self.place = np.where(pool.levels >= 0, pool.levels + shape.first[:-1], missing)

    def total(self, prior: float, weights: Floats) -> Floats:
        """The score S of each pair."""
        columns = np.append(weights, 0.0)[self.place]
        together = dependence_adjustment(self.shape.model.edges, self.pool.levels, columns)
        return np.asarray(prior + columns.sum(1) + self.pool.rest + together)

    def gradient(self, weights: Floats, slope: Floats) -> Floats:
        """The gradient of the sum of slope * S by the weights of all levels."""
        steep = np.repeat(slope[:, None], self.shape.columns, 1)
        columns = np.append(weights, 0.0)[self.place]
        for edge in self.shape.model.edges:
            left_lift = np.append(edge.left_lifts, 0.0)[self.pool.levels[:, edge.left]]
            right_lift = np.append(edge.right_lifts, 0.0)[self.pool.levels[:, edge.right]]
            left_weight, right_weight = columns[:, edge.left], columns[:, edge.right]
            weaker = np.minimum(left_weight, right_weight)
            # the dependence term equals the weaker column's weight below the lift
            follows = (weaker > 0) & (weaker < np.minimum(left_lift, right_lift))
            steep[:, edge.left] -= slope * (follows & (left_weight <= right_weight))
            steep[:, edge.right] -= slope * (follows & (left_weight > right_weight))
        size = self.shape.start.size
        total = np.bincount(self.place.ravel(), steep.ravel(), minlength=size + 1)
        return np.asarray(total[:size], float)


class PenalisedRefit:
    """Refits the weights of a pair model to labelled pairs."""

    def __init__(self, model: PairModel) -> None:
        self.model, self.shape = model, _Parameters(model)

    def no_change(self) -> Floats:
        """The theta of the unchanged model."""
        return np.zeros(self.shape.size)

    def fit(self, pool: TrainingPairs, strength: float, start: Floats) -> Floats:
        """The theta with the smallest loss."""
        shape, scorer = self.shape, _Scorer(self.shape, pool)

        def loss(theta: Floats) -> tuple[float, Floats]:
            prior, weights, m = shape.unfold(theta)
            score = scorer.total(prior, weights)
            value = pool.weight @ (np.logaddexp(0.0, score) - pool.target * score)
            slope = pool.weight * (logistic(score) - pool.target)
            by_weight = scorer.gradient(weights, slope)
            slopes = shape.fold(float(slope.sum()), by_weight, m) + strength * theta
            return float(value + strength / 2 * theta @ theta), slopes

        optimum = minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITERATIONS}
        )
        return np.asarray(optimum.x, float)

    def score(self, pool: TrainingPairs, theta: Floats) -> Floats:
        """The score S of each pair."""
        prior, weights, _ = self.shape.unfold(theta)
        return _Scorer(self.shape, pool).total(prior, weights)

    def apply(self, theta: Floats) -> PairModel:
        """The pair model with the weights of theta."""
        prior, _, m = self.shape.unfold(theta)
        return replace(
            self.model,
            m=self.shape.by_column(m),
            lam=float(logistic(prior)),
        )
