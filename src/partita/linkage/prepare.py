"""Preparation of records: the columns in use, and identical records collapsed into one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partita.blocking.candidates import collapse
from partita.data import Column, ColumnProfile, Records
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.entity.swapped_names import Turned, turned_columns
from partita.linkage.numbering import DistinctIds, Numbering, RowIds
from partita.linkage.settings import ColumnSettings, Settings

__all__ = ["Prepared", "choose_columns", "choose_mode", "prepare"]

RAW_KINDS = ("number",)
"""Column types whose punctuation is part of the value."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Distinct records with their columns."""

    numbering: Numbering[RowIds, DistinctIds]
    columns: list[Column]
    """All columns that blocking uses, of distinct records."""
    compared: list[Column]
    """The columns that are compared, of distinct records."""
    kinds: list[str]
    """The type of each compared column."""
    source: Ints | None
    """The source of each distinct record; None where sources have no effect."""
    turned: list[Turned]
    """Pairs of name columns with swapped values in some distinct records."""

    @property
    def notes(self) -> list[str]:
        """Corrections that preparation made."""
        return [
            f"{one.left} and {one.right} are swapped in "
            f"{self.numbering.expand(one.rows).sum():,} records, which are compared in the "
            "corrected order"
            for one in self.turned
        ]

    @property
    def n(self) -> int:
        """The number of distinct records."""
        return len(self.numbering)


def choose_mode(records: Records, settings: Settings) -> str:
    """What to look for: duplicates in one source, links across sources, or both."""
    several = len(records.source_names) > 1
    if settings.one_to_one and settings.mode in ("dedupe", "both"):
        raise InputError(
            f"one_to_one says that sources are clean, and mode {settings.mode!r} looks for "
            "duplicates in them; leave one of the two out"
        )
    if settings.one_to_one and not several:
        raise InputError("one_to_one is for records of several sources, and there is one")
    if settings.mode == "auto":
        return ("link" if settings.one_to_one else "both") if several else "dedupe"
    if settings.mode != "dedupe" and not several:
        raise InputError(
            f"mode is {settings.mode!r} but there is one source; give several files, or name the "
            "column that holds the source"
        )
    return settings.mode


def choose_columns(profiles: list[ColumnProfile], settings: Settings) -> Settings:
    """The settings with every column spelt out, by its profile where the user is silent."""
    known = {one.name for one in profiles}
    for name in settings.columns:
        if name not in known and name not in settings.ignore:
            raise InputError(
                f"the settings name a column {name!r} that is not there; "
                f"there are {', '.join(sorted(known))}"
            )
    chosen = {
        one.name: settings.columns.get(one.name) or ColumnSettings(one.type, _use(one))
        for one in profiles
    }
    if all(one.use == "none" for one in chosen.values()):
        raise InputError(
            "no column says anything: all are empty or hold one value; give columns that differ"
        )
    if not any(one.use == "score" for one in chosen.values()):
        chosen = {
            name: replace(one, use="score") if one.use == "block" else one
            for name, one in chosen.items()
        }
    return settings.replaced(columns=chosen)


def _use(one: ColumnProfile) -> str:
    if not one.is_usable:
        return "none"
    return "score" if one.is_compared else "block"


def prepare(
    records: Records, settings: Settings, mode: str, apart: RowIds | None = None
) -> Prepared:
    """Collapse identical records and gather the columns; records `apart` are never collapsed."""
    used = {name: one for name, one in settings.columns.items() if one.use != "none"}
    columns = {
        name: records.column(name, cleaned=one.kind not in RAW_KINDS) for name, one in used.items()
    }
    # in a clean source two identical records are two entities
    same = np.arange(records.n) if mode == "link" else collapse(columns)
    if apart is not None and apart.size:
        same = same.copy()
        same[apart] = records.n + apart
    numbering: Numbering[RowIds, DistinctIds] = Numbering.by_key(same)
    of_distinct, turned = turned_columns(
        {name: _rows(column, numbering.wide) for name, column in columns.items()},
        {name: one.kind for name, one in used.items()},
    )
    scored = [name for name, one in used.items() if one.use == "score"]
    source = None
    if records.sources is not None and mode != "dedupe":
        source = numbering.select(records.sources).astype(np.int64)
    return Prepared(
        numbering,
        list(of_distinct.values()),
        [of_distinct[name] for name in scored],
        [used[name].kind for name in scored],
        source,
        turned,
    )


def _rows(column: Column, rows: RowIds) -> Column:
    if rows.size == column.codes.size:
        return column
    codes = column.codes[rows]
    counts = np.bincount(codes[codes >= 0], minlength=len(column.values)).astype(np.int64)
    return Column(column.name, codes, column.values, counts)
