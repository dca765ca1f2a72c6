"""Which engine resolves a file: draws of a posterior or, for very many authors, a search."""

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
"""Author mentions beyond which the search of the recipe takes the place of draws."""
SHORTEST = 20
"""Bytes that a record has at least, so that small files need not be read to be counted."""
READING = ("id", "source", "ignore", "memory")


def are_authors(records: Records) -> bool:
    """Whether records have a name and two of title, venue and coauthors."""
    try:
        roles = roles_of(records)
    except InputError:
        return False
    return sum(one in roles for one in CONTENTS) > 1


def choose_by_size(
    files: Sequence[str], settings: Mapping[str, Any]
) -> tuple[str | None, list[Path] | Records]:
    """Choose a recipe by the number of records, None for draws.

    Return also the data to resolve: the records where they are read for this, else the files. A
    stream can be read only once, and a large file takes seconds.
    """
    paths = [Path(file) for file in files]
    is_known = all(path.is_file() for path in paths)
    if is_known and sum(path.stat().st_size for path in paths) < SHORTEST * MANY:
        return None, paths
    used = {name: settings[name] for name in READING if name in settings}
    records = read(paths, **used)
    return "authors" if records.n > MANY and are_authors(records) else None, records


def why_draws(records: Records) -> str:
    """Why the posterior of these records is drawn."""
    if records.n <= MANY:
        return f"few enough records ({records.n:,}) to draw from their posterior"
    if are_authors(records):
        return f"asked for, although {records.n:,} records of authors have a faster recipe"
    return f"of {records.n:,} records that are not authors on papers no other engine knows more"
