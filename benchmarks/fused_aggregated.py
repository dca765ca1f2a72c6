"""Walks over aggregated factors, fused by hand like those in `fused`: dense and hashed sums."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.fused import RESERVE, fuse, paste, relocate
from partita.kernel import Floats, Rng
from partita.proposals.canopies import Canopies
from partita.states import Partition

__all__ = ["aggregated_dense", "aggregated_sparse"]

SMALLEST, GOLDEN = 2, 2654435769


@fuse
def aggregated_dense(
    rng: Rng,
    state: Partition,
    proposal_table: Canopies,
    table: Any,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Pairs scored from the sums of whole entities, kept as dense rows."""
    total, accepted = 0.0, 0
    entity, size, ids, live = state.entity, state.size, state.ids, state.live
    seat, canopy, first, window = (
        proposal_table.order,
        proposal_table.canopy,
        proposal_table.start,
        proposal_table.window,
    )
    bags, feature, sums = table.bags, table.feature, table.bags.store.sums
    row, key, value, group = bags.start, bags.key, bags.value, bags.group
    own, mass, acc = bags.own, bags.mass, bags.acc
    for _ in range(steps):
        if state.pool.top[0] + RESERVE * entity.size > state.members.size:
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
        if left > 0:
            acc[:] = 0.0
            for q in range(row[i], row[i + 1]):
                acc[group[key[q]]] += value[q] * (sums[source, key[q]] - value[q])
            for g in range(mass.shape[1]):
                f = feature[g]
                score += weights[f] * -acc[g]
                if feature[g + 1] > f + 1:
                    both = own[i, g] * (mass[source, g] - own[i, g])
                    score += weights[f + 1] * -(both - acc[g])
                    score += weights[f + 2] * -(left - both)
        if size[target] > 0:
            part = 0.0
            acc[:] = 0.0
            for q in range(row[i], row[i + 1]):
                acc[group[key[q]]] += value[q] * sums[target, key[q]]
            for g in range(mass.shape[1]):
                f = feature[g]
                part += weights[f] * acc[g]
                if feature[g + 1] > f + 1:
                    both = own[i, g] * mass[target, g]
                    part += weights[f + 1] * (both - acc[g])
                    part += weights[f + 2] * (size[target] - both)
            score += part
        born = 0
        if size[target] == 0:
            born += 1
        if left == 0:
            born -= 1
        score += weights[-1] * born
        ratio += score / temperature
        if ratio >= 0.0 or rng.random() < math.exp(ratio):
            relocate(state, i, source, target)
            for q in range(row[i], row[i + 1]):
                sums[source, key[q]] -= value[q]
                sums[target, key[q]] += value[q]
            for g in range(mass.shape[1]):
                mass[source, g] -= own[i, g]
                mass[target, g] += own[i, g]
            total += score
            accepted += 1
    return total, accepted


@fuse
def rehash(store: Any, entity: int, order: int) -> None:
    """Move an entity's hash table to a block of another order."""
    cells, free, top = store.cells, store.pool.free, store.pool.top
    old, last = store.base[entity], store.order[entity]
    new, size = free[order + 1], 2 << order
    if new >= 0:
        free[order + 1] = int(cells[new])
    else:
        new = top[0]
        top[0] += size
    cells[new : new + size : 2] = -1.0
    for k in range(old, old + (2 << last), 2):
        if cells[k] >= 0.0:
            at = 2 * (((int(cells[k]) * GOLDEN) >> (32 - order)) & ((1 << order) - 1))
            while cells[new + at] != -1.0:
                at = (at + 2) & (size - 1)
            cells[new + at] = cells[k]
            cells[new + at + 1] = cells[k + 1]
    cells[old] = free[last + 1]
    free[last + 1] = old
    store.widest[0] = max(store.widest[0], order)
    store.base[entity] = new
    store.order[entity] = order


@fuse
def discard(store: Any, entity: int, gap: int) -> None:
    """Remove the key at a gap and let later keys of its run move up."""
    cells, base, order = store.cells, store.base[entity], store.order[entity]
    mask = (2 << order) - 1
    probe = (gap + 2) & mask
    while cells[base + probe] != -1.0:
        home = 2 * (((int(cells[base + probe]) * GOLDEN) >> (32 - order)) & ((1 << order) - 1))
        if ((probe - home) & mask) >= ((probe - gap) & mask):
            cells[base + gap] = cells[base + probe]
            cells[base + gap + 1] = cells[base + probe + 1]
            gap = probe
        probe = (probe + 2) & mask
    cells[base + gap] = -1.0
    store.used[entity] -= 1


