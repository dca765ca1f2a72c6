"""Distinct values of each entity and field with their counts, which `commit` maintains.

One row per entity and field. A row with one distinct value is stored in its head alone; one with
more has a block of a pool, sorted by value. Only whole numbers (and a largest frequency) are
updated by moves; scores are recomputed from them when next needed, so rounding does not accumulate
and nothing depends on the order of moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, Pool, enlarge, kernel, new_pool, release, take

__all__ = [
    "COUNT",
    "DISTINCT",
    "FRESH",
    "MOST_LATENT",
    "PLACE",
    "STALE",
    "STATUS",
    "UNKNOWN",
    "Shown",
    "add",
    "clone",
    "drop",
    "find",
    "grow_shown",
    "new_shown",
    "shown_room",
    "subtract",
]

MOST_LATENT = 8
"""Latent values considered for one field of one entity."""

COUNT, DISTINCT, PLACE, STATUS = range(4)
"""Of a row: records that show the field, distinct values, the value or the block, how fresh."""

FRESH, STALE, UNKNOWN = range(3)
"""Shares are those of the counts; are to be computed; and the largest frequencies too."""


class Shown(NamedTuple):
    """Rows of distinct values; the last, of three entities more than there are, are scratch."""

    head: Ints
    level: Floats
    """The frequency of the only value, or the log score of all latent values together."""
    order: Ints
    """Order of a row's block."""
    cells: Ints
    """By distinct value: the value and how many records show it."""
    parts: Floats
    """By distinct value: its frequency, and its share as latent value (negative: it is none)."""
    pool: Pool
    widest: Ints
    latent: Ints
    score: Floats

    @property
    def pooled(self) -> tuple[str, ...]:
        """The arrays whose cells are cut from the pool."""
        return ("cells", "parts")


