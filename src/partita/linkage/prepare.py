"""Preparation of records: the columns in use, and identical records collapsed into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from partita.blocking.candidates import collapse
from partita.comparison import Comparison
from partita.data import Column, Records
from partita.kernel import Ints
from partita.lazy import alias_attributes
from partita.linkage.columns import RAW_TYPES, compared_column, select_rows
from partita.linkage.entity.swapped_names import SwappedNames, correct_swapped_names
from partita.linkage.numbering import DistinctIds, Numbering, RowIds
from partita.linkage.settings import Settings

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
    source: Ints | None
    """The source of each distinct record; None where sources have no effect."""
    swapped: list[SwappedNames]
    """Pairs of name columns with swapped values in some distinct records."""

    if not TYPE_CHECKING:
        __getattr__ = alias_attributes({"kinds": "column_types"})

    @property
    def notes(self) -> list[str]:
        """Corrections that preparation made."""
        notes = []
        for one in self.swapped:
            count = int(self.numbering.expand(one.rows).sum())
            records = "1 record, which is" if count == 1 else f"{count:,} records, which are"
            notes.append(
                f"{one.left} and {one.right} are swapped in {records} compared in the "
                "corrected order"
            )
        return notes

    @property
    def n(self) -> int:
        """The number of distinct records."""
        return len(self.numbering)


def prepare(
    records: Records,
    settings: Settings,
    apart: RowIds | None = None,
    *,
    has_names_in_order: bool = False,
) -> Prepared:
    """Collapse identical records and select the columns; records `apart` are never collapsed.

    Records whose names are in order already are not searched for swapped names.
    """
    used = {name: one for name, one in settings.columns.items() if one.role != "ignore"}
    columns = {
        name: records.column(name, cleaned=one.type not in RAW_TYPES) for name, one in used.items()
    }
    # link mode assumes sources without duplicates: identical records are different entities
    same = np.arange(records.n) if settings.mode == "link" else collapse(columns)
    if apart is not None and apart.size:
        same = same.copy()
        same[apart] = records.n + apart
    numbering: Numbering[RowIds, DistinctIds] = Numbering.by_key(same)
    of_distinct = {name: select_rows(column, numbering.wide) for name, column in columns.items()}
    swapped: list[SwappedNames] = []
    if not has_names_in_order:
        of_distinct, swapped = correct_swapped_names(
            of_distinct, {name: one.type or "" for name, one in used.items()}
        )
    compared = [
        compared_column(records, name, settings.columns, of_distinct, numbering.wide)
        for name, one in used.items()
        if one.role == "compare"
    ]
    source = None
    if records.sources is not None and settings.mode != "dedupe":
        source = numbering.select(records.sources).astype(np.int64)
    return Prepared(
        numbering,
        list(of_distinct.values()),
        [column for column, _, _ in compared],
        [column_type for _, column_type, _ in compared],
        [comparison for _, _, comparison in compared],
        source,
        swapped,
    )
