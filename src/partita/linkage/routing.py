"""Choice of the engine: posterior draws or, for very many author records, a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partita.data import Records, read
from partita.errors import InputError
from partita.linkage.authors.columns import CONTENTS, roles_of

__all__ = ["DRAWS", "MANY", "are_authors", "choose_by_size", "why_draws"]

DRAWS = "draws"
MANY = 500_000
"""Author records above which the search of the recipe replaces posterior draws. Origin: 0.1."""
MIN_BYTES = 20
"""Bytes of a record at least: a file below MANY times as many is not read to be counted."""
READING = ("id", "source", "ignore", "memory", "encoding", "delimiter")
"""Settings that reading uses."""


def are_authors(records: Records) -> bool:
    """Whether records have a name and two of title, venue and coauthors."""
    try:
        roles = roles_of(records)
    except InputError:
        return False
    return sum(role in roles for role in CONTENTS) > 1


def choose_by_size(
    files: Sequence[str], settings: Mapping[str, Any]
) -> tuple[str | None, list[Path] | Records]:
    """Choose a recipe by the number of records, None for draws.

    Return also the data to resolve: the records where they are read for this, else the files. A
    stream can be read only once, and a large file takes seconds.
    """
    paths = [Path(file) for file in files]
    is_known = all(path.is_file() for path in paths)
    if is_known and sum(path.stat().st_size for path in paths) < MIN_BYTES * MANY:
        return None, paths
    used = {name: settings[name] for name in READING if name in settings}
    records = read(paths, **used)
    return "authors" if records.n > MANY and are_authors(records) else None, records


def why_draws(records: Records) -> str:
    """The reason for posterior draws."""
    if records.n <= MANY:
        return f"the file has at most {MANY:,} records"
    if are_authors(records):
        return f"requested; a faster recipe exists for {records.n:,} author records"
    return f"no specialised engine applies: the {records.n:,} records are not author mentions"