@kernel
def find(shown: Shown, start: int, distinct: int, value: int) -> int:
    """Number of the first distinct value that is not below `value`."""
    low, high = 0, distinct
    while low < high:
        middle = (low + high) >> 1
        if shown.cells[start + 2 * middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def shift(shown: Shown, old: int, new: int, first: int, last: int, by: int) -> None:
    """Copy the distinct values first..last-1 of a block to `by` places further in another."""
    for k in range(2 * first, 2 * last):
        at = 2 * first + 2 * last - 1 - k if by > 0 else k
        shown.cells[new + at + 2 * by] = shown.cells[old + at]
        shown.parts[new + at + 2 * by] = shown.parts[old + at]


@kernel
def put(shown: Shown, at: int, value: int, count: int, frequency: float) -> None:
    """Write one distinct value."""
    shown.cells[at] = value
    shown.cells[at + 1] = count
    shown.parts[at] = frequency
    shown.parts[at + 1] = -1.0


@kernel
def cut(shown: Shown, row: int, order: int) -> int:
    """Give a row a block for 2**order distinct values."""
    start = take(shown.pool, shown.cells, order + 1)
    shown.head[row, PLACE] = start
    shown.order[row] = order
    shown.widest[0] = max(shown.widest[0], order)
    return start


@kernel(inline=False)
def move_block(shown: Shown, row: int, order: int) -> None:
    """Move a row to a block of another order."""
    old, before = shown.head[row, PLACE], shown.order[row]
    new = cut(shown, row, order)
    shift(shown, old, new, 0, shown.head[row, DISTINCT], 0)
    release(shown.pool, shown.cells, old, before + 1)


@kernel
def add_many(shown: Shown, row: int, value: int, frequency: float) -> None:
    """One more record with a value, in a row with a block, or that needs one now."""
    head = shown.head[row]
    if head[DISTINCT] == 1:
        other, many = head[PLACE], head[COUNT] - 1
        put(shown, cut(shown, row, 1), other, many, shown.level[row])
    start, distinct = head[PLACE], head[DISTINCT]
    at = find(shown, start, distinct, value)
    if at < distinct and shown.cells[start + 2 * at] == value:
        shown.cells[start + 2 * at + 1] += 1
        shown.parts[start + 2 * at] = max(shown.parts[start + 2 * at], frequency)
        return
    if distinct == 1 << shown.order[row]:
        move_block(shown, row, shown.order[row] + 1)
        start = head[PLACE]
    shift(shown, start, start, at, distinct, 1)
    put(shown, start + 2 * at, value, 1, frequency)
    head[DISTINCT] = distinct + 1


@kernel(inline=False)
def add(shown: Shown, row: int, value: int, frequency: float) -> None:
    """One more record with a value."""
    head = shown.head[row]
    head[COUNT] += 1
    head[STATUS] = max(head[STATUS], STALE)
    if head[COUNT] == 1:
        head[DISTINCT] = 1
        head[PLACE] = value
        head[STATUS] = STALE
        shown.level[row] = frequency
    elif head[DISTINCT] == 1 and head[PLACE] == value:
        shown.level[row] = max(shown.level[row], frequency)
    else:
        add_many(shown, row, value, frequency)


@kernel
def subtract_many(shown: Shown, row: int, value: int) -> None:
    """One record less with a value, in a row with a block."""
    head = shown.head[row]
    start, distinct = head[PLACE], head[DISTINCT]
    at = find(shown, start, distinct, value)
    shown.cells[start + 2 * at + 1] -= 1
    if shown.cells[start + 2 * at + 1] > 0:
        return
    shift(shown, start, start, at + 1, distinct, -1)
    head[DISTINCT] = distinct - 1
    if distinct == 2:
        shown.level[row] = shown.parts[start]
        head[PLACE] = shown.cells[start]
        release(shown.pool, shown.cells, start, shown.order[row] + 1)
    elif 4 * (distinct - 1) <= 1 << shown.order[row]:
        move_block(shown, row, shown.order[row] - 1)


@kernel(inline=False)
def subtract(shown: Shown, row: int, value: int, doubt: bool) -> None:
    """One record less with a value; with `doubt`, largest frequencies may have changed."""
    head = shown.head[row]
    head[COUNT] -= 1
    head[STATUS] = UNKNOWN if doubt else max(head[STATUS], STALE)
    if head[DISTINCT] > 1:
        subtract_many(shown, row, value)
    elif head[COUNT] == 0:
        head[DISTINCT] = 0


@kernel
def drop(shown: Shown, row: int) -> None:
    """Empty a row."""
    head = shown.head[row]
    if head[DISTINCT] > 1:
        release(shown.pool, shown.cells, head[PLACE], shown.order[row] + 1)
    head[COUNT] = 0
    head[DISTINCT] = 0


@kernel
def clone(shown: Shown, row: int, onto: int) -> None:
    """Make an empty row equal to another."""
    for k in range(4):
        shown.head[onto, k] = shown.head[row, k]
    shown.level[onto] = shown.level[row]
    if shown.head[row, DISTINCT] > 1:
        start = cut(shown, onto, shown.order[row])
        shift(shown, shown.head[row, PLACE], start, 0, shown.head[row, DISTINCT], 0)


@kernel
def shown_room(shown: Shown, fields: int) -> bool:
    """Whether the pool holds the blocks of one step: a few of every order in each field."""
    return shown.pool.top[0] + ((32 * fields) << (shown.widest[0] + 1)) <= shown.cells.size


def new_shown(n: int, fields: int) -> Shown:
    """Empty rows for n entities and scratch."""
    rows, size = (n + 3) * fields, 4 * n * fields + 1024 * fields
    return Shown(
        head=np.zeros((rows, 4), np.int64),
        level=np.zeros(rows),
        order=np.zeros(rows, np.int64),
        cells=np.empty(size, np.int64),
        parts=np.empty(size),
        pool=new_pool(),
        widest=np.ones(1, np.int64),
        latent=np.zeros(MOST_LATENT, np.int64),
        score=np.zeros(MOST_LATENT),
    )


def grow_shown(shown: Shown, fields: int) -> Shown:
    """The same rows in a pool at least twice as long."""
    size = 2 * shown.cells.size + ((64 * fields) << (int(shown.widest[0]) + 1))
    return shown._replace(cells=enlarge(shown.cells, size), parts=enlarge(shown.parts, size))
