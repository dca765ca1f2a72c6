"""Histograms of the members' own values within each entity, and the number of distinct values.

Counts by value give the number of distinct values: a moved block removes a value from the source
if no other member has it, and adds a value to the target if no member has it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from partita.factors.agreement import DENSE_CELLS
from partita.factors.predicates.rules import Kept, add_value, build_kernels, new_rows
from partita.factors.stores import DENSE, SPARSE, Store
from partita.factors.template import Cache, Template
from partita.kernel import Floats, Ints, entry, kernel
from partita.states import Partition, Regroup
from partita.states.partition import leaver

__all__ = ["Valued", "store_for", "values_template"]


class Valued(NamedTuple):
    """The number of each mention (NaN: missing), the codes of its values, and the statistics."""

    value: Floats
    start: Ints
    code: Ints
    kept: Kept
    store: Any
    """How often each entity has each code; the last row is scratch."""


def store_for(n: int, codes: int) -> Store:
    """Choose dense rows for small tables and hash tables for large ones."""
    return DENSE if (n + 1) * codes <= DENSE_CELLS else SPARSE


@cache
def compile_kernels(store: Store) -> tuple[Any, Any, Any, Any]:
    """Compile emit, commit, room and fill over one store."""
    times, bump, store_room = store.value, store.bump, store.room

    @kernel
    def count_in(table: Valued, entity: int, i: int, sign: float) -> None:
        for q in range(table.start[i], table.start[i + 1]):
            bump(table.store, entity, table.code[q], sign)

    @kernel(inline=False)
    def after(table: Valued, state: Partition, move: Regroup) -> None:
        kept, n = table.kept, state.size.size
        kinds = kept.row.shape[1] - 1
        for k in range(kept.row.shape[1]):
            kept.row[n, k] = kept.row[move.source, k]
            kept.row[n + 1, k] = kept.row[move.target, k]
        for k in range(move.many):
            i = leaver(state, move, k)
            add_value(kept, n, table.value[i], -1.0)
            add_value(kept, n + 1, table.value[i], 1.0)
            for q in range(table.start[i], table.start[i + 1]):
                code = table.code[q]
                seen = times(table.store, n, code)
                if seen == 0.0 and times(table.store, move.target, code) == 0.0:
                    kept.row[n + 1, kinds] += 1.0
                if times(table.store, move.source, code) == seen + 1.0:
                    kept.row[n, kinds] -= 1.0
                if move.many > 1:
                    bump(table.store, n, code, 1.0)
        if move.many > 1:
            # mention by mention: a dense row is far longer than a block
            for k in range(move.many):
                count_in(table, n, leaver(state, move, k), -1.0)

    @kernel
    def keep(table: Valued, state: Partition, move: Regroup) -> None:
        for k in range(move.many):
            i = leaver(state, move, k)
            count_in(table, move.source, i, -1.0)
            count_in(table, move.target, i, 1.0)

    @kernel
    def room(table: Valued) -> bool:
        return store_room(table.store)

    @entry
    def fill(table: Valued, entity: Ints, first: int) -> int:
        row = table.kept.row
        for i in range(first, entity.size):
            if not store_room(table.store):
                return i
            e = entity[i]
            add_value(table.kept, e, table.value[i], 1.0)
            for q in range(table.start[i], table.start[i + 1]):
                if times(table.store, e, table.code[q]) == 0.0:
                    row[e, row.shape[1] - 1] += 1.0
            count_in(table, e, i, 1.0)
        return entity.size

    return *build_kernels(after, keep), room, fill


def values_template(base: Template, store: Store, codes: int) -> Template:
    """Build a template over `Valued`, with separate rows and counts for each chain."""
    emit, commit, room, fill = compile_kernels(store)

    def prepare(table: Valued, state: Partition) -> Valued:
        n = state.entity.size
        own = table._replace(
            kept=new_rows(table.kept, n), store=store.new(n, codes, np.diff(table.start))
        )
        done = 0
        while done < n:
            done = fill(own, state.entity, done)
            if done < n:
                own = own._replace(store=store.grow(own.store))
        return own

    def grow(table: Valued) -> Valued:
        return table._replace(store=store.grow(table.store))

    return replace(base, emit=emit, cache=Cache(prepare, commit, room, grow))
