"""Walks fused by hand: code for one model without the engine.

Each is one compiled function over the arrays that the engine uses, with the same draws and the
same acceptance rule, so that from the same seed it ends in the same state. It counts nothing,
records nothing and cannot be undone. Reference counting is switched off, as in the engine: with it
an accepted move costs up to five times as much, and the comparison would flatter the engine.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

from partita.kernel import Floats, Ints, Rng
from partita.kernel.numba.compile import ENTERED, PLAIN
from partita.proposals.canopies import Canopies
from partita.states import Partition

__all__ = ["RESERVE", "fuse", "labels", "partition", "partition_perceptron", "paste", "relocate"]

OPTIONS = {"nogil": True} if PLAIN else ENTERED
RESERVE = 16

fuse: Any = njit(**OPTIONS)
paste: Any = njit(inline="always", **OPTIONS)
"""For what would be written out in several walks: Numba copies it into each of them."""


@fuse
def labels(
    rng: Rng,
    label: Ints,
    domain: Ints,
    seen: Any,
    edges: Any,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Flips of labels under unary and pairwise weights."""
    total, accepted = 0.0, 0
    width = seen.width[0]
    count = edges.shape[1]
    offset = count * width
    for _ in range(steps):
        v = int(rng.random() * label.size)
        old = label[v]
        new = int(rng.random() * (domain[v] - 1))
        if new >= old:
            new += 1
        score = 0.0
        for q in range(seen.start[v], seen.start[v + 1]):
            feature, value = seen.feature[q], seen.value[q]
            score += weights[new * width + feature] * value
            score -= weights[old * width + feature] * value
        chain = 0.0
        for q in range(edges.start[v], edges.start[v + 1]):
            edge = edges.edge[q]
            left, right = edges.ends[edge, 0], edges.ends[edge, 1]
            base = offset + edges.kind[edge] * count * count
            if left == v:
                other = label[right]
                chain += weights[base + new * count + other] - weights[base + old * count + other]
            else:
                other = base + label[left] * count
                chain += weights[other + new] - weights[other + old]
        score += chain
        ratio = score / temperature
        if ratio >= 0.0 or rng.random() < math.exp(ratio):
            label[v] = new
            total += score
            accepted += 1
    return total, accepted


@fuse
def resize(state: Partition, entity: int, order: int) -> None:
    """Move the members of an entity to a block of another order."""
    members, free, top = state.members, state.pool.free, state.pool.top
    old = state.start[entity]
    new = free[order]
    if new >= 0:
        free[order] = members[new]
    else:
        new = top[0]
        top[0] += 1 << order
    for k in range(state.size[entity]):
        members[new + k] = members[old + k]
    members[old] = free[state.order[entity]]
    free[state.order[entity]] = old
    state.start[entity] = new
    state.order[entity] = order


@paste
def relocate(state: Partition, i: int, source: int, target: int) -> None:
    """Mention i leaves its entity for another, which may be vacant."""
    size, start, order, slot = state.size, state.start, state.order, state.slot
    ids, rank, live, free = state.ids, state.rank, state.live, state.pool.free
    members, top = state.members, state.pool.top
    if size[target] == 0:
        other, a, b = ids[live[0]], rank[target], live[0]
        ids[a], ids[b], rank[other], rank[target] = other, target, a, b
        live[0] += 1
        order[target] = 0
        if free[0] >= 0:
            start[target] = free[0]
            free[0] = members[free[0]]
        else:
            start[target] = top[0]
            top[0] += 1
    last = size[source] - 1
    filler = members[start[source] + last]
    members[start[source] + slot[i]] = filler
    slot[filler] = slot[i]
    size[source] = last
    if last > 0 and 4 * last <= 1 << order[source]:
        resize(state, source, order[source] - 1)
    if size[target] == 1 << order[target]:
        resize(state, target, order[target] + 1)
    members[start[target] + size[target]] = i
    slot[i] = size[target]
    state.entity[i] = target
    size[target] += 1
    if last == 0:
        members[start[source]] = free[order[source]]
        free[order[source]] = start[source]
        order[source] = -1
        live[0] -= 1
        other, a, b = ids[live[0]], rank[source], live[0]
        ids[a], ids[b], rank[other], rank[source] = other, source, a, b


