"""The column that names the source of each record, found by its name and its values.

The list, shop or system that a record comes from is no evidence for a match: two records of one
entity often come from different sources.
"""

from __future__ import annotations

import re
from dataclasses import replace

from partita.data.table import Records

__all__ = ["find_source_column", "is_source_name", "split_sources"]

SOURCE_NAME = re.compile(
    r"(data)?(source|src)(code|dataset|db|file|id|list|name|system|table)?|data(base|set)(id|name)?",
    re.IGNORECASE,
)
"""Names of columns of sources, without blanks, dashes and underscores. A shop, a provider or an
origin may describe the entity, so that such columns are compared."""
MAX_SOURCES_FOUND = 20
"""Distinct sources at most; a column of that name with more values holds journals or contacts.
Origin: a choice."""
MIN_RECORDS_PER_SOURCE = 10
"""Records per source at least, on average. Origin: a choice."""


def is_source_name(name: str) -> bool:
    """Whether a column is named like one of sources."""
    return SOURCE_NAME.fullmatch(re.sub(r"[\W_]+", "", name)) is not None


def find_source_column(records: Records) -> str | None:
    """Find the column of sources of one input; None if there is none."""
    if records.sources is not None or len(records.names) < 2:
        return None
    for name in records.names:
        if is_source_name(name) and _holds_sources(records, name):
            return name
    return None


def _holds_sources(records: Records, name: str) -> bool:
    """Whether a column is filled with few values."""
    column = records.column(name, cleaned=False)
    few = min(MAX_SOURCES_FOUND, records.n // MIN_RECORDS_PER_SOURCE)
    return bool((column.codes >= 0).all()) and 2 <= len(column.values) <= few


def split_sources(records: Records, name: str) -> Records:
    """The records with the values of a column as their sources; the column is not compared."""
    column = records.column(name, cleaned=False)
    note = (
        f"column {name!r} is not compared because it names the source of each record; to compare "
        "it, give an empty --source (source='')"
    )
    return replace(
        records,
        names=tuple(other for other in records.names if other != name),
        sources=column.codes,
        source_names=tuple(column.values.to_pylist()),
        notes=(*records.notes, note),
    )
