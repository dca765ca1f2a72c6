"""Sums of the members' feature vectors, one per entity, updated by `commit`.

A mention is a sparse vector x_i over keys (column=value, or a token of a bag); the score of an
entity depends only on S_e = sum x_i. Two stores hold the sums: dense rows, or one open-addressed
hash table per entity in a pool. Values are rounded to a grid of 2**-24 of the largest, so sums in
float64 are exact: adding and removing a mention restores the sum bit for bit, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.factors.stores import Store
from partita.factors.template import Cache, Template, finite
from partita.kernel import Floats, Ints, entry, kernel
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver

__all__ = ["Bags", "Sums", "add_sums", "check_rows", "encode", "prepare_sums", "sum_kernels"]

GRID = 2.0**24
"""Steps between 0 and the largest value: 2**29 values still sum exactly in float64."""


class Bags(NamedTuple):
    """Mention vectors by row, and the sums of each entity (the last row is scratch)."""

    start: Ints
    key: Ints
    value: Floats
    group: Ints
    """Group of each key."""
    own: Floats
    """Mass of each mention in each group: 1 if present, or its number of tokens."""
    mass: Floats
    """Mass of each entity in each group."""
    acc: Floats
    """Scratch: a sum, then a product of each group."""
    store: Any


class Sums(NamedTuple):
    """Kernels over one store: add a mention's vector, gather a block in scratch, and commit."""

    gather: Any
    drop: Any
    commit: Any
    room: Any
    fill: Any


def sum_kernels(store: Store) -> Sums:
    """Compile the kernels that update the sums of a store."""
    bump, empty, length = store.bump, store.empty, store.length
    at, store_room = store.at, store.room

    @kernel
    def add_row(table: Bags, entity: int, mention: int, sign: float) -> None:
        for q in range(table.start[mention], table.start[mention + 1]):
            bump(table.store, entity, table.key[q], sign * table.value[q])
        for g in range(table.mass.shape[1]):
            table.mass[entity, g] += sign * table.own[mention, g]

    @kernel
    def drop(table: Bags, entity: int) -> None:
        empty(table.store, entity)
        for g in range(table.mass.shape[1]):
            table.mass[entity, g] = 0.0

    @kernel(inline=False)
    def gather(table: Bags, state: Partition, move: Regroup) -> int:
        """Sum the moved block: the entity's own row if all members move, else a scratch row."""
        if move.many == state.size[move.source]:
            return move.source
        scratch = state.size.size
        for k in range(move.many):
            add_row(table, scratch, leaver(state, move, k), 1.0)
        return scratch

    @kernel
    def commit(table: Bags, state: Partition, move: Regroup) -> None:
        if state.size[move.source] == 0:
            if move.many == 1:
                add_row(table, move.target, move.mention, 1.0)
                drop(table, move.source)
                return
            for k in range(length(table.store, move.source)):
                key, value = at(table.store, move.source, k)
                if value != 0.0:
                    bump(table.store, move.target, key, value)
            for g in range(table.mass.shape[1]):
                table.mass[move.target, g] += table.mass[move.source, g]
            drop(table, move.source)
            return
        for k in range(move.many):
            mention = leaver(state, move, k)
            add_row(table, move.source, mention, -1.0)
            add_row(table, move.target, mention, 1.0)

    @kernel
    def room(table: Bags) -> bool:
        return store_room(table.store)

    @entry
    def fill(table: Bags, entity: Ints, first: int) -> int:
        for i in range(first, entity.size):
            if not store_room(table.store):
                return i
            add_row(table, entity[i], i, 1.0)
        return entity.size

    return Sums(gather, drop, commit, room, fill)


def prepare_sums(store: Store, sums: Sums, table: Bags, state: Partition) -> Bags:
    """Build a table with the sums of the entities of one chain's start state."""
    n = state.entity.size
    own = table._replace(
        mass=np.zeros((n + 1, table.own.shape[1])),
        acc=np.zeros(2 * table.own.shape[1]),
        store=store.new(n, table.group.size, np.diff(table.start)),
    )
    done = 0
    while done < n:
        done = sums.fill(own, state.entity, done)
        if done < n:
            own = own._replace(store=store.grow(own.store))
    return own