@fuse
def partition(
    rng: Rng,
    state: Partition,
    proposal_table: Canopies,
    x: Floats,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Pair moves within a canopy; lazy pairwise factors and a cost per entity."""
    total, accepted = 0.0, 0
    entity, size, start, slot = state.entity, state.size, state.start, state.slot
    members, ids, live, top = state.members, state.ids, state.live, state.pool.top
    seat, canopy, first, window = (
        proposal_table.order,
        proposal_table.canopy,
        proposal_table.start,
        proposal_table.window,
    )
    for _ in range(steps):
        if top[0] + RESERVE * entity.size > members.size:
            break
        at = window[0] + int(rng.random() * (window[1] - window[0]))
        i = seat[at]
        begin = first[canopy[i]]
        other = begin + int(rng.random() * (first[canopy[i] + 1] - begin - 1))
        if other >= at:
            other += 1
        source, target = entity[i], entity[seat[other]]
        left, ratio = size[source] - 1, 0.0
        if source == target:
            target = ids[live[0]]
        elif left > 0:
            ratio = math.log(left / size[target])
        score = 0.0
        base, mine = start[source], slot[i]
        for k in range(left):
            j = members[base + (k + 1 if k >= mine else k)]
            distance = 0.0
            for d in range(x.shape[1]):
                gap = x[i, d] - x[j, d]
                distance += gap * gap
            score -= weights[0] * max(3.0 - distance, -3.0)
        base = start[target]
        for k in range(size[target]):
            j = members[base + k]
            distance = 0.0
            for d in range(x.shape[1]):
                gap = x[i, d] - x[j, d]
                distance += gap * gap
            score += weights[0] * max(3.0 - distance, -3.0)
        born = 0
        if size[target] == 0:
            born += 1
        if left == 0:
            born -= 1
        score += weights[1] * born
        ratio += score / temperature
        if ratio >= 0.0 or rng.random() < math.exp(ratio):
            relocate(state, i, source, target)
            total += score
            accepted += 1
    return total, accepted


@fuse
def partition_perceptron(
    rng: Rng,
    state: Partition,
    proposal_table: Canopies,
    x: Floats,
    weights: Floats,
    right: Ints,
    rate: float,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """The same walk, which corrects its weights wherever model and truth disagree."""
    total, accepted = 0.0, 0
    entity, size, start, slot = state.entity, state.size, state.start, state.slot
    members, ids, live, top = state.members, state.ids, state.live, state.pool.top
    seat, canopy, first, window = (
        proposal_table.order,
        proposal_table.canopy,
        proposal_table.start,
        proposal_table.window,
    )
    for _ in range(steps):
        if top[0] + RESERVE * entity.size > members.size:
            break
        at = window[0] + int(rng.random() * (window[1] - window[0]))
        i = seat[at]
        begin = first[canopy[i]]
        other = begin + int(rng.random() * (first[canopy[i] + 1] - begin - 1))
        if other >= at:
            other += 1
        source, target = entity[i], entity[seat[other]]
        left, ratio = size[source] - 1, 0.0
        if source == target:
            target = ids[live[0]]
        elif left > 0:
            ratio = math.log(left / size[target])
        score, change, gain = 0.0, 0.0, 0
        base, mine = start[source], slot[i]
        for k in range(left):
            j = members[base + (k + 1 if k >= mine else k)]
            distance = 0.0
            for d in range(x.shape[1]):
                gap = x[i, d] - x[j, d]
                distance += gap * gap
            value = max(3.0 - distance, -3.0)
            change -= value
            score -= weights[0] * value
            gain += -1 if right[i] == right[j] else 1
        base = start[target]
        for k in range(size[target]):
            j = members[base + k]
            distance = 0.0
            for d in range(x.shape[1]):
                gap = x[i, d] - x[j, d]
                distance += gap * gap
            value = max(3.0 - distance, -3.0)
            change += value
            score += weights[0] * value
            gain += 1 if right[i] == right[j] else -1
        born = 0
        if size[target] == 0:
            born += 1
        if left == 0:
            born -= 1
        score += weights[1] * born
        if gain > 0 and score <= 0.0:
            weights[0] += rate * change
            weights[1] += rate * born
        elif gain < 0 and score >= 0.0:
            weights[0] += -rate * change
            weights[1] += -rate * born
        ratio += score / temperature
        if ratio >= 0.0 or rng.random() < math.exp(ratio):
            relocate(state, i, source, target)
            total += score
            accepted += 1
    return total, accepted
