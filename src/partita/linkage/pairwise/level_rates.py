"""Level rates: the shares of matches (m) and of non-matches (u) at each level, and their weights.

EM, cross-fitting, the pretrained prior and the model of mentions count rates by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, logistic

__all__ = [
    "LevelWeights",
    "add_matches",
    "count_rates",
    "estimate_rates",
    "estimate_weights",
    "initial_m",
    "limit_disagreement",
    "make_decreasing",
    "remove_matches",
    "shrink_rates",
    "update_rates",
]

PRIOR_PAIRS = 2.0
"""Pairs that the Dirichlet prior on each m counts as, spread evenly over its levels.
Origin: 0.1."""
MAX_DISAGREEMENT = 0.2
"""Limit on the share of matches without agreement in a column (a guard, not an estimate).
Origin: 0.1."""
PSEUDO_COUNT = 0.3
"""Pairs added to each level before m and u are normalised, given soft labels.
Origin: 19 labelled sets, one domain left out at a time."""
MIN_U = 1e-9
"""u of a level that no random pair shows, at least, so that m / u is finite."""
MIN_SHARE_OF_RANDOM = 0.05
"""Share of the rates of random pairs that u keeps at least. Origin: 0.1."""


class LevelWeights(NamedTuple):
    """The weight log(m / u) of each level, by column, and the log-odds of any pair."""

    weights: list[Floats]
    prior: float

    def score(self, levels: NDArray[np.int8]) -> Floats:
        """The log-odds of pairs by their levels; a missing value adds 0."""
        total = np.full(len(levels), self.prior)
        for q, weight in enumerate(self.weights):
            total += np.append(weight, 0.0)[levels[:, q]]
        return total


def count_rates(
    level: NDArray[np.signedinteger],
    size: int,
    pseudo: float | Floats,
    weight: Floats | None = None,
) -> Floats:
    """The rate of each level among pairs with both values; `pseudo` pairs are added to each."""
    filled = level >= 0
    part = None if weight is None else weight[filled]
    count = np.bincount(level[filled], part, minlength=size) + pseudo
    return count / count.sum()


def estimate_weights(
    levels: NDArray[np.int8],
    sizes: Sequence[int],
    log_odds: Floats,
    column_weights: Sequence[float] | None = None,
) -> LevelWeights:
    """Estimate m, u and the prior from pairs whose log-odds are soft labels (one M-step)."""
    strength = column_weights or [1.0] * len(sizes)
    p = logistic(log_odds)
    share = float(np.clip(p.mean(), 1e-9, 1 - 1e-9))
    weights = []
    for q, size in enumerate(sizes):
        m = count_rates(levels[:, q], size, PSEUDO_COUNT, p)
        u = count_rates(levels[:, q], size, PSEUDO_COUNT, 1 - p)
        weights.append(strength[q] * (np.log(m) - np.log(u)))
    return LevelWeights(weights, float(np.log(share / (1 - share))))


def initial_m(size: int) -> Floats:
    """The start of EM: most matches agree exactly, most others fuzzily."""
    if size <= 2:
        return np.array([0.9, 0.1])[:size] / np.array([0.9, 0.1])[:size].sum()
    m = np.array([0.7, *[0.21 / (size - 2)] * (size - 2), 0.09])
    return m / m.sum()


def make_decreasing(ratio: Floats, weight: Floats) -> Floats:
    """The nearest non-increasing sequence, by pooling adjacent violators."""
    blocks: list[list[float]] = []
    for value, mass in zip(ratio.tolist(), weight.tolist(), strict=True):
        blocks.append([value, mass, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            above, below = blocks.pop(), blocks.pop()
            mass = above[1] + below[1]
            mean = (above[0] * above[1] + below[0] * below[1]) / mass
            blocks.append([mean, mass, above[2] + below[2]])
    return np.concatenate([np.full(int(block[2]), block[0]) for block in blocks])


def limit_disagreement(m: Floats) -> Floats:
    """Limit the last level of m to `MAX_DISAGREEMENT`; the other levels take up the rest."""
    if len(m) < 2 or m[-1] <= MAX_DISAGREEMENT:
        return m
    rest = m[:-1] + 0.02 / len(m)
    return np.append(rest / rest.sum() * (1 - MAX_DISAGREEMENT), MAX_DISAGREEMENT)


def remove_matches(random: Floats, m: Floats, lam: float) -> Floats:
    """u of non-matches: the rates of random pairs without the matches among them."""
    u = np.maximum(random - lam * m, MIN_SHARE_OF_RANDOM * random)
    return u / u.sum()


def shrink_rates(rates: Floats, u: Floats, weight: float) -> Floats:
    """Rates whose log-ratios to u are those of `rates` times a weight, but for a constant.

    They are u (rates / u)^weight, normalised: the evidence of a column of little relevance is
    tempered, and the rates stay a distribution. A weight of 1 changes nothing.
    """
    if weight == 1.0:
        return rates
    tempered = u * np.exp(weight * (np.log(rates) - np.log(u)))
    return np.asarray(tempered / tempered.sum(), np.float64)


def add_matches(u: Floats, m: Floats, lam: float) -> Floats:
    """The rates of random pairs: the inverse of `remove_matches`."""
    others = (1 - lam) * u
    random = np.minimum(others + lam * m, others / MIN_SHARE_OF_RANDOM)
    return np.asarray(random / random.sum(), np.float64)


def estimate_rates(counts: Floats, random: Floats, lam: float) -> tuple[Floats, Floats]:
    """The most probable m of one column from expected counts, and u; m / u decreases with levels.

    Levels that violate the order share their counts, so that levels that random pairs hardly show
    have no effect on others. In small samples this differs from `update_rates`.
    """
    m = (counts + PRIOR_PAIRS / len(counts)) / (counts.sum() + PRIOR_PAIRS)
    m = limit_disagreement(m)
    u = np.maximum(remove_matches(random, m, lam), MIN_U)
    ratio = make_decreasing(m / u, u)
    return ratio * u / (ratio * u).sum(), u


def update_rates(counts: Floats, random: Floats, lam: float) -> tuple[Floats, Floats]:
    """m and u of one column from its expected counts; log(m / u) decreases from level to level."""
    m = (counts + PRIOR_PAIRS / len(counts)) / (counts.sum() + PRIOR_PAIRS)
    m = limit_disagreement(m)
    u = remove_matches(random, m, lam)
    ratio = np.log(m / u)
    smooth = make_decreasing(ratio, m + u)
    if not np.allclose(ratio, smooth):
        m = np.exp(smooth) * u
        m /= m.sum()
    return m, u
