"""Blocks of 1, 2, 4, ... cells cut from one array: lists that grow without allocating.

A freed block is kept in a list of its own size (the link stands in its first cell), so the cells
ever cut are at most the largest number of blocks of each size alive at once. `room` is asked at
the top of a step, before anything is drawn: when it says no, the shell enlarges the array and the
walk goes on as if nothing had happened.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel.arrays import Ints
from partita.kernel.numba.compile import kernel

__all__ = ["Pool", "enlarged", "new_pool", "order_for", "release", "take"]

ORDERS = 48


class Pool(NamedTuple):
    """The bookkeeping of one pool; the cells themselves are an array of the owner."""

    free: Ints
    """First free block of each order, or -1."""
    top: Ints
    """One cell: how many cells have been cut so far."""


def new_pool() -> Pool:
    """A pool from which nothing has been cut."""
    return Pool(np.full(ORDERS, -1, np.int64), np.zeros(1, np.int64))


def enlarged(cells: NDArray[Any], size: int) -> NDArray[Any]:
    """The same cells in a longer array; pages that are never touched cost no memory."""
    longer = np.empty(max(size, cells.size), cells.dtype)
    longer[: cells.size] = cells
    return longer


@kernel
def order_for(count: int) -> int:
    """The smallest order whose block holds `count` cells."""
    order = 0
    while (1 << order) < count:
        order += 1
    return order


@kernel
def take(pool: Pool, cells: Ints, order: int) -> int:
    """Where a block of 2**order cells begins."""
    head = pool.free[order]
    if head >= 0:
        pool.free[order] = cells[head]
        return head
    start = pool.top[0]
    pool.top[0] = start + (1 << order)
    return start


@kernel
def release(pool: Pool, cells: Ints, start: int, order: int) -> None:
    """Give a block back."""
    cells[start] = pool.free[order]
    pool.free[order] = start
