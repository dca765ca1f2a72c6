"""Storage of the entities' sums: dense rows, or one hash table per entity in a pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, Pool, enlarge, kernel, new_pool, release, take

__all__ = ["DENSE", "SPARSE", "Store"]

MIN_ORDER = 2
"""Order of the smallest hash table: 2**2 = four cells."""
GOLDEN = 2654435769
"""2**32 divided by the golden ratio (Knuth's multiplicative hashing)."""


class Dense(NamedTuple):
    """One row of sums per entity."""

    sums: Floats


class Hashed(NamedTuple):
    """One hash table per entity, in blocks of a pool."""

    cells: Floats
    """A key and its sum in adjacent cells, so that one cache line holds both. A free key is -1."""
    pool: Pool
    base: Ints
    order: Ints
    """A table of 2**order pairs uses a block of the next order; -1 means no table."""
    used: Ints
    widest: Ints

    @property
    def pooled(self) -> tuple[str, ...]:
        """The arrays that are allocated from the pool."""
        return ("cells",)


@dataclass(frozen=True)
class Store:
    """Kernels that read, change, list and clear the sum of one entity."""

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
    """Return the sum at a key."""
    return store.sums[entity, key]


@kernel
def dense_bump(store: Dense, entity: int, key: int, value: float) -> None:
    """Add to the sum at a key."""
    store.sums[entity, key] += value


@kernel
def dense_length(store: Dense, entity: int) -> int:
    """Return the number of cells to list."""
    return store.sums.shape[1]


@kernel
def dense_at(store: Dense, entity: int, k: int) -> tuple[int, float]:
    """Return the key and sum of the k-th cell."""
    return k, store.sums[entity, k]


@kernel
def dense_empty(store: Dense, entity: int) -> None:
    """Set the sum to zero."""
    for k in range(store.sums.shape[1]):
        store.sums[entity, k] = 0.0


@kernel
def dense_room(store: Dense) -> bool:
    """Return True: dense rows never overflow."""
    return True


@kernel
def home(key: int, order: int) -> int:
    """Return the home position of a key in a table of that order (Fibonacci hashing).

    An entity has long runs of neighbouring keys. Stored in sequence, a run would form one block
    that every probe inside it must cross.
    """
    return ((key * GOLDEN) >> (32 - order)) & ((1 << order) - 1)


@kernel
def find(store: Hashed, base: int, order: int, key: int) -> int:
    """Return the position of a key, or the free position for it."""
    name, end = float(key), base + (2 << order)
    at = base + 2 * home(key, order)
    while store.cells[at] != name and store.cells[at] != -1.0:
        at += 2
        if at == end:
            at = base
    return at


@kernel
def hashed_value(store: Hashed, entity: int, key: int) -> float:
    """Return the sum at a key."""
    order = store.order[entity]
    if order < 0:
        return 0.0
    at = find(store, store.base[entity], order, key)
    return store.cells[at + 1] if store.cells[at] == key else 0.0


@kernel
def cut(store: Hashed, order: int) -> int:
    """Allocate a block of free cells."""
    base = take(store.pool, store.cells, order + 1)
    for k in range(1 << order):
        store.cells[base + 2 * k] = -1.0
    store.widest[0] = max(store.widest[0], order)
    return base


@kernel(inline=False)
def rehash(store: Hashed, entity: int, order: int) -> None:
    """Move an entity's table to a block of another order."""
    old, length = store.base[entity], 1 << store.order[entity]
    base = cut(store, order)
    for k in range(length):
        key = int(store.cells[old + 2 * k])
        if key >= 0:
            at = find(store, base, order, key)
            store.cells[at] = key
            store.cells[at + 1] = store.cells[old + 2 * k + 1]
    release(store.pool, store.cells, old, store.order[entity] + 1)
    store.base[entity] = base
    store.order[entity] = order


@kernel(inline=False)
def discard(store: Hashed, entity: int, at: int) -> None:
    """Remove a key and close the gap, so that no probe sequence is interrupted."""
    base, order, cells = store.base[entity], store.order[entity], store.cells
    gap, mask = (at - base) // 2, (1 << order) - 1
    probe = (gap + 1) & mask
    while cells[base + 2 * probe] != -1.0:
        first = home(int(cells[base + 2 * probe]), order)
        if ((probe - first) & mask) >= ((probe - gap) & mask):
            cells[base + 2 * gap] = cells[base + 2 * probe]
            cells[base + 2 * gap + 1] = cells[base + 2 * probe + 1]
            gap = probe
        probe = (probe + 1) & mask
    cells[base + 2 * gap] = -1.0
    store.used[entity] -= 1


@kernel
def hashed_empty(store: Hashed, entity: int) -> None:
    """Clear the sum and release its block."""
    if store.order[entity] >= 0:
        release(store.pool, store.cells, store.base[entity], store.order[entity] + 1)
        store.order[entity] = -1
        store.used[entity] = 0


@kernel
def hashed_bump(store: Hashed, entity: int, key: int, value: float) -> None:
    """Add to the sum at a key; remove the key if the sum is exactly zero."""
    if store.order[entity] < 0:
        store.order[entity] = MIN_ORDER
        store.base[entity] = cut(store, MIN_ORDER)
        store.used[entity] = 0
    at = find(store, store.base[entity], store.order[entity], key)
    if store.cells[at] == key:
        store.cells[at + 1] += value
        if store.cells[at + 1] == 0.0:
            discard(store, entity, at)
            if store.used[entity] == 0:
                hashed_empty(store, entity)
            elif (
                store.order[entity] > MIN_ORDER
                and 8 * store.used[entity] <= 1 << store.order[entity]
            ):
                rehash(store, entity, store.order[entity] - 1)
        return
    store.cells[at] = key
    store.cells[at + 1] = value
    store.used[entity] += 1
    if 2 * store.used[entity] > 1 << store.order[entity]:
        rehash(store, entity, store.order[entity] + 1)


@kernel
def hashed_length(store: Hashed, entity: int) -> int:
    """Return the number of cells to list."""
    order = store.order[entity]
    return 1 << order if order >= 0 else 0


@kernel
def hashed_at(store: Hashed, entity: int, k: int) -> tuple[int, float]:
    """Return the key and sum of the k-th cell; an empty cell has sum 0."""
    at = store.base[entity] + 2 * k
    key = int(store.cells[at])
    if key < 0:
        return 0, 0.0
    return key, store.cells[at + 1]


@kernel
def hashed_room(store: Hashed) -> bool:
    """Return whether the pool can hold the cells of one step, a few tables of the widest order."""
    return store.pool.top[0] + (128 << store.widest[0]) <= store.cells.size


def new_dense(n: int, keys: int, lengths: Ints) -> Dense:
    """Allocate zero sums for n entities and scratch."""
    return Dense(np.zeros((n + 1, keys)))


def new_hashed(n: int, keys: int, lengths: Ints) -> Hashed:
    """Allocate empty tables for n entities and scratch."""
    widest = int(np.ceil(np.log2(2.0 * max(int(lengths.max(initial=1)), 4)))) + 1
    cells = int(16 * lengths.sum()) + (256 << widest)
    return Hashed(
        np.empty(cells),
        new_pool(),
        np.zeros(n + 1, np.int64),
        np.full(n + 1, -1, np.int64),
        np.zeros(n + 1, np.int64),
        np.array([widest]),
    )


def grow_hashed(store: Hashed) -> Hashed:
    """Copy the tables to a pool at least twice as long."""
    size = 2 * store.cells.size + (256 << int(store.widest[0]))
    return store._replace(cells=enlarge(store.cells, size))


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
