"""Where the sums of entities are kept: dense rows, or one hash table per entity in a pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, Pool, enlarged, kernel, new_pool, release, take

__all__ = ["DENSE", "SPARSE", "Store"]

SMALLEST = 2
"""Order of the smallest hash table: four cells."""


class Dense(NamedTuple):
    """One row of sums per entity."""

    sums: Floats


class Hashed(NamedTuple):
    """One hash table per entity, in blocks of a pool."""

    keys: Ints
    values: Floats
    pool: Pool
    base: Ints
    order: Ints
    used: Ints
    widest: Ints

    @property
    def pooled(self) -> tuple[str, ...]:
        """The arrays whose cells are cut from the pool."""
        return ("keys", "values")


@dataclass(frozen=True)
class Store:
    """How sums are kept: kernels to read, change, list and empty the sum of one entity."""

    value: Any
    bump: Any
    length: Any
    at: Any
    empty: Any
    room: Any
    new: Callable[[int, int, Ints], Any]
    grow: Callable[[Any], Any]


@kernel
def dense_value(store: Dense, entity: int, key: int) -> float:
    """The sum at a key."""
    return store.sums[entity, key]


@kernel
def dense_bump(store: Dense, entity: int, key: int, value: float) -> None:
    """Add to the sum at a key."""
    store.sums[entity, key] += value


@kernel
def dense_length(store: Dense, entity: int) -> int:
    """How many cells there are to list."""
    return store.sums.shape[1]


@kernel
def dense_at(store: Dense, entity: int, k: int) -> tuple[int, float]:
    """Key and sum of the k-th cell."""
    return k, store.sums[entity, k]


@kernel
def dense_empty(store: Dense, entity: int) -> None:
    """Forget the sum."""
    for k in range(store.sums.shape[1]):
        store.sums[entity, k] = 0.0


@kernel
def dense_room(store: Dense) -> bool:
    """Dense rows never overflow."""
    return True


@kernel
def find(store: Hashed, base: int, mask: int, key: int) -> int:
    """Where a key stands, or the empty cell where it would."""
    at = key & mask
    while store.keys[base + at] != key and store.keys[base + at] != -1:
        at = (at + 1) & mask
    return base + at


@kernel
def hashed_value(store: Hashed, entity: int, key: int) -> float:
    """The sum at a key."""
    order = store.order[entity]
    if order < 0:
        return 0.0
    at = find(store, store.base[entity], (1 << order) - 1, key)
    return store.values[at] if store.keys[at] == key else 0.0


@kernel
def cut(store: Hashed, order: int) -> int:
    """A block of empty cells."""
    base = take(store.pool, store.keys, order)
    for k in range(1 << order):
        store.keys[base + k] = -1
    store.widest[0] = max(store.widest[0], order)
    return base


@kernel(inline=False)
def rehash(store: Hashed, entity: int, order: int) -> None:
    """Move an entity's table to a block of another order."""
    old, length = store.base[entity], 1 << store.order[entity]
    base = cut(store, order)
    for k in range(length):
        key = store.keys[old + k]
        if key >= 0:
            at = find(store, base, (1 << order) - 1, key)
            store.keys[at] = key
            store.values[at] = store.values[old + k]
    release(store.pool, store.keys, old, store.order[entity])
    store.base[entity] = base
    store.order[entity] = order


@kernel(inline=False)
def discard(store: Hashed, entity: int, at: int) -> None:
    """Remove a cell and close the gap, so that no probe sequence is broken."""
    base, mask = store.base[entity], (1 << store.order[entity]) - 1
    gap, probe = at - base, (at - base + 1) & mask
    while store.keys[base + probe] != -1:
        home = store.keys[base + probe] & mask
        if ((probe - home) & mask) >= ((probe - gap) & mask):
            store.keys[base + gap] = store.keys[base + probe]
            store.values[base + gap] = store.values[base + probe]
            gap = probe
        probe = (probe + 1) & mask
    store.keys[base + gap] = -1
    store.used[entity] -= 1


@kernel
def hashed_empty(store: Hashed, entity: int) -> None:
    """Forget the sum and give its block back."""
    if store.order[entity] >= 0:
        release(store.pool, store.keys, store.base[entity], store.order[entity])
        store.order[entity] = -1
        store.used[entity] = 0


@kernel
def hashed_bump(store: Hashed, entity: int, key: int, value: float) -> None:
    """Add to the sum at a key; a sum of exactly zero is dropped."""
    if store.order[entity] < 0:
        store.order[entity] = SMALLEST
        store.base[entity] = cut(store, SMALLEST)
        store.used[entity] = 0
    at = find(store, store.base[entity], (1 << store.order[entity]) - 1, key)
    if store.keys[at] == key:
        store.values[at] += value
        if store.values[at] == 0.0:
            discard(store, entity, at)
            if store.used[entity] == 0:
                hashed_empty(store, entity)
            elif (
                store.order[entity] > SMALLEST
                and 8 * store.used[entity] <= 1 << store.order[entity]
            ):
                rehash(store, entity, store.order[entity] - 1)
        return
    store.keys[at] = key
    store.values[at] = value
    store.used[entity] += 1
    if 2 * store.used[entity] > 1 << store.order[entity]:
        rehash(store, entity, store.order[entity] + 1)


@kernel
def hashed_length(store: Hashed, entity: int) -> int:
    """How many cells there are to list."""
    order = store.order[entity]
    return 1 << order if order >= 0 else 0


@kernel
def hashed_at(store: Hashed, entity: int, k: int) -> tuple[int, float]:
    """Key and sum of the k-th cell; an empty cell has sum 0."""
    at = store.base[entity] + k
    key = store.keys[at]
    if key < 0:
        return 0, 0.0
    return key, store.values[at]


@kernel
def hashed_room(store: Hashed) -> bool:
    """Whether the pool holds what one step may cut: some tables as wide as the widest to come."""
    return store.pool.top[0] + (64 << store.widest[0]) <= store.keys.size


def new_dense(n: int, keys: int, lengths: Ints) -> Dense:
    """Zero sums for n entities and scratch."""
    return Dense(np.zeros((n + 1, keys)))


def new_hashed(n: int, keys: int, lengths: Ints) -> Hashed:
    """Empty tables for n entities and scratch."""
    widest = int(np.ceil(np.log2(2.0 * max(int(lengths.max(initial=1)), 4)))) + 1
    cells = int(8 * lengths.sum()) + (128 << widest)
    return Hashed(
        np.empty(cells, np.int64),
        np.empty(cells, np.float64),
        new_pool(),
        np.zeros(n + 1, np.int64),
        np.full(n + 1, -1, np.int64),
        np.zeros(n + 1, np.int64),
        np.array([widest]),
    )


def grow_hashed(store: Hashed) -> Hashed:
    """The same tables in a pool at least twice as long."""
    size = 2 * store.keys.size + (128 << int(store.widest[0]))
    return store._replace(keys=enlarged(store.keys, size), values=enlarged(store.values, size))


DENSE = Store(
    dense_value,
    dense_bump,
    dense_length,
    dense_at,
    dense_empty,
    dense_room,
    new_dense,
    lambda store: store,
)
SPARSE = Store(
    hashed_value,
    hashed_bump,
    hashed_length,
    hashed_at,
    hashed_empty,
    hashed_room,
    new_hashed,
    grow_hashed,
)
