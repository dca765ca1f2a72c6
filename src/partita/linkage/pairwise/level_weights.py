"""Level weights: a linear score of comparison levels, estimated from soft labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats

__all__ = ["LevelWeights", "estimate_weights", "logistic"]

PSEUDO_COUNT = 0.3
"""Pairs added to each level before m and u are normalised.
Origin: 19 labelled sets, one domain left out at a time."""


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


def estimate_weights(
    levels: NDArray[np.int8], sizes: Sequence[int], log_odds: Floats
) -> LevelWeights:
    """Estimate m, u and the prior from pairs whose log-odds are soft labels (one M-step)."""
    p = logistic(log_odds)
    share = float(np.clip(p.mean(), 1e-9, 1 - 1e-9))
    weights = []
    for q, size in enumerate(sizes):
        filled = levels[:, q] >= 0
        level, label = levels[filled, q], p[filled]
        m = np.bincount(level, label, minlength=size) + PSEUDO_COUNT
        u = np.bincount(level, 1 - label, minlength=size) + PSEUDO_COUNT
        weights.append(np.log(m / m.sum()) - np.log(u / u.sum()))
    return LevelWeights(weights, float(np.log(share / (1 - share))))


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    return 1.0 / (1.0 + np.exp(-np.clip(x, -700.0, 700.0)))
