"""Histograms of a pairwise comparison within each entity, updated by every move.

A block R that moves from E to T removes the comparisons of R with E - R from one histogram and adds
those of R with T to the other; comparisons within R move with it. A merge scans no pair within an
entity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from partita.factors.predicates.rules import Kept, add_value, build_kernels, new_rows
from partita.kernel import Floats, Ints, entry, kernel
from partita.states import Partition, Regroup
from partita.states.partition import in_block, leaver, member

__all__ = ["Compared", "Listed", "compile_computed", "listed_kernels", "prepare"]


class Compared(NamedTuple):
    """The data of the comparison, and the histograms."""

    data: Any
    kept: Kept


class Listed(NamedTuple):
    """Both directions of every listed pair, and the value of all other pairs (NaN if unknown)."""

    start: Ints
    other: Ints
    value: Floats
    elsewhere: Floats


@kernel
def count_staying(state: Partition, move: Regroup) -> int:
    """Return the number of mentions that remain in the source, before or after the move."""
    size = state.size[move.source]
    if state.entity[leaver(state, move, 0)] == move.source:
        size -= move.many
    return size


@kernel
def count_target(state: Partition, move: Regroup) -> int:
    """Return the number of mentions of the target outside the block."""
    size = state.size[move.target]
    if state.entity[leaver(state, move, 0)] == move.target:
        size -= move.many
    return size


@kernel
def begin_rows(kept: Kept, state: Partition, move: Regroup) -> None:
    """Copy the rows of both entities to scratch; for a merge, copy the source as the block."""
    n = state.size.size
    whole = count_staying(state, move) == 0
    for k in range(kept.row.shape[1]):
        kept.row[n, k] = kept.row[move.source, k]
        kept.row[n + 1, k] = kept.row[move.target, k]
        kept.row[n + 2, k] = kept.row[move.source, k] if whole else 0.0


@kernel
def move_block_pairs(kept: Kept, state: Partition) -> None:
    """Move the pairs within the block from one entity to the other."""
    n = state.size.size
    for k in range(kept.row.shape[1]):
        kept.row[n, k] -= kept.row[n + 2, k]
        kept.row[n + 1, k] += kept.row[n + 2, k]


@cache
def compile_computed(compare: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Compile emit, commit and fill for a comparison `compare(data, i, j)` of any two mentions."""
    # multiply by 1.0: Numba's float() does not accept a boolean
    score = kernel(compare)

    @kernel(inline=False)
    def after(table: Compared, state: Partition, move: Regroup) -> None:
        kept, n = table.kept, state.size.size
        begin_rows(kept, state, move)
        stay = count_staying(state, move)
        for k in range(move.many):
            i = leaver(state, move, k)
            if stay > 0:
                for m in range(state.size[move.source]):
                    j = member(state, move.source, m)
                    if not in_block(state, move, j):
                        add_value(kept, n, 1.0 * score(table.data, i, j), -1.0)
                for m in range(k):
                    j = leaver(state, move, m)
                    add_value(kept, n + 2, 1.0 * score(table.data, i, j), 1.0)
            for m in range(state.size[move.target]):
                j = member(state, move.target, m)
                if not in_block(state, move, j):
                    add_value(kept, n + 1, 1.0 * score(table.data, i, j), 1.0)
        move_block_pairs(kept, state)

    @entry
    def fill(table: Compared, state: Partition) -> None:
        for i in range(state.entity.size):
            entity = state.entity[i]
            for m in range(state.slot[i]):
                j = member(state, entity, m)
                add_value(table.kept, entity, 1.0 * score(table.data, i, j), 1.0)

    return *build_kernels(after), fill


@kernel
def add_unlisted(table: Compared, row: int, pairs: float) -> None:
    """Add a number of unlisted pairs."""
    add_value(table.kept, row, table.data.elsewhere[0], pairs)


@kernel
def note_listed(table: Compared, row: int, q: int, times: float) -> None:
    """Replace an unlisted pair by a listed one."""
    add_value(table.kept, row, table.data.elsewhere[0], -times)
    add_value(table.kept, row, table.data.value[q], times)


@kernel(inline=False)
def after_listed(table: Compared, state: Partition, move: Regroup) -> None:
    """Compute both entities after a move from the listed pairs of the moved mentions."""
    kept, n, data = table.kept, state.size.size, table.data
    begin_rows(kept, state, move)
    stay, many = count_staying(state, move), float(move.many)
    add_unlisted(table, n, -many * stay)
    add_unlisted(table, n + 1, many * count_target(state, move))
    if stay > 0:
        add_unlisted(table, n + 2, 0.5 * many * (many - 1.0))
    for k in range(move.many):
        i = leaver(state, move, k)
        for q in range(data.start[i], data.start[i + 1]):
            j = data.other[q]
            if in_block(state, move, j):
                if i < j and stay > 0:
                    note_listed(table, n + 2, q, 1.0)
            elif state.entity[j] == move.source:
                note_listed(table, n, q, -1.0)
            elif state.entity[j] == move.target:
                note_listed(table, n + 1, q, 1.0)
    move_block_pairs(kept, state)


@entry
def fill_listed(table: Compared, state: Partition) -> None:
    """Compute the histograms of a whole partition from listed pairs."""
    for k in range(state.live[0]):
        size = float(state.size[state.ids[k]])
        add_unlisted(table, state.ids[k], 0.5 * size * (size - 1.0))
    for i in range(state.entity.size):
        for q in range(table.data.start[i], table.data.start[i + 1]):
            j = table.data.other[q]
            if i < j and state.entity[i] == state.entity[j]:
                note_listed(table, state.entity[i], q, 1.0)


def listed_kernels() -> tuple[Any, Any, Any]:
    """Return the kernels emit, commit and fill for listed pairs."""
    return *build_kernels(after_listed), fill_listed


def prepare(fill: Any) -> Callable[[Compared, Partition], Compared]:
    """Build the histograms of one chain."""

    def prepared(table: Compared, state: Partition) -> Compared:
        own = table._replace(kept=new_rows(table.kept, state.entity.size))
        fill(own, state)
        return own

    return prepared
