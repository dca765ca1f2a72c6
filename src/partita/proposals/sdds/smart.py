"""Smart draws of splits and merges, each with the probability of its reverse (SDDS)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from partita.kernel import Context, Floats, Ints, Rng, below, kernel
from partita.proposals.choose import log_add
from partita.proposals.sdds.clusters import (
    LEFT,
    RIGHT,
    Workspace,
    allocation,
    list_members,
    normalise,
    note_sides,
    pick,
    sort,
)
from partita.states import Partition

__all__ = ["Keyed", "keyed_merge", "smart_merge", "smart_split"]


def smart_split(clusters: Any, split: str, sizes: bool) -> tuple[Any, Any]:
    """Compile the draw of a smart split, and the probability of the split that reverses a merge.

    Both return log q without the 1/2; `drawn` leaves the sides in the table and returns the
    entity too.
    """
    kept, joint = clusters.kept, clusters.joint
    allocate = allocation(clusters, sizes)
    average = split == "average"

    @kernel
    def unlikely(total: float, size: int) -> float:
        if size < 2:
            return -math.inf
        return -total / size if average else -total

    @kernel(inline=False)
    def drawn(
        rng: Rng, context: Context, state: Partition, table: Workspace, temperature: float
    ) -> tuple[int, int, float]:
        live = state.live[0]
        for k in range(live):
            e = state.ids[k]
            table.weight[k] = unlikely(kept(context, e), state.size[e])
        total = normalise(table.weight, live)
        if total == -math.inf:
            return -1, 0, 0.0
        e = state.ids[pick(rng, table.weight, live)]
        count = list_members(state, table, e, 0)
        sort(table, count)
        log_f = unlikely(kept(context, e), count) - total
        return e, count, log_f + allocate(rng, context, state, table, count, True, temperature)

    @kernel(inline=False)
    def undone(
        rng: Rng, context: Context, state: Partition, table: Workspace, a: int, b: int, heat: float
    ) -> float:
        count = list_members(state, table, b, list_members(state, table, a, 0))
        own = unlikely(joint(context, a, b), count)
        total = own
        for k in range(state.live[0]):
            e = state.ids[k]
            if e != a and e != b:
                total = log_add(total, unlikely(kept(context, e), state.size[e]))
        sort(table, count)
        note_sides(state, table, count)
        return own - total + allocate(rng, context, state, table, count, False, heat)

    return drawn, undone


def smart_merge(clusters: Any, merge: str) -> tuple[Any, Any]:
    """Compile the draw of a smart merge, and the probability of the merge that reverses a split."""
    kept, joint, total_of = clusters.kept, clusters.joint, clusters.total
    ratio = merge == "ratio"

    @kernel
    def alike(both: float, other: float) -> float:
        return both - other if ratio else both

    @kernel(inline=False)
    def log_norm(context: Context, state: Partition, row: int, a: int, b: int) -> float:
        """Return the log of the summed weights of all entities but a and b, merged with a row."""
        log_total = -math.inf
        for k in range(state.live[0]):
            e = state.ids[k]
            if e not in (a, b):
                log_total = log_add(log_total, alike(joint(context, row, e), kept(context, e)))
        return log_total

    @kernel(inline=False)
    def drawn(
        rng: Rng, context: Context, state: Partition, table: Workspace
    ) -> tuple[int, int, float]:
        live = state.live[0]
        i = state.ids[below(rng, live)]
        for k in range(live):
            e = state.ids[k]
            table.weight[k] = -math.inf
            if e != i:
                table.weight[k] = alike(joint(context, i, e), kept(context, e))
        total = normalise(table.weight, live)
        j = state.ids[pick(rng, table.weight, live)]
        both = joint(context, i, j)
        forth = alike(both, kept(context, j)) - total
        turned = alike(both, kept(context, i))
        back = turned - log_add(turned, log_norm(context, state, j, i, j))
        return i, j, log_add(forth, back) - math.log(live)

    @kernel(inline=False)
    def undone(
        rng: Rng, context: Context, state: Partition, table: Workspace, source: int, count: int
    ) -> float:
        """Return the reverse log q; rows LEFT and RIGHT hold the sides, `source` their union."""
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        both = kept(context, source)
        log_total = -math.inf
        for turn in range(2):
            row, other = (left, right) if turn == 0 else (right, left)
            own = alike(both, total_of(context, other))
            rest = log_norm(context, state, row, source, source)
            log_total = log_add(log_total, own - log_add(own, rest))
        return log_total - math.log(state.live[0] + 1.0)

    return drawn, undone


class Keyed(NamedTuple):
    """Scratch, and mentions by key: those of key k are other[start[k] : start[k + 1]]."""

    work: Workspace
    key: Ints
    start: Ints
    other: Ints
    tally: Floats
    """Scratch: members of one side, by key."""


def keyed_merge() -> tuple[Any, Any]:
    """Compile both for merges of mentions with one key, which use no score."""

    @kernel
    def meeting(state: Partition, table: Keyed, count: int) -> float:
        """Return the log of 2 / N sum n_ik n_jk / n_k, for the sides of the sequence."""
        work = table.work
        for k in range(count):
            table.tally[table.key[work.sequence[k]]] = 0.0
        for k in range(count):
            if work.side[k] == 0:
                table.tally[table.key[work.sequence[k]]] += 1.0
        share = 0.0
        for k in range(count):
            if work.side[k] == 1:
                key = table.key[work.sequence[k]]
                share += table.tally[key] / (table.start[key + 1] - table.start[key])
        if share == 0.0:
            return -math.inf
        return math.log(2.0 * share / state.entity.size)

    @kernel(inline=False)
    def drawn(rng: Rng, context: Context, state: Partition, table: Keyed) -> tuple[int, int, float]:
        mention = below(rng, state.entity.size)
        first = table.start[table.key[mention]]
        many = table.start[table.key[mention] + 1] - first
        i, j = state.entity[mention], state.entity[table.other[first + below(rng, many)]]
        if i == j:
            return i, j, 0.0
        work = table.work
        count = list_members(state, work, j, list_members(state, work, i, 0))
        note_sides(state, work, count)
        return i, j, meeting(state, table, count)

    @kernel(inline=False)
    def undone(
        rng: Rng, context: Context, state: Partition, table: Keyed, source: int, count: int
    ) -> float:
        return meeting(state, table, count)

    return drawn, undone
