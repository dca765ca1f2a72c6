"""Files of any format to Arrow: CSV, JSON, BibTeX, Parquet, Excel, DuckDB, SQLite, PostgreSQL."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from partita.data.bibtex import OPENING, read_bibtex
from partita.data.csv import distinguish_names, read_csv, recode
from partita.data.databases import read_duckdb, read_sqlite
from partita.data.duckdb import BATCH_ROWS, gather_batches, summarise_error
from partita.data.excel import read_excel
from partita.data.header import name_columns
from partita.data.json import read_json
from partita.data.layout import BY_CONTENT, Layout
from partita.data.postgres import is_postgres, read_postgres
from partita.data.sources import ZIP, LocalFile, open_local
from partita.data.table import attach_format, attach_notes
from partita.errors import EmptyInputError, InputError

__all__ = ["SUFFIXES", "read_file"]

SUFFIXES = {
    **{".csv": "csv", ".tsv": "csv", ".txt": "csv", ".tab": "csv", ".psv": "csv", ".dat": "csv"},
    **{".jsonl": "json", ".ndjson": "json", ".json": "json", ".bib": "bibtex"},
    **{".xlsx": "excel", ".xls": "excel", ".xlsm": "excel", ".ods": "excel"},
    **{".parquet": "parquet", ".duckdb": "duckdb", ".db": "sqlite", ".sqlite": "sqlite"},
    **{".gz": "packed", ".zip": "packed"},
}
"""The formats of names of files."""
MAGIC = ((0, b"PAR1", "parquet"), (0, b"SQLite format 3", "sqlite"), (8, b"DUCK", "duckdb"))
"""Offset, bytes and format of files that are known by their content."""
OLE = b"\xd0\xcf\x11\xe0"
"""The first bytes of .xls files."""
TABLE_FORMATS = ("duckdb", "sqlite", "excel")
"""Formats with several tables in a file."""


def read_file(name: str | Path, memory: int | None = None, layout: Layout = BY_CONTENT) -> pa.Table:
    """Read all records of one file; text stays text, other types stay as they are.

    `layout` states header, encoding and delimiter of files of text; by default the content decides.
    """
    if is_postgres(name):
        return read_postgres(str(name), memory)
    with open_local(name) as file:
        format = _detect_format(file)
        if file.table is not None and format not in TABLE_FORMATS:
            raise InputError(
                f"{file.name} is no database, workbook or archive, so it has no table "
                f"{file.table!r}; drop ::{file.table}"
            )
        try:
            return attach_format(_read(file, format, memory, layout), format)
        except duckdb.Error as error:
            raise InputError(
                f"{file.name} cannot be read: {summarise_error(error)}; check that it is whole"
            ) from error


def _read(file: LocalFile, format: str, memory: int | None, layout: Layout) -> pa.Table:
    """Read a file of a known format."""
    if format == "parquet":
        return _read_parquet(file, memory)
    if format == "bibtex":
        bibliography = read_bibtex(file.path, file.name, layout.encoding)
        return attach_notes(bibliography.table, bibliography.notes(file.name))
    if format == "sqlite":
        return read_sqlite(file, memory)
    if format == "duckdb":
        return read_duckdb(file, memory)
    if format == "json":
        with recode(file, layout.encoding) as decoded:
            return read_json(decoded, memory)
    if format == "excel":
        (names, table), notes = read_excel(file, layout.header), list[str]()
    else:
        names, table, notes = read_csv(file, memory, layout)
    if names is not None:
        return attach_notes(table.rename_columns(distinguish_names(names)), notes)
    width = table.num_columns
    note = (
        f"{file.name} has no header: its columns are named column_1 to column_{width}; "
        "give header=True if the first row names them"
    )
    if layout.header is None:
        notes.append(note)
    return attach_notes(table.rename_columns(name_columns(width)), notes)


def _detect_format(file: LocalFile) -> str:
    """The format of a file by its first bytes, else by its name; other files are CSV."""
    with file.path.open("rb") as stream:
        head = stream.read(4096)
    if not head:
        raise EmptyInputError(f"{file.name} is empty; give a file with a header and records")
    for offset, magic, format in MAGIC:
        if head[offset:].startswith(magic):
            return format
    if head.startswith((ZIP, OLE)):
        return "excel"
    format = SUFFIXES.get(file.suffix, "")
    if format in ("csv", "json", "bibtex"):
        return format
    if format:
        raise InputError(f"{file.name} is no {format} file; save it again or rename it")
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").decode("latin-1")
    if re.match(r'\{\s*"|\[\s*\{', text):
        return "json"
    return "bibtex" if OPENING.match(text) else "csv"


def _read_parquet(file: LocalFile, memory: int | None) -> pa.Table:
    """Read a Parquet file with the types that it declares."""
    try:
        with pq.ParquetFile(file.path) as stored:
            schema = stored.schema_arrow.remove_metadata()
            batches = (
                batch.replace_schema_metadata(None) for batch in stored.iter_batches(BATCH_ROWS)
            )
            table = gather_batches(batches, schema, memory)
            expected = stored.metadata.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file.name} is not a whole Parquet file: {error}; write it again"
        ) from error
    if table.num_rows != expected:
        raise InputError(
            f"{file.name} declares {expected} records but holds {table.num_rows}; write it again"
        )
    if not expected:
        raise EmptyInputError(f"{file.name} holds no records; give at least one")
    return table
