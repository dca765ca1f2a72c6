"""What proposals and templates write for each other beside a partition, without changing it."""

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
    """Two sides on which mentions are put: where they are, and how many each side has."""

    sign: Floats
    """1 for a mention on side 0, -1 on side 1, and 0 on neither: sums need no branch."""
    size: Ints


class GibbsWeights(NamedTuple):
    """By entity: the score of one mention there, above that of being alone."""

    total: Floats
    stamp: Ints
    """When the total was last written: it is of the present mention if that is `tick`."""
    tick: Ints


def new_groups(n: int) -> Groups:
    """None of n mentions on either side."""
    return Groups(np.zeros(n), np.zeros(2, np.int64))


def new_gibbs_weights(n: int) -> GibbsWeights:
    """Totals for partitions of n mentions."""
    return GibbsWeights(np.zeros(n), np.zeros(n, np.int64), np.zeros(1, np.int64))


@kernel
def clear_gibbs_weights(weights: GibbsWeights) -> None:
    """Forget what the totals were of."""
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
    """The total of an entity."""
    return weights.total[entity] if weights.stamp[entity] == weights.tick[0] else 0.0
