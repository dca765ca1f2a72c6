"""Shared parts of split and merge proposals over whole clusters: order, allocation, choice."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from partita.errors import ModelError
from partita.kernel import Context, Floats, Ints, Rng, kernel
from partita.proposals.proposal import Engine
from partita.proposals.split_merge import list_block, list_entity
from partita.states import Partition, Regroup
from partita.states.partition import member

__all__ = ["LEFT", "RIGHT", "Workspace", "workspace"]

LEFT, RIGHT = 3, 4
"""Scratch rows of the two sides, after the entities."""


SORT_LIMIT = 16
"""Above one in this many of all mentions, marking and counting is faster than Shell's sort."""

MAX_LOG_ODDS = 30.0
"""Log odds above which the log of a share is added instead of multiplying the share."""

MIN_PRODUCT = 1e-200
"""Product of shares below which its logarithm is accumulated; float64 vanishes at 1e-308."""


class Workspace(NamedTuple):
    """Scratch: mentions in the order of allocation with their sides, and weights of entities."""

    sequence: Ints
    side: Ints
    weight: Floats
    mark: Ints
    """All zero between two steps."""


def workspace(table: Any, state: Partition) -> Workspace:
    """Allocate scratch for the partitions of one chain."""
    n = state.entity.size
    return Workspace(
        np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1), np.zeros(n, np.int64)
    )


NONE = np.zeros(0, np.int64)
EMPTY = Workspace(NONE, NONE, np.zeros(0), NONE)


def require_clusters(engine: Engine, name: str) -> Any:
    """Return the model's cluster statistics, or raise a ModelError if it has none."""
    if engine.clusters is None:
        raise ModelError(
            f"{name} scores whole clusters, and no template of the model has their statistics; "
            "use a conjugate(...) template, or split_merge(canopies)"
        )
    return engine.clusters


@kernel(inline=False)
def sort(table: Workspace, count: int) -> None:
    """Sort the sequence by mention number, without allocation."""
    values, n = table.sequence, table.mark.size
    if n <= SORT_LIMIT * count:
        for k in range(count):
            table.mark[values[k]] = 1
        at = 0
        for i in range(n):
            if table.mark[i] == 1:
                table.mark[i] = 0
                values[at] = i
                at += 1
        return
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, count):
            value, at = values[k], k
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


@kernel
def list_members(state: Partition, table: Workspace, entity: int, at: int) -> int:
    """Append an entity's members to the sequence; return its new length."""
    for k in range(state.size[entity]):
        table.sequence[at] = member(state, entity, k)
        at += 1
    return at


@kernel
def note_sides(state: Partition, table: Workspace, count: int) -> None:
    """Set the sides from the two present entities; the first mention is on side 0."""
    first = state.entity[table.sequence[0]]
    for k in range(count):
        table.side[k] = 0 if state.entity[table.sequence[k]] == first else 1


@kernel
def idle_move(state: Partition) -> Regroup:
    """Return a move that changes nothing."""
    source = state.entity[0]
    return Regroup(0, source, source, 1)


@kernel
def split_move(state: Partition, table: Workspace, count: int, source: int) -> Regroup:
    """Return the split into the sides; an idle move if one side is empty."""
    many = list_block(state, table, count)
    if many == count or many == 0:
        return idle_move(state)
    return Regroup(state.block[0], source, state.ids[state.live[0]], many)


@kernel
def merge_move(state: Partition, a: int, b: int) -> Regroup:
    """Return the merge of two entities: the smaller moves, as in the reverse split."""
    if state.size[a] > state.size[b]:
        a, b = b, a
    list_entity(state, a)
    return Regroup(member(state, a, 0), a, b, state.size[a])


@kernel
def normalise(weight: Floats, count: int) -> float:
    """Scale log weights to weights whose largest is 1; return the log of their sum."""
    top = -math.inf
    for k in range(count):
        top = max(top, weight[k])
    if top == -math.inf:
        return top
    total = 0.0
    for k in range(count):
        weight[k] = math.exp(weight[k] - top)
        total += weight[k]
    return top + math.log(total)


@kernel
def pick(rng: Rng, weight: Floats, count: int) -> int:
    """Draw a number below `count` with probability proportional to its weight, by one draw."""
    total, last = 0.0, 0
    for k in range(count):
        total += weight[k]
        if weight[k] > 0.0:
            last = k
    u, upto = rng.random(), 0.0
    for k in range(last):
        upto += weight[k]
        if u < upto / total:
            return k
    # rounding can leave a remainder; it belongs to the last number
    return last


@kernel
def log_share(gap: float) -> float:
    """Return the log of 1 / (1 + exp(-gap))."""
    if gap > 0.0:
        return -math.log1p(math.exp(-gap))
    return gap - math.log1p(math.exp(gap))


def allocation(clusters: Any, sizes: bool) -> Any:
    """Compile log P of allocating the sequence to two sides, the first mention to side 0.

    Both sides start empty, and each mention joins one with probability proportional to its
    predictive probability there (SDDS equation 5), times the side's size if `sizes`, as under a
    Dirichlet process. With `free` the sides are drawn; otherwise the table provides them.
    """
    clear, add, gain = clusters.clear, clusters.add, clusters.gain

    @kernel(inline=False)
    def allocate(
        rng: Rng,
        context: Context,
        state: Partition,
        table: Workspace,
        count: int,
        free: bool,
        temperature: float,
    ) -> float:
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        clear(context, left)
        clear(context, right)
        add(context, left, table.sequence[0], 1.0)
        table.side[0] = 0
        total, product, here, there = 0.0, 1.0, 1.0, 0.0
        for k in range(1, count):
            mention = table.sequence[k]
            gap = gain(context, left, mention) - gain(context, right, mention)
            if sizes:
                gap += math.log(here / max(1.0, there))
            gap /= temperature
            share = 1.0 / (1.0 + math.exp(-gap)) if gap > -MAX_LOG_ODDS else math.exp(gap)
            if free:
                table.side[k] = 0 if rng.random() < share else 1
            own = table.side[k]
            if gap > MAX_LOG_ODDS or gap < -MAX_LOG_ODDS:
                total += log_share(gap if own == 0 else -gap)
            else:
                product *= share if own == 0 else 1.0 - share
                if product < MIN_PRODUCT:
                    total += math.log(product)
                    product = 1.0
            add(context, left if own == 0 else right, mention, 1.0)
            here += 1.0 - own
            there += own
        return total + math.log(product)

    return allocate
