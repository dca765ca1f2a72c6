"""Surplus of sources: the records of an entity beyond the first one of each source.

Each record i has a cost c_i. An entity pays for all of its records of a source but the dearest:

    surplus_s = sum_e (sum_i c_i - max_i c_i)    over the records i of source s in entity e.

With one cost c = log((1 - r) / r) for all, the number of records of an entity in the source is
geometric, and r is the probability of a further one. A cost that no evidence outweighs forbids two
such records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver, member, stayer

__all__ = ["surplus"]


class Sources(NamedTuple):
    """The source of each mention, -1 for none, and its cost."""

    source: Ints
    cost: Floats


@kernel
def count(table: Sources, state: Partition, move: Regroup) -> int:
    """One factor for each mention that leaves."""
    return move.many


@kernel
def emit(table: Sources, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change by the source of the k-th leaver, counted for its first leaver only.

    With the dearest leaver M, stayer S and mention of the target T, 0 if there is none, the surplus
    changes by (max(M, S) - S) - (max(M, T) - T).
    """
    own = table.source[leaver(state, move, k)]
    if own < 0:
        return 0.0
    moved, stays, joined = 0.0, 0.0, 0.0
    for j in range(move.many):
        mention = leaver(state, move, j)
        if table.source[mention] == own:
            if j < k:
                return 0.0
            moved = max(moved, table.cost[mention])
    for j in range(state.size[move.source] - move.many):
        mention = stayer(state, move, j)
        if table.source[mention] == own:
            stays = max(stays, table.cost[mention])
    for j in range(state.size[move.target]):
        mention = member(state, move.target, j)
        if table.source[mention] == own:
            joined = max(joined, table.cost[mention])
    return push(delta, own, max(moved - stays, 0.0) - max(moved - joined, 0.0))


def surplus(
    source: ArrayLike, sources: Sequence[str], cost: ArrayLike = 1.0, *, name: str = "surplus"
) -> Template:
    """Build one feature for each of the `sources`; its weight is -1.

    Parameters
    ----------
    source
        The source of each mention, by number; -1 for none.
    cost
        The cost of each mention, or one for all; 0 or more.
    """
    codes = np.asarray(source, np.int64)
    if codes.ndim != 1 or codes.min(initial=-1) < -1 or codes.max(initial=-1) >= len(sources):
        raise InputError(
            f"{name}: sources run from {codes.min(initial=0)} to {codes.max(initial=0)}; give -1 "
            f"or 0..{len(sources) - 1} for each mention"
        )
    costs = finite(cost, f"{name}: cost")
    if costs.shape not in ((), codes.shape) or costs.min(initial=0.0) < 0.0:
        raise InputError(f"{name}: give one cost of 0 or more, or {codes.size} of them")
    table = Sources(codes, np.broadcast_to(costs, codes.shape).copy())
    features, start = feature_weights(name, list(sources), -1.0)
    check = fits(name, codes.size)
    return Template(name, Partition, features, start, count, emit, table, check=check)
