"""Pair files: record pairs with a label, read as labels to learn from or as pairwise constraints.

A pair file is a table with one row for each pair: a CSV, Parquet or JSON Lines file, or anything
else that `partita.read` takes. Column names are not case-sensitive.

| column | content |
|---|---|
| `unique_id_l`, `unique_id_r` (or `id_l`, `id_r`, or the id column of the records with `_l` and \
`_r`, as in a file of `resolve --pairs`) | the ids of the two records |
| `source_dataset_l`, `source_dataset_r` (or `source_l`, `source_r`) | the sources of the two \
records; needed only where two sources use the same id |
| `label` (or `constraint`, `clerical_match_score`) | whether the two records are one entity |
| `weight` | constraints only: log-odds in nats above 0; empty for a hard constraint |

A label is one of three, each with synonyms: *match* (must, must-link, same, yes, y, true, 1),
*non-match* (cannot, cannot-link, different, distinct, no, n, false, 0) and *unsure* (u). Other
columns are ignored. A file of `partita label` is both a label file and a constraints file:

    unique_id_l,unique_id_r,label
    A17,A22,match
    A17,B03,non-match
    C01,C02,unsure

A constraints file with one hard and one soft constraint:

    id_l,id_r,constraint,weight
    A17,A22,must,
    A17,B03,cannot,2.5
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from partita.data import Records, read
from partita.data.table import to_text
from partita.data.write import check_path
from partita.errors import InputError
from partita.io import write_text
from partita.kernel import Floats, Ints

__all__ = [
    "CONSTRAINT",
    "FORBIDDEN",
    "IS_MATCH",
    "LABEL",
    "MATCH",
    "NON_MATCH",
    "UNSURE",
    "LabelFile",
    "PairTable",
    "read_pair_file",
]

FORBIDDEN = 1e4
"""Nats; the weight of a hard constraint, larger than any sum of match weights."""
MATCH = "match"
NON_MATCH = "non-match"
UNSURE = "unsure"
IS_MATCH = {MATCH: True, NON_MATCH: False, UNSURE: None}
SYNONYMS = {
    MATCH: ("1", "1.0", "y", "yes", "true", "same", "must", "must-link", "must_link"),
    NON_MATCH: (
        *("0", "0.0", "n", "no", "false", "different", "distinct"),
        *("cannot", "cannot-link", "cannot_link"),
    ),
    UNSURE: ("u",),
}
MEANING = {word: label for label, words in SYNONYMS.items() for word in (label, *words)}
LABEL = "label"
CONSTRAINT = "constraint"
ACCEPTED = {
    LABEL: f"{MATCH!r}, {NON_MATCH!r} or {UNSURE!r}",
    CONSTRAINT: "'must' or 'cannot'",
}
LABEL_COLUMNS = (LABEL, CONSTRAINT, "clerical_match_score")
ID_COLUMNS = (("unique_id_l", "id_l"), ("unique_id_r", "id_r"))
SOURCE_COLUMNS = (("source_dataset_l", "source_l"), ("source_dataset_r", "source_r"))
TEXT_ENDINGS = (".csv", ".tsv", ".txt")
LINE_ENDINGS = (".jsonl", ".ndjson")


class PairTable(NamedTuple):
    """The pairs of a file, in its order, as rows of the records."""

    rows: Ints
    """Two rows of the records for each pair."""
    labels: NDArray[np.str_]
    """MATCH, NON_MATCH or UNSURE."""
    weights: Floats
    """Log-odds in nats; infinite where the file gives none."""
    names: dict[int, str]
    """The id of each row, as messages quote it."""


def read_pair_file(source: Any, records: Records, kind: str) -> PairTable:
    """Read a table of record pairs; `kind` is LABEL or CONSTRAINT (see the module for the format).

    Raises an InputError that names the line for an id, a source, a label or a weight that the
    records or the format do not have.
    """
    if source is None or _is_empty(source):
        none = np.zeros((0, 2), np.int64)
        return PairTable(none, np.zeros(0, "U1"), np.zeros(0), {})
    return _Reader(source, kind).read(records)


class _Reader:
    """One pair file, with the position of each row for messages."""

    def __init__(self, source: Any, kind: str) -> None:
        self.source, self.kind = source, kind
        self.table = read(source, id=False).table

    def read(self, records: Records) -> PairTable:
        rows, names = self._find_rows(records)
        for at in np.flatnonzero(rows[:, 0] == rows[:, 1])[:1].tolist():
            same = names[int(rows[at, 0])]
            raise self._error(at, f"pairs the record {same} with itself; give two records")
        texts = self._column(LABEL_COLUMNS)
        labels = np.array([self._label(at, text) for at, text in enumerate(texts)])
        weights = np.full(len(rows), math.inf)
        if self.kind == CONSTRAINT:
            cells = self._column(("weight",), needed=False)
            weights[: len(cells)] = [self._weight(at, text) for at, text in enumerate(cells)]
        return PairTable(rows, labels, weights, names)

    def _error(self, at: int, fault: str) -> InputError:
        """The error for one row: the line of a text file, or the number of the row."""
        place = f"{self.kind} {at + 1}"
        path = Path(self.source) if isinstance(self.source, str | Path) else Path()
        if path.suffix.lower() in (*TEXT_ENDINGS, *LINE_ENDINGS):
            place = f"line {_line_number(path, at)} of {path}"
        return InputError(f"{place} {fault}")

    def _find_name(self, names: Sequence[str]) -> str | None:
        """The name in the file of the first of these columns, without regard to case."""
        lowered = {name.strip().lower(): name for name in self.table.column_names}
        return next((lowered[name] for name in names if name in lowered), None)

    def _column(self, names: Sequence[str], needed: bool = True) -> list[str | None]:
        """A column by one of its names, without surrounding blanks; empty text is missing."""
        name = self._find_name(names)
        if name is not None:
            column = pc.utf8_trim_whitespace(to_text(self.table.column(name)))
            return [text or None for text in column.to_pylist()]
        if needed:
            raise InputError(
                f"the {self.kind}s have no column {' or '.join(map(repr, names))}; "
                f"there are {', '.join(self.table.column_names)}"
            )
        return []

    def _label(self, at: int, text: str | None) -> str:
        label = MEANING.get((text or "").lower())
        if label is None:
            raise self._error(at, f"has the label {text or ''!r}; write {ACCEPTED[self.kind]}")
        return label

    def _weight(self, at: int, text: str | None) -> float:
        try:
            weight = math.inf if text is None else float(text)
        except ValueError:
            weight = math.nan
        if not weight > 0:
            raise self._error(
                at,
                f"has the weight {text!r}; give log-odds above 0, or nothing for a hard constraint",
            )
        return math.inf if weight >= FORBIDDEN else weight

    def _find_rows(self, records: Records) -> tuple[Ints, dict[int, str]]:
        """The rows of both records of each pair, and the id of each row."""
        columns = _id_columns(records)
        sides = [self._column(names) for names in columns]
        sources = [self._column(names, needed=False) for names in SOURCE_COLUMNS]
        known_ids = pa.array({id for side in sides for id in side if id is not None}, pa.string())
        ids = to_text(pa.chunked_array([records.ids])).combine_chunks()
        at = np.flatnonzero(pc.is_in(ids, value_set=known_ids).to_numpy(zero_copy_only=False))
        places: dict[str, list[int]] = {}
        for row, id in zip(at.tolist(), ids.take(pa.array(at)).to_pylist(), strict=True):
            places.setdefault(id, []).append(row)
        rows = np.zeros((self.table.num_rows, 2), np.int64)
        for side, (column, titles) in enumerate(zip(sides, sources, strict=True)):
            for k, id in enumerate(column):
                if id is None:
                    raise self._error(k, f"has no {self._find_name(columns[side])}; fill it in")
                title = titles[k] if titles else None
                rows[k, side] = self._find_row(k, id, title, places.get(id, []), records)
        return rows, {row: repr(id) for id, matches in places.items() for row in matches}

    def _find_row(
        self, at: int, id: str, title: str | None, rows: list[int], records: Records
    ) -> int:
        """The row of one record among all `rows` with its id."""
        if not rows:
            raise self._error(
                at, f"names the record {id!r}, which the data does not have; correct the id"
            )
        codes, names = records.sources, records.source_names
        if title is not None and codes is not None:
            if title not in names:
                raise self._error(at, f"names the source {title!r}; there are {', '.join(names)}")
            rows = [row for row in rows if names[codes[row]] == title]
            if not rows:
                raise self._error(
                    at, f"names the record {id!r}, which the source {title!r} does not have"
                )
        if len(rows) > 1:
            raise self._error(
                at,
                f"names the record {id!r}, which is in several sources; add the columns "
                "source_dataset_l and source_dataset_r",
            )
        return rows[0]


def _id_columns(records: Records) -> list[list[str]]:
    """Accepted names of both id columns, in lower case; the id column of the records is first."""
    own = (records.id_name or "unique_id").strip().lower()
    return [
        list(dict.fromkeys((f"{own}_{side}", *names)))
        for side, names in zip("lr", ID_COLUMNS, strict=True)
    ]


def _is_empty(source: Any) -> bool:
    """Whether a table has no rows: `read` refuses such tables, and a file may be a header only."""
    if not isinstance(source, str | Path):
        return hasattr(source, "__len__") and len(source) == 0
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if file.read(4) == b"PAR1":
            return bool(pq.read_metadata(path).num_rows == 0)
        file.seek(0)
        lines = sum(1 for line, _ in zip(file, range(1000), strict=False) if line.strip())
    return lines == 0 or (lines == 1 and path.suffix.lower() in TEXT_ENDINGS)


def _line_number(path: Path, row: int) -> int:
    """The line on which a row of a text file begins; blank lines are no rows."""
    text = path.read_text("utf-8", errors="replace")
    if path.suffix.lower() in LINE_ENDINGS:
        return [k for k, line in enumerate(text.splitlines(), 1) if line.strip()][row]
    header = text.lstrip().partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=header.count))
    starts, start = [], 1
    for cells in lines:
        if cells:
            starts.append(start)
        start = lines.line_num + 1
    # the first row is the header
    return starts[row + 1]


class LabelFile:
    """The CSV of `partita label`: complete after every answer; earlier rows and columns stay."""

    def __init__(self, path: Path, sources: bool) -> None:
        check_path(path, (".csv",))
        self.path = path
        self.ids, self.titles = (
            [names[0] for names in columns] for columns in (ID_COLUMNS, SOURCE_COLUMNS)
        )
        expected = [*self.ids, *(self.titles if sources else ()), LABEL]
        self.header: list[str] = expected
        self.rows: list[dict[str, str]] = []
        if path.exists():
            self._load()
        missing = [name for name in expected if name not in self.header]
        if missing:
            raise InputError(
                f"{path} has no column {missing[0]!r}, so `partita label` cannot extend it; "
                "give another --out"
            )

    def append(self, records: Records, rows: tuple[int, int], label: str) -> None:
        """Add the label of a pair and save the file."""
        cells = {LABEL: label}
        for side, row in enumerate(rows):
            cells[self.ids[side]] = str(records.ids[row].as_py())
            if records.sources is not None:
                cells[self.titles[side]] = records.source_names[records.sources[row]]
        self.rows.append(cells)
        self._save()

    def pop(self) -> None:
        """Remove the last label and save the file."""
        self.rows.pop()
        self._save()

    def _load(self) -> None:
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.DictReader(file)
                self.header, self.rows = list(reader.fieldnames or ()), list(reader)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(
                f"{self.path} cannot be read ({error}), so `partita label` cannot extend it; "
                "give another --out"
            ) from error

    def _save(self) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, self.header, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        write_text(self.path, text.getvalue())
