"""CSV files and their relatives to Arrow, every value as its text."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import pyarrow as pa

from partita.data.chunks import read_chunks
from partita.data.dialect import RARE_DELIMITERS, Scan, scan_text, split_rows
from partita.data.duckdb import BATCH_ROWS, connect, query, quote_path, quote_text
from partita.data.encoding import detect_encoding
from partita.data.header import SAMPLE_ROWS, has_header
from partita.data.layout import BY_CONTENT, Layout
from partita.data.sources import LocalFile
from partita.errors import EmptyInputError, InputError
from partita.io import temporary_folder

__all__ = ["distinguish_names", "read_csv", "recode"]

BATCH_BYTES = 1 << 30
"""Bytes of text that a batch of records holds at most."""
MIN_LINE_LIMIT = 1 << 21
"""Bytes of a line that the database accepts at least."""


def read_csv(
    file: LocalFile, memory: int | None = None, layout: Layout = BY_CONTENT
) -> tuple[list[str] | None, pa.Table, list[str]]:
    """Read a CSV file: its column names, or None without a header, its records and notes.

    The file is read twice: one pass checks its encoding and counts its records, the other one
    parses it. A difference in the number of records is an error.
    """
    with temporary_folder() as folder:
        path, scan, notes = _scan(file, layout, folder / "records.csv")
        if not scan.rows:
            raise EmptyInputError(f"{file.name} is empty; give a file with a header and records")
        if scan.mixed:
            # the database refuses a file whose lines end in different ways
            path = _unify_lines(file, path, scan, folder / "lines.csv")
        header = layout.header
        rows = _read_rows(path, scan, 1 if header is not None else SAMPLE_ROWS + 1, file.name)
        is_named = has_header(rows) if header is None else header
        expected = scan.rows - is_named
        if not expected:
            raise EmptyInputError(
                f"{file.name} has a header and no records; give at least one record"
            )
        table = _parse(path, scan, is_named, memory)
    if table.num_rows != expected:
        raise InputError(
            f"{file.name} holds {expected} records, but {table.num_rows} were read; "
            "save it again as CSV with quoted fields, or as Parquet"
        )
    return [name.strip() for name in rows[0]] if is_named else None, table, notes


def _scan(file: LocalFile, layout: Layout, copy: Path) -> tuple[Path, Scan, list[str]]:
    """Scan a file, or its copy in UTF-8; return the path, the scan and notes."""
    path, notes = file.path, list[str]()
    mark = layout.delimiter
    try:
        if layout.encoding not in (None, "utf-8"):
            path = _rewrite(file, path, str(layout.encoding), copy)
        scan = scan_text(path, file.name, mark, is_ascii=layout.encoding is not None)
    except UnicodeDecodeError as failure:
        if layout.encoding is not None:
            raise InputError(
                f"{file.name} is not valid {layout.encoding}: {failure}; give another encoding, or "
                "none"
            ) from failure
        detected = detect_encoding(path, file.name)
        path = _rewrite(file, path, detected.encoding, copy)
        notes += detected.note(file.name)
        try:
            scan = scan_text(path, file.name, mark, is_ascii=True)
        except UnicodeDecodeError as error:
            # text of another encoding may hold zero bytes, too
            raise InputError(
                f"{file.name} holds zero bytes and is no text file; save it as CSV or Parquet"
            ) from error
    if mark is None and scan.dialect.delimiter in RARE_DELIMITERS:
        notes.append(
            f"{file.name} is read with the delimiter {scan.dialect.delimiter!r}; --delimiter "
            "(delimiter=) names another one"
        )
    return path, scan, notes


@contextmanager
def recode(file: LocalFile, encoding: str | None) -> Iterator[LocalFile]:
    """Yield a copy of a file in UTF-8, or the file itself if it has no other encoding."""
    if encoding in (None, "utf-8"):
        yield file
        return
    with temporary_folder() as folder:
        yield file._replace(path=_rewrite(file, file.path, str(encoding), folder / "text"))


def _rewrite(file: LocalFile, path: Path, encoding: str, target: Path) -> Path:
    """Copy a file in UTF-8, block by block."""
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    try:
        with target.open("w", encoding="utf-8", newline="") as out:
            for block in read_chunks(path):
                out.write(decoder.decode(block))
            out.write(decoder.decode(b"", final=True))
    except UnicodeError as error:
        raise InputError(
            f"{file.name} is not valid {encoding}: {error}; save it as UTF-8"
        ) from error
    except OSError as error:
        raise _no_room(file, target, error) from error
    return target


def _no_room(file: LocalFile, target: Path, error: OSError) -> InputError:
    return InputError(
        f"there is no room for a copy of {file.name} in {target.parent}: {error}; set TMPDIR"
    )


def _unify_lines(file: LocalFile, path: Path, scan: Scan, target: Path) -> Path:
    """Copy a file so that all its rows end in a line feed; quoted fields stay as they are."""
    try:
        with target.open("wb") as out:
            for part, is_end in split_rows(path, scan.dialect):
                out.write(b"\n" if is_end else part)
    except OSError as error:
        raise _no_room(file, target, error) from error
    return target


def _read_rows(path: Path, scan: Scan, count: int, name: str) -> list[list[str]]:
    """The first rows of a scanned file, without blank lines and rows of another width."""
    dialect = scan.dialect
    with path.open(encoding="utf-8-sig", newline="") as file:
        for _ in range(scan.leading):
            file.readline()
        doubled = dialect.escape == dialect.quote
        reader = csv.reader(
            file,
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            doublequote=doubled,
            escapechar=None if doubled else dialect.escape,
            skipinitialspace=dialect.delimiter != " ",
        )
        rows = []
        with suppress(csv.Error):
            # a field above the limit of the standard library ends the sample
            for row in islice(reader, count):
                rows.append(row)
    if not rows or len(rows[0]) != scan.width:
        raise InputError(
            f"the first row of {name} cannot be read as {scan.width} fields; shorten its fields to "
            f"{csv.field_size_limit():,} characters, or save the file again with quoted fields"
        )
    return [row for row in rows if len(row) == scan.width]


def distinguish_names(names: Sequence[str]) -> list[str]:
    """Make column names distinct: number blank names by position, append numbers to repeats."""
    distinct: list[str] = []
    for at, name in enumerate(names):
        base = name or f"column_{at + 1}"
        number, unique = 1, base
        while unique in distinct or (unique != name and unique in names):
            number += 1
            unique = f"{base}_{number}"
        distinct.append(unique)
    return distinct


def _parse(path: Path, scan: Scan, is_named: bool, memory: int | None) -> pa.Table:
    """Parse a scanned file; columns are c0, c1, ... since SQL ignores case in names."""
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(scan.width))
    options = {
        "columns": "{" + columns + "}",
        **{"delim": quote_text(scan.dialect.delimiter), "quote": quote_text(scan.dialect.quote)},
        "escape": quote_text(scan.dialect.escape),
        **{"auto_detect": "false", "header": str(is_named).lower(), "skip": str(scan.leading)},
        **{"strict_mode": "true", "null_padding": "false", "comment": "''"},
        "max_line_size": str(max(2 * scan.longest, MIN_LINE_LIMIT)),
        "compression": "'none'",
    }
    settings = ", ".join(f"{key} = {value}" for key, value in options.items())
    rows = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, scan.longest)))
    with quote_path(path) as quoted, connect(memory) as connection:
        return query(connection, f"SELECT * FROM read_csv({quoted}, {settings})", memory, rows)
