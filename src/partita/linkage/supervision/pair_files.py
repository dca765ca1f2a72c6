"""What a user states of pairs of records: read from any table, and found among the records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from partita.data import Records, read
from partita.data.table import to_text
from partita.errors import InputError
from partita.kernel import Floats, Ints

__all__ = [
    "FORBIDDEN",
    "MATCH",
    "NON_MATCH",
    "UNSURE",
    "NamedPairs",
    "Statements",
    "meaning",
    "meanings",
    "read_pairs",
    "read_statements",
]

FORBIDDEN = 1e4
"""Nats that no evidence outweighs: what a hard constraint weighs."""
MATCH, NON_MATCH, UNSURE = "match", "non-match", "unsure"
WORDS = {
    MATCH: ("1", "1.0", "y", "yes", "true", "same", "must", "must-link", "must_link"),
    NON_MATCH: (
        *("0", "0.0", "n", "no", "false", "different", "distinct"),
        *("cannot", "cannot-link", "cannot_link"),
    ),
    UNSURE: ("u",),
}
MEANING = {word: meaning for meaning, words in WORDS.items() for word in (meaning, *words)}
IDS = (("id_l", "unique_id_l"), ("id_r", "unique_id_r"))
SOURCES = (("source_l", "source_dataset_l"), ("source_r", "source_dataset_r"))
TEXTS = (".csv", ".tsv", ".txt")
Texts = list[str | None]


@dataclass(frozen=True, eq=False)
class Statements:
    """Pairs of rows as they were stated, perhaps repeated; `low` is the smaller row."""

    low: Ints
    high: Ints
    must: NDArray[np.bool_]
    weight: Floats
    """Log-odds in nats; infinite if hard."""
    names: dict[int, str]
    """What a message calls each row."""


def read_statements(given: Any, records: Records) -> Statements:
    """The statements of a table, or an InputError for the first that cannot be."""
    pairs = read_pairs(given, records, "constraint")
    if pairs is None:
        none = np.zeros(0, np.int64)
        return Statements(none, none, none.astype(bool), none.astype(float), {})
    said = meanings(pairs, ("constraint", "label"), "constraint", "'must' or 'cannot'")
    weight = np.array([_weight(text, at) for at, text in _weights(pairs.table)], float)
    known = said != UNSURE
    low, high = pairs.rows[known].T
    return Statements(low, high, said[known] == MATCH, weight[known], pairs.names)


class NamedPairs(NamedTuple):
    """A table of pairs, whose records were found."""

    table: pa.Table
    rows: Ints
    """The rows of both records, the smaller first."""
    names: dict[int, str]


def read_pairs(given: Any, records: Records, what: str) -> NamedPairs | None:
    """A table that names pairs of records, each a `what`; None if there is nothing in it."""
    if given is None or _nothing_in(given):
        return None
    table = read(given, id=False).table
    sides = [_named(table, what, *both) for both in zip(IDS, SOURCES, strict=True)]
    found, names = _rows(sides, records, what)
    _check_apart(found, names, what)
    return NamedPairs(table, np.sort(found, axis=1), names)


def _nothing_in(given: Any) -> bool:
    """Whether there is nothing, or only a header, which no reader of records takes."""
    if not isinstance(given, str | Path):
        return hasattr(given, "__len__") and len(given) == 0
    path = Path(given)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if file.read(4) == b"PAR1":
            return bool(pq.read_metadata(path).num_rows == 0)
        file.seek(0)
        lines = sum(1 for line, _ in zip(file, range(1000), strict=False) if line.strip())
    return lines == 0 or (lines == 1 and path.suffix.lower() in TEXTS)


def _texts(table: pa.Table, names: Sequence[str], what: str, needed: bool = True) -> Texts | None:
    """A column by one of its names, as text without blanks at its ends; empty text is missing."""
    lowered = {name.strip().lower(): name for name in table.column_names}
    for name in names:
        if name in lowered:
            column = pc.utf8_trim_whitespace(to_text(table.column(lowered[name])))
            return [text or None for text in column.to_pylist()]
    if needed:
        asked = " or ".join(map(repr, names))
        raise InputError(
            f"the {what}s have no column {asked}; there are {', '.join(lowered.values())}"
        )
    return None


def _weights(table: pa.Table) -> list[tuple[int, str | None]]:
    found = _texts(table, ("weight",), "constraint", needed=False)
    return list(enumerate(found or [None] * table.num_rows, 1))


def meanings(pairs: NamedPairs, names: Sequence[str], what: str, write: str) -> NDArray[Any]:
    """Of each pair, MATCH, NON_MATCH or UNSURE, by a column of one of these names."""
    words = enumerate(_texts(pairs.table, names, what) or [], 1)
    return np.array([meaning(word, f"{what} {at}", write) for at, word in words])


def meaning(word: str | None, what: str, write: str) -> str:
    """Which of the three a word means; `write` says in a message what can be written."""
    found = MEANING.get((word or "").strip().lower())
    if found is None:
        raise InputError(f"{what} says {word or ''!r}; write {write}")
    return found


def _weight(text: str | None, at: int) -> float:
    try:
        weight = math.inf if text is None else float(text)
    except ValueError:
        weight = math.nan
    if not weight > 0:
        raise InputError(
            f"constraint {at} has the weight {text!r}; give log-odds above 0, or nothing if it is "
            "certain"
        )
    return math.inf if weight >= FORBIDDEN else weight


def _named(
    table: pa.Table, what: str, ids: Sequence[str], sources: Sequence[str]
) -> list[tuple[str, str | None]]:
    """The id and the source, if any, of one side of every statement."""
    found = _texts(table, ids, what) or []
    if None in found:
        raise InputError(f"{what} {found.index(None) + 1} has no {ids[0]}; fill it in")
    named = [one for one in found if one is not None]
    titles = _texts(table, sources, what, needed=False) or [None] * len(named)
    return list(zip(named, titles, strict=True))


def _rows(
    sides: Sequence[Sequence[tuple[str, str | None]]], records: Records, what: str
) -> tuple[Ints, dict[int, str]]:
    """The rows of named records, one column for each side, and what messages call them."""
    wanted = pa.array(dict.fromkeys(id for side in sides for id, _ in side), pa.string())
    ids = to_text(pa.chunked_array([records.ids])).combine_chunks()
    at = np.flatnonzero(pc.is_in(ids, value_set=wanted).to_numpy(zero_copy_only=False))
    places: dict[str, list[int]] = {}
    for row, id in zip(at.tolist(), ids.take(pa.array(at)).to_pylist(), strict=True):
        places.setdefault(id, []).append(row)
    found = [[_row(*one, places, records, what) for one in side] for side in sides]
    names = {row: repr(id) for id, rows in places.items() for row in rows}
    return np.array(found, np.int64).reshape(2, -1).T, names


def _row(
    id: str, source: str | None, places: dict[str, list[int]], records: Records, what: str
) -> int:
    """The row of one record."""
    rows = places.get(id, [])
    if not rows:
        raise InputError(f"a {what} names the record {id!r}, which is not there; give its id")
    codes, names = records.sources, records.source_names
    if source is not None and codes is not None:
        if source not in names:
            raise InputError(f"a {what} names the source {source!r}; there are {', '.join(names)}")
        rows = [row for row in rows if names[codes[row]] == source]
        if not rows:
            raise InputError(f"a {what} names {id!r} of {source!r}, which is not there")
    if len(rows) > 1:
        raise InputError(
            f"the id {id!r} of a {what} is in several sources; add the columns source_l and "
            "source_r"
        )
    return rows[0]


def _check_apart(found: Ints, names: dict[int, str], what: str) -> None:
    same = np.flatnonzero(found[:, 0] == found[:, 1])
    if same.size:
        row = int(found[same[0], 0])
        raise InputError(
            f"{what} {int(same[0]) + 1} pairs the record {names[row]} with itself; give two records"
        )
