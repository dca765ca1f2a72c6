"""Skeleton of a template: a cost for every two mentions of one source in one entity.

Copy to src/partita/factors/, rename, and change `count` and `emit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.factors.template import Template, feature_weights
from partita.kernel import Delta, Ints, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver, member, stayer

__all__ = ["clean_sources"]


class Sources(NamedTuple):
    """The table: arrays only; `emit` never changes them."""

    source: Ints


@kernel
def count(table: Sources, state: Partition, move: Regroup) -> int:
    """Count the factors that the move touches; here one for each mention that leaves."""
    return move.many


@kernel
def emit(table: Sources, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of the k-th factor, after less before, and return the value of `push`.

    The state is that before the move.
    """
    mine = table.source[leaver(state, move, k)]
    change = 0.0
    for m in range(state.size[move.source] - move.many):
        if table.source[stayer(state, move, m)] == mine:
            change -= 1.0
    for m in range(state.size[move.target]):
        if table.source[member(state, move.target, m)] == mine:
            change += 1.0
    return push(delta, 0, change)


def clean_sources(source: ArrayLike, cost: float = 1.0, *, name: str = "clean") -> Template:
    """Build a `cost` for each pair of mentions of one source in one entity."""
    values = np.unique(np.asarray(source), return_inverse=True)[1].reshape(-1).astype(np.int64)
    features, weights = feature_weights(name, ["pairs"], -cost)
    check = fits(name, values.size)
    return Template(name, Partition, features, weights, count, emit, Sources(values), check=check)