@paste
def bump(store: Any, entity: int, key: int, value: float) -> None:
    """Add to one sum; a sum that becomes zero leaves the table."""
    cells, base, order = store.cells, store.base, store.order
    used, free = store.used, store.pool.free
    if order[entity] < 0:
        block = free[SMALLEST + 1]
        if block >= 0:
            free[SMALLEST + 1] = int(cells[block])
        else:
            block = store.pool.top[0]
            store.pool.top[0] += 2 << SMALLEST
        cells[block : block + (2 << SMALLEST) : 2] = -1.0
        order[entity], base[entity], used[entity] = SMALLEST, block, 0
    mask, name = (1 << order[entity]) - 1, float(key)
    at = 2 * (((key * GOLDEN) >> (32 - order[entity])) & mask)
    while cells[base[entity] + at] != name and cells[base[entity] + at] != -1.0:
        at = (at + 2) & (2 * mask + 1)
    cell = base[entity] + at
    if cells[cell] != name:
        cells[cell] = name
        cells[cell + 1] = value
        used[entity] += 1
        if 2 * used[entity] > mask + 1:
            rehash(store, entity, order[entity] + 1)
        return
    cells[cell + 1] += value
    if cells[cell + 1] == 0.0:
        discard(store, entity, at)
        if used[entity] == 0:
            cells[base[entity]] = free[order[entity] + 1]
            free[order[entity] + 1] = base[entity]
            order[entity] = -1
        elif order[entity] > SMALLEST and 8 * used[entity] <= mask + 1:
            rehash(store, entity, order[entity] - 1)


@fuse
def aggregated_sparse(
    rng: Rng,
    state: Partition,
    proposal_table: Canopies,
    table: Any,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Pairs scored from the sums of whole entities, kept as hash tables."""
    total, accepted = 0.0, 0
    entity, size, ids, live = state.entity, state.size, state.ids, state.live
    seat, canopy, first, window = (
        proposal_table.order,
        proposal_table.canopy,
        proposal_table.start,
        proposal_table.window,
    )
    bags, feature, store = table.bags, table.feature, table.bags.store
    row, key, value, group = bags.start, bags.key, bags.value, bags.group
    own, mass, acc = bags.own, bags.mass, bags.acc
    cells, base, order = store.cells, store.base, store.order
    for _ in range(steps):
        if state.pool.top[0] + RESERVE * entity.size > state.members.size:
            break
        if store.pool.top[0] + (128 << store.widest[0]) > cells.size:
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
        if left > 0:
            acc[:] = 0.0
            mask, block = (1 << order[source]) - 1, base[source]
            for q in range(row[i], row[i + 1]):
                # the mention is a member, so its keys are there
                cell = 2 * (((key[q] * GOLDEN) >> (32 - order[source])) & mask)
                while cells[block + cell] != key[q]:
                    cell = (cell + 2) & (2 * mask + 1)
                acc[group[key[q]]] += value[q] * (cells[block + cell + 1] - value[q])
            for g in range(mass.shape[1]):
                f = feature[g]
                score += weights[f] * -acc[g]
                if feature[g + 1] > f + 1:
                    both = own[i, g] * (mass[source, g] - own[i, g])
                    score += weights[f + 1] * -(both - acc[g])
                    score += weights[f + 2] * -(left - both)
        if size[target] > 0:
            part = 0.0
            acc[:] = 0.0
            mask, block = (1 << order[target]) - 1, base[target]
            if order[target] >= 0:
                for q in range(row[i], row[i + 1]):
                    cell = 2 * (((key[q] * GOLDEN) >> (32 - order[target])) & mask)
                    while cells[block + cell] != key[q] and cells[block + cell] != -1.0:
                        cell = (cell + 2) & (2 * mask + 1)
                    if cells[block + cell] == key[q]:
                        acc[group[key[q]]] += value[q] * cells[block + cell + 1]
            for g in range(mass.shape[1]):
                f = feature[g]
                part += weights[f] * acc[g]
                if feature[g + 1] > f + 1:
                    both = own[i, g] * mass[target, g]
                    part += weights[f + 1] * (both - acc[g])
                    part += weights[f + 2] * (size[target] - both)
            score += part
        born = 0
        if size[target] == 0:
            born += 1
        if left == 0:
            born -= 1
        score += weights[-1] * born
        ratio += score / temperature
        if ratio >= 0.0 or rng.random() < math.exp(ratio):
            relocate(state, i, source, target)
            if left > 0:
                for q in range(row[i], row[i + 1]):
                    bump(store, source, key[q], -value[q])
            for q in range(row[i], row[i + 1]):
                bump(store, target, key[q], value[q])
            if left == 0 and order[source] >= 0:
                # nothing is left of it, so its table goes as a whole
                cells[base[source]] = store.pool.free[order[source] + 1]
                store.pool.free[order[source] + 1] = base[source]
                order[source], store.used[source] = -1, 0
            for g in range(mass.shape[1]):
                mass[source, g] -= own[i, g]
                mass[target, g] += own[i, g]
            total += score
            accepted += 1
    return total, accepted
