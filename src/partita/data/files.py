"""Files of any kind to Arrow: text tables, JSON lines, BibTeX, Parquet, DuckDB and SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from partita.data.bibtex import read_bibtex
from partita.data.csv import read_csv
from partita.data.dialect import read_chunks
from partita.data.duckdb import (
    BATCH_ROWS,
    connect,
    gather_batches,
    query,
    quote_name,
    quote_path,
    quote_text,
    summarise_error,
)
from partita.data.table import attach_notes
from partita.errors import InputError

__all__ = ["read_file", "split_table"]

SUFFIXES = {
    **{".jsonl": "json", ".ndjson": "json", ".json": "json", ".bib": "bibtex"},
    **{".xlsx": "excel", ".xls": "excel"},
}
# these readings of a JSON string would change how it looks; the text is kept instead
RESHAPED = ("DATE", "TIME", "UUID", "JSON")


def split_table(given: str) -> tuple[Path, str | None]:
    """The path and the table of `path::table`."""
    path, mark, table = given.partition("::")
    return Path(path), table if mark else None


def read_file(given: str | Path, memory: int | None = None) -> pa.Table:
    """All records of one file; text stays text, other types stay as they are."""
    path, table = split_table(str(given))
    kind = _kind(path)
    if table is not None and kind not in ("duckdb", "sqlite"):
        raise InputError(f"{path} is no database, so it has no table {table!r}; drop ::{table}")
    if kind == "parquet":
        return _parquet(path, memory)
    if kind == "bibtex":
        found = read_bibtex(path)
        return attach_notes(found.table, found.notes(path))
    if kind == "sqlite":
        return _sqlite(path, table, memory)
    try:
        if kind == "duckdb":
            return _duckdb(path, table, memory)
        return _json(path, memory) if kind == "json" else read_csv(path, memory)
    except duckdb.Error as error:
        raise InputError(f"{path} cannot be read: {summarise_error(error)}") from error


def _kind(path: Path) -> str:
    """The kind of a file by its first bytes, else by its name; everything else is a text table."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name the file inside it")
    if not path.exists():
        raise InputError(f"there is no file {path}; check the path")
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}); check its rights") from error
    if not head:
        raise InputError(f"{path} is empty; give a file with a header and records")
    if head[:4] == b"PAR1":
        return "parquet"
    if head.startswith(b"SQLite format 3"):
        return "sqlite"
    if head[8:12] == b"DUCK":
        return "duckdb"
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    kind = SUFFIXES.get(name.suffix.lower(), "text")
    if kind == "excel" or head[:4] == b"PK\x03\x04":
        raise InputError(f"{path} is a spreadsheet or an archive; save it as CSV or Parquet")
    return kind


def _json(path: Path, memory: int | None) -> pa.Table:
    """JSON lines; every key of every line becomes a column, strings stay as they are written."""
    lines = path.suffix.lower() != ".json"
    layout = "newline_delimited" if lines else "auto"
    with quote_path(path) as given, connect(memory) as opened:
        base = f"read_json({given}, format = '{layout}', records = true"
        found = opened.sql(
            f"DESCRIBE SELECT * FROM {base}, sample_size = -1, map_inference_threshold = -1)"
        ).fetchall()
        types = {row[0]: _as_written(row[1]) for row in found}
        _check_keys(path, list(types), opened, given)
        columns = ", ".join(f"{quote_text(key)}: {quote_text(one)}" for key, one in types.items())
        table = query(opened, f"SELECT * FROM {base}, columns = {{{columns}}})", memory)
    if lines:
        expected = _lines(path)
        if table.num_rows != expected:
            raise InputError(
                f"{path} has {expected} lines with text, but {table.num_rows} records were read; "
                "write one JSON object on each line"
            )
    if not table.num_rows:
        raise InputError(f"{path} holds no records; give at least one")
    return table


def _check_keys(path: Path, keys: list[str], opened: duckdb.DuckDBPyConnection, given: str) -> None:
    """Raises where the database renamed a key that differs from another in case only."""
    lowered = {key.lower() for key in keys}
    for key in keys:
        stem, mark, number = key.rpartition("_")
        if mark and number.isdigit() and stem.lower() in lowered:
            pointer = quote_text("/" + key.replace("~", "~0").replace("/", "~1"))
            there = opened.sql(
                f"SELECT count(*) FROM read_json_objects({given}) "
                f"WHERE json_exists(json, {pointer})"
            ).fetchall()
            if not there[0][0]:
                raise InputError(f"keys of {path} differ from {stem!r} in case only; rename them")


