"""Smart draws of splits and merges, each with the probability of the one that leads back (SDDS)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from partita.kernel import Floats, Ints, Rng, World, below, kernel
from partita.proposals.choose import log_add
from partita.proposals.sdds.clusters import (
    LEFT,
    RIGHT,
    Workspace,
    allocation,
    list_members,
    normalised,
    note_sides,
    pick,
    sort,
)
from partita.states import Partition

__all__ = ["Keyed", "keyed_merge", "smart_merge", "smart_split"]


def smart_split(clusters: Any, split: str, sizes: bool) -> tuple[Any, Any]:
    """Compile the draw of a smart split and the probability of the one that undoes a merge.

    Both return log q without the 1/2; `drawn` leaves the sides in the guide and returns the
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
        rng: Rng, world: World, state: Partition, guide: Workspace, temperature: float
    ) -> tuple[int, int, float]:
        live = state.live[0]
        for k in range(live):
            e = state.ids[k]
            guide.weight[k] = unlikely(kept(world, e), state.size[e])
        total = normalised(guide.weight, live)
        if total == -math.inf:
            return -1, 0, 0.0
        e = state.ids[pick(rng, guide.weight, live)]
        count = list_members(state, guide, e, 0)
        sort(guide, count)
        log_f = unlikely(kept(world, e), count) - total
        return e, count, log_f + allocate(rng, world, state, guide, count, True, temperature)

    @kernel(inline=False)
    def undone(
        rng: Rng, world: World, state: Partition, guide: Workspace, a: int, b: int, heat: float
    ) -> float:
        count = list_members(state, guide, b, list_members(state, guide, a, 0))
        own = unlikely(joint(world, a, b), count)
        total = own
        for k in range(state.live[0]):
            e = state.ids[k]
            if e != a and e != b:
                total = log_add(total, unlikely(kept(world, e), state.size[e]))
        sort(guide, count)
        note_sides(state, guide, count)
        return own - total + allocate(rng, world, state, guide, count, False, heat)

    return drawn, undone


def smart_merge(clusters: Any, merge: str) -> tuple[Any, Any]:
    """Compile the draw of a smart merge, and the probability of the one that undoes a split."""
    kept, joint, total_of = clusters.kept, clusters.joint, clusters.total
    ratio = merge == "ratio"

    @kernel
    def alike(both: float, other: float) -> float:
        return both - other if ratio else both

    @kernel(inline=False)
    def log_norm(world: World, state: Partition, row: int, a: int, b: int) -> float:
        """Log of the sum of weights of all entities but a and b beside a row."""
        found = -math.inf
        for k in range(state.live[0]):
            e = state.ids[k]
            if e not in (a, b):
                found = log_add(found, alike(joint(world, row, e), kept(world, e)))
        return found

    @kernel(inline=False)
    def drawn(rng: Rng, world: World, state: Partition, guide: Workspace) -> tuple[int, int, float]:
        live = state.live[0]
        i = state.ids[below(rng, live)]
        for k in range(live):
            e = state.ids[k]
            guide.weight[k] = -math.inf
            if e != i:
                guide.weight[k] = alike(joint(world, i, e), kept(world, e))
        total = normalised(guide.weight, live)
        j = state.ids[pick(rng, guide.weight, live)]
        both = joint(world, i, j)
        forth = alike(both, kept(world, j)) - total
        turned = alike(both, kept(world, i))
        back = turned - log_add(turned, log_norm(world, state, j, i, j))
        return i, j, log_add(forth, back) - math.log(live)

    @kernel(inline=False)
    def undone(
        rng: Rng, world: World, state: Partition, guide: Workspace, source: int, count: int
    ) -> float:
        """The sides stand in the rows LEFT and RIGHT; `source` is what they make together."""
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        both = kept(world, source)
        found = -math.inf
        for turn in range(2):
            row, other = (left, right) if turn == 0 else (right, left)
            own = alike(both, total_of(world, other))
            rest = log_norm(world, state, row, source, source)
            found = log_add(found, own - log_add(own, rest))
        return found - math.log(state.live[0] + 1.0)

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
    """Compile the same two for merges of mentions with one key; they look at no score."""

    @kernel
    def meeting(state: Partition, guide: Keyed, count: int) -> float:
        """log of 2 / N sum n_ik n_jk / n_k, for the sides of the sequence."""
        work = guide.work
        for k in range(count):
            guide.tally[guide.key[work.sequence[k]]] = 0.0
        for k in range(count):
            if work.side[k] == 0:
                guide.tally[guide.key[work.sequence[k]]] += 1.0
        found = 0.0
        for k in range(count):
            if work.side[k] == 1:
                key = guide.key[work.sequence[k]]
                found += guide.tally[key] / (guide.start[key + 1] - guide.start[key])
        if found == 0.0:
            return -math.inf
        return math.log(2.0 * found / state.entity.size)

    @kernel(inline=False)
    def drawn(rng: Rng, world: World, state: Partition, guide: Keyed) -> tuple[int, int, float]:
        mention = below(rng, state.entity.size)
        first = guide.start[guide.key[mention]]
        many = guide.start[guide.key[mention] + 1] - first
        i, j = state.entity[mention], state.entity[guide.other[first + below(rng, many)]]
        if i == j:
            return i, j, 0.0
        work = guide.work
        count = list_members(state, work, j, list_members(state, work, i, 0))
        note_sides(state, work, count)
        return i, j, meeting(state, guide, count)

    @kernel(inline=False)
    def undone(
        rng: Rng, world: World, state: Partition, guide: Keyed, source: int, count: int
    ) -> float:
        return meeting(state, guide, count)

    return drawn, undone
