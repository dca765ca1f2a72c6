"""Pool: blocks of 1, 2, 4, ... cells of one array, for lists that grow without allocation.

A released block goes to a free list of its size (its first cell holds the link), so the allocated
cells are at most the largest number of blocks of each size in use at once. `room` is checked at the
start of a step, before any draw: if the pool is too small, the shell enlarges the array and the
same step runs, so results do not depend on capacities.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel.arrays import Ints
from partita.kernel.numba.compile import kernel

__all__ = ["Pool", "enlarge", "new_pool", "order_for", "release", "take"]

MAX_ORDERS = 48
"""Number of block sizes: 2**47 cells exceed any memory."""


class Pool(NamedTuple):
    """The bookkeeping of one pool; the owner holds the cells in an array."""

    free: Ints
    """First free block of each order, or -1."""
    top: Ints
    """One cell: the number of allocated cells."""


def new_pool() -> Pool:
    """Create an empty pool."""
    return Pool(np.full(MAX_ORDERS, -1, np.int64), np.zeros(1, np.int64))


def enlarge(cells: NDArray[Any], size: int) -> NDArray[Any]:
    """Copy the cells to a longer array; untouched pages use no memory."""
    longer = np.empty(max(size, cells.size), cells.dtype)
    longer[: cells.size] = cells
    return longer


@kernel
def order_for(count: int) -> int:
    """Return the smallest order whose block holds `count` cells."""
    order = 0
    while (1 << order) < count:
        order += 1
    return order


@kernel
def take(pool: Pool, cells: Ints, order: int) -> int:
    """Allocate a block of 2**order cells and return its start."""
    head = pool.free[order]
    if head >= 0:
        pool.free[order] = cells[head]
        return head
    start = pool.top[0]
    pool.top[0] = start + (1 << order)
    return start


@kernel
def release(pool: Pool, cells: Ints, start: int, order: int) -> None:
    """Release a block."""
    cells[start] = pool.free[order]
    pool.free[order] = start