def _as_written(kind: str) -> str:
    """The type to read JSON as: the one that was found, or text where it would change the value."""
    return "VARCHAR" if any(word in kind for word in RESHAPED) else kind


def _lines(path: Path) -> int:
    """The number of lines that hold more than blanks."""
    count, rest = 0, b""
    for block in read_chunks(path):
        *whole, rest = (rest + block).split(b"\n")
        count += sum(1 for line in whole if line.strip())
    return count + bool(rest.strip())


def _parquet(path: Path, memory: int | None) -> pa.Table:
    """A Parquet file with the types that it declares."""
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow.remove_metadata()
            batches = (
                batch.replace_schema_metadata(None) for batch in file.iter_batches(BATCH_ROWS)
            )
            table = gather_batches(batches, schema, memory)
            expected = file.metadata.num_rows
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is not a whole Parquet file: {error}; write it again") from error
    if table.num_rows != expected:
        raise InputError(
            f"{path} says {expected} records but holds {table.num_rows}; write it again"
        )
    if not expected:
        raise InputError(f"{path} holds no records; give at least one")
    return table


def _chosen(path: Path, table: str | None, tables: list[str]) -> str:
    """The table to read: the named one, or the only one."""
    if table is None and len(tables) == 1:
        return tables[0]
    if table in tables:
        return str(table)
    there = ", ".join(tables) or "none"
    what = f"no table {table!r}" if table is not None else f"{len(tables)} tables"
    raise InputError(f"{path} has {what}; write {path}::NAME with one of: {there}")


def _duckdb(path: Path, table: str | None, memory: int | None) -> pa.Table:
    """A table or view of a DuckDB file."""
    with connect(memory, path) as opened:
        found = opened.sql(
            "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"
        ).fetchall()
        named = {
            one
            if schema == "main"
            else f"{schema}.{one}": f"{quote_name(schema)}.{quote_name(one)}"
            for schema, one in found
        }
        chosen = _chosen(path, table, list(named))
        answer = query(opened, f"SELECT * FROM {named[chosen]}", memory)
    if not answer.num_rows:
        raise InputError(f"{path}::{chosen} holds no records; give at least one")
    return answer


def _sqlite(path: Path, table: str | None, memory: int | None) -> pa.Table:
    """A table or view of a SQLite file, by the standard library: DuckDB would have to download."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as opened:
            found = opened.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            )
            chosen = _chosen(path, table, [row[0] for row in found])
            schema = _sqlite_schema(opened, chosen)
            answer = gather_batches(_sqlite_batches(opened, chosen, schema), schema, memory)
            expected = opened.execute(f"SELECT count(*) FROM {quote_name(chosen)}").fetchone()[0]
    except sqlite3.Error as error:
        raise InputError(f"{path} cannot be read: {error}; check that it is whole") from error
    if answer.num_rows != expected:
        raise InputError(f"{path} changed while it was read; read it again")
    if not expected:
        raise InputError(f"{path}::{chosen} holds no records; give at least one")
    return answer


def _sqlite_schema(opened: sqlite3.Connection, table: str) -> pa.Schema:
    """Types by the values found, since SQLite's columns promise none."""
    fields = []
    for row in opened.execute(f"PRAGMA table_info({quote_name(table)})").fetchall():
        kinds = {
            one[0]
            for one in opened.execute(
                f"SELECT DISTINCT typeof({quote_name(row[1])}) FROM {quote_name(table)}"
            )
        } - {"null"}
        if kinds == {"integer"}:
            kind = pa.int64()
        elif kinds and kinds <= {"integer", "real"}:
            kind = pa.float64()
        else:
            kind = pa.string()
        fields.append(pa.field(row[1], kind))
    return pa.schema(fields)


def _sqlite_batches(
    opened: sqlite3.Connection, table: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The rows of a table, some thousands at a time."""
    columns = ", ".join(
        f"CASE typeof({quote_name(field.name)}) WHEN 'blob' THEN hex({quote_name(field.name)}) "
        f"ELSE CAST({quote_name(field.name)} AS TEXT) END"
        if pa.types.is_string(field.type)
        else quote_name(field.name)
        for field in schema
    )
    cursor = opened.execute(f"SELECT {columns} FROM {quote_name(table)}")
    while rows := cursor.fetchmany(BATCH_ROWS // 10):
        arrays = [
            pa.array(values, field.type)
            for values, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        yield pa.record_batch(arrays, schema=schema)
