"""Walks over aggregated factors, fused by hand like those in `fused`: dense and hashed sums."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.fused import RESERVE, fuse, paste, relocate
from partita.kernel import Floats, Rng
from partita.proposals.canopies import Canopies
from partita.states import Partition

__all__ = ["aggregated_dense", "aggregated_sparse"]

SMALLEST = 2


@fuse
def aggregated_dense(
    rng: Rng,
    state: Partition,
    guide: Canopies,
    table: Any,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Pairs scored from the sums of whole entities, kept as dense rows."""
    total, accepted = 0.0, 0
    entity, size, ids, live = state.entity, state.size, state.ids, state.live
    seat, canopy, first, window = guide.order, guide.canopy, guide.start, guide.window
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
    keys, free, top = store.keys, store.pool.free, store.pool.top
    old, mask = store.base[entity], (1 << order) - 1
    new = free[order]
    if new >= 0:
        free[order] = keys[new]
    else:
        new = top[0]
        top[0] += 1 << order
    keys[new : new + mask + 1] = -1
    for k in range(old, old + (1 << store.order[entity])):
        if keys[k] >= 0:
            at = keys[k] & mask
            while keys[new + at] != -1:
                at = (at + 1) & mask
            keys[new + at] = keys[k]
            store.values[new + at] = store.values[k]
    keys[old] = free[store.order[entity]]
    free[store.order[entity]] = old
    store.widest[0] = max(store.widest[0], order)
    store.base[entity] = new
    store.order[entity] = order


@fuse
def discard(store: Any, entity: int, gap: int) -> None:
    """Remove the cell at a gap and let later keys of its run move up."""
    keys, base, mask = store.keys, store.base[entity], (1 << store.order[entity]) - 1
    probe = (gap + 1) & mask
    while keys[base + probe] != -1:
        if ((probe - keys[base + probe]) & mask) >= ((probe - gap) & mask):
            keys[base + gap] = keys[base + probe]
            store.values[base + gap] = store.values[base + probe]
            gap = probe
        probe = (probe + 1) & mask
    keys[base + gap] = -1
    store.used[entity] -= 1


@paste
def bump(store: Any, entity: int, key: int, value: float) -> None:
    """Add to one sum; a sum that becomes zero leaves the table."""
    keys, values, base, order = store.keys, store.values, store.base, store.order
    used, free = store.used, store.pool.free
    if order[entity] < 0:
        block = free[SMALLEST]
        if block >= 0:
            free[SMALLEST] = keys[block]
        else:
            block = store.pool.top[0]
            store.pool.top[0] += 1 << SMALLEST
        keys[block : block + (1 << SMALLEST)] = -1
        order[entity], base[entity], used[entity] = SMALLEST, block, 0
    mask = (1 << order[entity]) - 1
    at = key & mask
    while keys[base[entity] + at] != key and keys[base[entity] + at] != -1:
        at = (at + 1) & mask
    cell = base[entity] + at
    if keys[cell] != key:
        keys[cell] = key
        values[cell] = value
        used[entity] += 1
        if 2 * used[entity] > mask + 1:
            rehash(store, entity, order[entity] + 1)
        return
    values[cell] += value
    if values[cell] == 0.0:
        discard(store, entity, at)
        if used[entity] == 0:
            keys[base[entity]] = free[order[entity]]
            free[order[entity]] = base[entity]
            order[entity] = -1
        elif order[entity] > SMALLEST and 8 * used[entity] <= mask + 1:
            rehash(store, entity, order[entity] - 1)


@fuse
def aggregated_sparse(
    rng: Rng,
    state: Partition,
    guide: Canopies,
    table: Any,
    weights: Floats,
    temperature: float,
    steps: int,
) -> tuple[float, int]:
    """Pairs scored from the sums of whole entities, kept as hash tables."""
    total, accepted = 0.0, 0
    entity, size, ids, live = state.entity, state.size, state.ids, state.live
    seat, canopy, first, window = guide.order, guide.canopy, guide.start, guide.window
    bags, feature, store = table.bags, table.feature, table.bags.store
    row, key, value, group = bags.start, bags.key, bags.value, bags.group
    own, mass, acc = bags.own, bags.mass, bags.acc
    keys, values, base, order = store.keys, store.values, store.base, store.order
    for _ in range(steps):
        if state.pool.top[0] + RESERVE * entity.size > state.members.size:
            break
        if store.pool.top[0] + (64 << store.widest[0]) > keys.size:
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
                cell = key[q] & mask
                while keys[block + cell] != key[q]:
                    cell = (cell + 1) & mask
                acc[group[key[q]]] += value[q] * (values[block + cell] - value[q])
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
                    cell = key[q] & mask
                    while keys[block + cell] != key[q] and keys[block + cell] != -1:
                        cell = (cell + 1) & mask
                    if keys[block + cell] == key[q]:
                        acc[group[key[q]]] += value[q] * values[block + cell]
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
                keys[base[source]] = store.pool.free[order[source]]
                store.pool.free[order[source]] = base[source]
                order[source], store.used[source] = -1, 0
            for g in range(mass.shape[1]):
                mass[source, g] -= own[i, g]
                mass[target, g] += own[i, g]
            total += score
            accepted += 1
    return total, accepted
