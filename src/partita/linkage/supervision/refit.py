"""Match weights from labelled pairs: a likelihood anchored at weights learned without labels.

    sum over labels  -log P(label | S)                               what the labels say
    + sum over background pairs  v * CE(P_0, P)                      what was sure stays sure
    + strength / 2 * |theta|^2                                       no change without a reason

S is the score of `pairs`. theta moves the prior, a scale of all weights, one of each column, and
each level: few labels move what all levels share, many move single levels. u stays, and m stays a
distribution, so that the model of entities can use it as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from partita.kernel import Floats, Ints
from partita.linkage.pairwise.dependence import dependence_terms
from partita.linkage.pairwise.model import PairModel, PairScores

__all__ = ["Anchor", "Pool", "pool_of"]

PRIOR, SCALE, COLUMN, LEVEL = 2.0, 1.0, 0.5, 0.5
"""How far a theta of 1 moves the prior (nats), all weights, one column's weights (as a share of
them) and one level (nats)."""
STEPS = 200
LEAST_M = 1e-9


@dataclass(frozen=True, eq=False)
class Pool:
    """Compared pairs: their levels, all of their score that weights do not change, and targets."""

    levels: NDArray[np.int8]
    rest: Floats
    target: Floats
    """P(match): 0 or 1 of a label."""
    weight: Floats

    def some(self, rows: Ints) -> Pool:
        """Some of the pairs."""
        return Pool(self.levels[rows], self.rest[rows], self.target[rows], self.weight[rows])

    def __add__(self, other: Pool) -> Pool:
        """Both."""
        return Pool(
            np.concatenate([self.levels, other.levels]),
            np.concatenate([self.rest, other.rest]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.weight, other.weight]),
        )


def pool_of(model: PairModel, scores: PairScores, target: ArrayLike, weight: float = 1.0) -> Pool:
    """Pairs that `model` has scored, each of one weight."""
    own = dependence_terms(model.edges, scores.levels, scores.columns)
    rest = scores.rarity.sum(1) + scores.dependence - own
    return Pool(scores.levels, rest, np.asarray(target, float), np.full(len(rest), weight))


class _Shape:
    """How theta makes weights: one place for each level of each column, in one row."""

    def __init__(self, model: PairModel) -> None:
        self.model = model
        self.start = np.concatenate([np.log(m / u) for m, u in zip(model.m, model.u, strict=True)])
        self.log_u = np.log(np.concatenate(model.u))
        self.first = np.cumsum([0, *(len(one) for one in model.u)])
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
        many = self.columns
        scale = SCALE * theta[1] + COLUMN * theta[2 : 2 + many][self.column]
        raised = self.log_u + self.start * (1.0 + scale) + LEVEL * theta[2 + many :]
        top = np.maximum.reduceat(raised, self.first[:-1])[self.column]
        m = np.exp(raised - top)
        m = np.maximum(m / np.bincount(self.column, m)[self.column], LEAST_M)
        return self.model.prior + PRIOR * float(theta[0]), np.log(m) - self.log_u, m

    def fold(self, prior: float, weights: Floats, m: Floats) -> Floats:
        """The gradient by theta, from that by the prior and by the weights."""
        level = weights - m * np.bincount(self.column, weights)[self.column]
        scale = np.bincount(self.column, self.start * level)
        ends = [PRIOR * prior, SCALE * scale.sum()]
        return np.concatenate([ends, COLUMN * scale, LEVEL * level])

    def by_column(self, row: Floats) -> list[Floats]:
        """A row cut into columns."""
        return np.split(row, self.first[1:-1])


class _Scorer:
    """Scores of a pool, and the gradient of a sum over them."""

    def __init__(self, shape: _Shape, pool: Pool) -> None:
        self.shape, self.pool = shape, pool
        # a missing value points beyond the weights, where a 0 stands
        missing = shape.start.size
        self.place = np.where(pool.levels >= 0, pool.levels + shape.first[:-1], missing)

    def total(self, prior: float, weights: Floats) -> Floats:
        """S of each pair."""
        columns = np.append(weights, 0.0)[self.place]
        together = dependence_terms(self.shape.model.edges, self.pool.levels, columns)
        return np.asarray(prior + columns.sum(1) + self.pool.rest + together)

    def gradient(self, weights: Floats, slope: Floats) -> Floats:
        """What the weights of all levels change in sum of slope * S."""
        steep = np.repeat(slope[:, None], self.shape.columns, 1)
        columns = np.append(weights, 0.0)[self.place]
        for edge in self.shape.model.edges:
            left = np.append(edge.left_lifts, 0.0)[self.pool.levels[:, edge.left]]
            right = np.append(edge.right_lifts, 0.0)[self.pool.levels[:, edge.right]]
            one, two = columns[:, edge.left], columns[:, edge.right]
            weaker = np.minimum(one, two)
            # what comes off follows the weaker column until it reaches the lift
            follows = (weaker > 0) & (weaker < np.minimum(left, right))
            steep[:, edge.left] -= slope * (follows & (one <= two))
            steep[:, edge.right] -= slope * (follows & (one > two))
        size = self.shape.start.size
        found = np.bincount(self.place.ravel(), steep.ravel(), minlength=size + 1)
        return np.asarray(found[:size], float)


class Anchor:
    """A pair model from which learning starts."""

    def __init__(self, model: PairModel) -> None:
        self.model, self.shape = model, _Shape(model)

    def still(self) -> Floats:
        """The theta that changes nothing."""
        return np.zeros(self.shape.size)

    def fit(self, pool: Pool, strength: float, start: Floats) -> Floats:
        """The theta of least loss."""
        shape, scorer = self.shape, _Scorer(self.shape, pool)

        def loss(theta: Floats) -> tuple[float, Floats]:
            prior, weights, m = shape.unfold(theta)
            score = scorer.total(prior, weights)
            value = pool.weight @ (np.logaddexp(0.0, score) - pool.target * score)
            slope = pool.weight * (_probability(score) - pool.target)
            by_weight = scorer.gradient(weights, slope)
            slopes = shape.fold(float(slope.sum()), by_weight, m) + strength * theta
            return float(value + strength / 2 * theta @ theta), slopes

        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
        return np.asarray(found.x, float)

    def score(self, pool: Pool, theta: Floats) -> Floats:
        """S of each pair of a pool."""
        prior, weights, _ = self.shape.unfold(theta)
        return _Scorer(self.shape, pool).total(prior, weights)

    def trained(self, theta: Floats) -> PairModel:
        """The pair model that theta stands for."""
        prior, _, m = self.shape.unfold(theta)
        return replace(
            self.model,
            m=self.shape.by_column(m),
            lam=float(_probability(np.array([prior]))[0]),
        )


def _probability(score: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(score, -700, 700))))
