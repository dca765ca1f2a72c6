"""Scratch that proposals and templates share beside a partition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, kernel

__all__ = [
    "GibbsWeights",
    "Groups",
    "add_gibbs_weight",
    "clear_gibbs_weights",
    "gibbs_weight",
    "new_gibbs_weights",
    "new_groups",
]


class Groups(NamedTuple):
    """Two sides of a split: the side of each mention, and the size of each side."""

    sign: Floats
    """1 for a mention on side 0, -1 on side 1, and 0 on neither, so sums need no branch."""
    size: Ints


class GibbsWeights(NamedTuple):
    """By entity: the score of one mention in it, relative to being alone."""

    total: Floats
    stamp: Ints
    """The tick of the last write; a total is valid if its stamp equals `tick`."""
    tick: Ints


def new_groups(n: int) -> Groups:
    """Create groups with none of n mentions on either side."""
    return Groups(np.zeros(n), np.zeros(2, np.int64))


def new_gibbs_weights(n: int) -> GibbsWeights:
    """Create totals for partitions of n mentions."""
    return GibbsWeights(np.zeros(n), np.zeros(n, np.int64), np.zeros(1, np.int64))


@kernel
def clear_gibbs_weights(weights: GibbsWeights) -> None:
    """Invalidate all totals."""
    weights.tick[0] += 1


@kernel
def add_gibbs_weight(weights: GibbsWeights, entity: int, score: float) -> None:
    """Add to the total of an entity."""
    if weights.stamp[entity] == weights.tick[0]:
        weights.total[entity] += score
    else:
        weights.stamp[entity] = weights.tick[0]
        weights.total[entity] = score


@kernel
def gibbs_weight(weights: GibbsWeights, entity: int) -> float:
    """Return the total of an entity."""
    return weights.total[entity] if weights.stamp[entity] == weights.tick[0] else 0.0