def add_sums(template: Template, store: Store, sums: Sums) -> Template:
    """Add per-chain sums, updated by every move, to a template over `table.bags`."""
    inner_commit, inner_room = sums.commit, sums.room

    @kernel
    def commit(table: Any, state: Partition, move: Regroup) -> None:
        inner_commit(table.bags, state, move)

    @kernel
    def room(table: Any) -> bool:
        return inner_room(table.bags)

    return replace(
        template,
        cache=Cache(
            commit=commit,
            prepare=lambda t, state: t._replace(bags=prepare_sums(store, sums, t.bags, state)),
            room=room,
            grow=lambda t: t._replace(bags=t.bags._replace(store=store.grow(t.bags.store))),
        ),
        check=fits(template.name, template.table.bags.start.size - 1),
    )


def encode(
    columns: Mapping[str, ArrayLike], bags: Mapping[str, Any], noun: str
) -> tuple[list[str], list[str], Bags]:
    """Encode columns of values and bags (matrices) as mention vectors; return the group names too.

    A negative number or NaN is missing in a column of numbers; None and "" in a column of strings.
    """
    parts: list[scipy.sparse.csr_array] = []
    owns: list[Floats] = []
    for name, values in columns.items():
        part = _one_hot(np.asarray(values), f"{noun}: column {name!r}")
        parts.append(part)
        owns.append(np.diff(part.indptr).astype(float))
    for name, values in bags.items():
        part = check_rows(values, f"{noun}: bag {name!r}")
        part.data = _on_grid(part.data)
        parts.append(part)
        owns.append(np.asarray(part.sum(1)).reshape(-1))
    if not parts:
        raise InputError(f"{noun} has no column and no bag; give at least one")
    lengths = {part.shape[0] for part in parts}
    if len(lengths) > 1:
        raise InputError(
            f"{noun}: columns and bags have lengths {sorted(lengths)}; give equal ones"
        )
    if lengths == {0}:
        raise InputError(f"{noun}: columns and bags have the length 0; give at least one mention")
    group = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    matrix = scipy.sparse.csr_array(scipy.sparse.hstack(parts, format="csr"))
    # drop values that the grid rounds to zero
    matrix.eliminate_zeros()
    matrix.sort_indices()
    table = Bags(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        np.asarray(matrix.data, float),
        group.astype(np.int64),
        np.ascontiguousarray(np.stack(owns, 1)),
        np.zeros((0, len(parts))),
        np.zeros(0),
        None,
    )
    return list(columns), list(bags), table


def check_rows(values: Any, noun: str) -> scipy.sparse.csr_array:
    """Check a matrix with one row per mention or variable; drop zeros and sum repeated cells."""
    rows = values if scipy.sparse.issparse(values) else finite(values, noun)
    if rows.ndim != 2:
        raise InputError(f"{noun} have shape {rows.shape}; give a matrix with one row each")
    matrix = scipy.sparse.csr_array(rows, dtype=float, copy=True)
    matrix.sum_duplicates()
    finite(matrix.data, noun)
    matrix.eliminate_zeros()
    return matrix


def _missing(value: Any) -> bool:
    try:
        return bool(value is None or value != value or value == "")
    except TypeError:
        # pandas.NA raises when it is compared
        return True


def _one_hot(values: NDArray[Any], noun: str) -> scipy.sparse.csr_array:
    if values.ndim != 1:
        raise InputError(f"{noun} has shape {values.shape}; give one value per mention")
    if values.dtype.kind in "fiub":
        present = ~np.isnan(values) & (values >= 0) if values.dtype.kind == "f" else values >= 0
    else:
        present = np.array([not _missing(value) for value in values], bool)
    rows = np.flatnonzero(present)
    if rows.size == 0:
        return scipy.sparse.csr_array((values.size, 1))
    codes = np.unique(values[rows].astype(str), return_inverse=True)[1].reshape(-1)
    ones = np.ones(rows.size)
    return scipy.sparse.csr_array((ones, (rows, codes)), shape=(values.size, int(codes.max()) + 1))


def _on_grid(values: NDArray[Any]) -> Floats:
    if values.size == 0:
        return np.zeros(0)
    unit = 2.0 ** np.ceil(np.log2(np.abs(values).max())) / GRID
    return np.round(values / unit) * unit
