"""Preparation of records: the columns in use, and identical records collapsed into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from partita.blocking.candidates import collapse, select_telling
from partita.comparison import Comparison
from partita.data import Column, Records
from partita.data.row_order import hash_rows
from partita.kernel import Ints
from partita.lazy import alias_attributes
from partita.linkage.columns import RAW_TYPES, compare_column, select_rows
from partita.linkage.entity.swapped_names import SwappedNames, correct_swapped_names
from partita.linkage.numbering import DistinctIds, Numbering, RowIds
from partita.linkage.settings import Settings
from partita.linkage.task import exclusive_sources

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Distinct records with their columns."""

    numbering: Numbering[RowIds, DistinctIds]
    columns: list[Column]
    """All columns that blocking uses, of distinct records."""
    compared: list[Column]
    """The columns that are compared, of distinct records."""
    column_types: list[str]
    """The type of each compared column."""
    comparisons: list[Comparison]
    """The comparison of each compared column."""
    weights: list[float]
    """By how much the evidence of each compared column counts, in (0, 1]."""
    source: Ints | None
    """The source of each distinct record; None where sources have no effect."""
    swapped: list[SwappedNames]
    """Pairs of name columns with swapped values in some distinct records."""
    source_names: tuple[str, ...] = ()
    """The names of the sources."""
    exclusive: Ints | None = None
    """The source of each distinct record of which an entity has one record at most, or -1."""

    if not TYPE_CHECKING:
        __getattr__ = alias_attributes({"kinds": "column_types"})

    @property
    def notes(self) -> list[str]:
        """Corrections that preparation made."""
        notes = []
        for swap in self.swapped:
            count = int(self.numbering.expand(swap.rows).sum())
            records = "1 record, which is" if count == 1 else f"{count:,} records, which are"
            notes.append(
                f"{swap.left} and {swap.right} are swapped in {records} compared in the "
                "corrected order"
            )
        return notes

    @property
    def n(self) -> int:
        """The number of distinct records."""
        return len(self.numbering)

    def compare_as(self, records: Records, settings: Settings) -> Prepared:
        """The same distinct records with the compared columns of other settings."""
        columns = {column.name: column for column in self.columns}
        compared = [
            (part, settings.columns[name].weight or 1.0)
            for name in columns
            if settings.columns[name].role == "compare"
            for part in compare_column(
                records, name, settings.columns, columns, self.numbering.wide
            )
        ]
        return replace(
            self,
            compared=[column for (column, _, _), _ in compared],
            column_types=[column_type for (_, column_type, _), _ in compared],
            comparisons=[comparison for (_, _, comparison), _ in compared],
            weights=[weight for _, weight in compared],
        )

    def are_possible(self, pairs: NDArray[np.signedinteger]) -> NDArray[np.bool_]:
        """Mark the pairs that can be one entity, as far as their sources allow."""
        if self.exclusive is None:
            return np.ones(len(pairs), bool)
        left, right = self.exclusive[pairs[:, 0]], self.exclusive[pairs[:, 1]]
        return (left != right) | (left < 0)


def prepare(
    records: Records,
    settings: Settings,
    apart: RowIds | None = None,
    *,
    has_names_in_order: bool = False,
    keeps_rows_in_order: bool = False,
) -> Prepared:
    """Collapse identical records and select the columns; records `apart` are never collapsed.

    Two records are identical if they agree in all columns whose evidence counts.

    Records whose names are in order already are not searched for swapped names. Distinct records
    are numbered by content, so that the order of the rows has no effect, or in that order.
    """
    used = {name: column for name, column in settings.columns.items() if column.role != "ignore"}
    columns = {
        name: records.column(name, cleaned=column.type not in RAW_TYPES)
        for name, column in used.items()
    }
    exclusive = exclusive_sources(records, settings)
    same = _group_copies(records, columns, settings)
    rows = np.empty(0, np.int64) if apart is None else apart
    if rows.size:
        same = same.copy()
        same[rows] = records.n + rows
    order = np.arange(records.n) if keeps_rows_in_order else _order_rows(records, columns)
    numbering: Numbering[RowIds, DistinctIds] = Numbering.by_key(same, order)
    of_distinct = {name: select_rows(column, numbering.wide) for name, column in columns.items()}
    swapped: list[SwappedNames] = []
    if not has_names_in_order:
        of_distinct, swapped = correct_swapped_names(
            of_distinct, {name: column.type or "" for name, column in used.items()}
        )
    source = None
    if records.sources is not None and settings.mode != "dedupe":
        source = numbering.select(records.sources).astype(np.int64)
    return Prepared(
        numbering,
        list(of_distinct.values()),
        [],
        [],
        [],
        [],
        source,
        swapped,
        tuple(records.source_names),
        None if exclusive is None else numbering.select(exclusive),
    ).compare_as(records, settings)


def _group_copies(records: Records, columns: Mapping[str, Column], settings: Settings) -> Ints:
    """For each record the first one that is identical to it and has the same role in the task."""
    weights = {name: settings.columns[name].weight or 1.0 for name in columns}
    same = collapse(select_telling(columns, weights))
    if records.sources is None or settings.mode == "dedupe":
        return same
    compared = [name for name in columns if settings.columns[name].role == "compare"]
    if len(compared) > 1 or settings.one_to_one:
        # identical records are candidates: how often a source repeats is inferred
        return np.arange(records.n)
    # nothing but its text describes a record of a list, and links cannot tell its copies apart
    keys = same * len(records.source_names) + records.sources
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return np.asarray(first[group.reshape(-1)])


def _order_rows(records: Records, columns: Mapping[str, Column]) -> Ints:
    """Order the rows by the columns in use; equal rows by all columns."""
    keys = hash_rows((column.codes for column in columns.values()), records.n)
    return records.order[np.argsort(keys[records.order], kind="stable")]
