"""Tables of DuckDB and SQLite files to Arrow."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa

from partita.data.duckdb import BATCH_ROWS, connect, gather_batches, query, quote_name
from partita.data.sources import LocalFile, choose_table
from partita.data.table import attach_notes
from partita.errors import EmptyInputError, InputError

__all__ = ["read_duckdb", "read_sqlite"]

HIDDEN = 1
"""Mark of a column that is part of a virtual table alone; 2 and 3 mark generated columns."""
EXACT_FLOAT = 2**53
"""Whole numbers up to this one are exact as 64-bit floats."""


def read_duckdb(file: LocalFile, memory: int | None) -> pa.Table:
    """Read a table or view of a DuckDB file."""
    with connect(memory, file.path) as connection:
        rows = connection.sql(
            "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"
        ).fetchall()
        quoted = {
            table if schema == "main" else f"{schema}.{table}": (
                f"{quote_name(schema)}.{quote_name(table)}"
            )
            for schema, table in rows
        }
        table_name = choose_table(file.name, file.table, list(quoted))
        answer = query(connection, f"SELECT * FROM {quoted[table_name]}", memory)
    if not answer.num_rows:
        raise EmptyInputError(f"{file.name}::{table_name} holds no records; give at least one")
    return answer


def read_sqlite(file: LocalFile, memory: int | None) -> pa.Table:
    """Read a table or view of a SQLite file by the standard library: DuckDB needs a download."""
    try:
        uri = f"{file.path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            # functions and virtual tables in the schema of another person are not run
            connection.execute("PRAGMA trusted_schema = OFF")
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            )
            table_name = choose_table(file.name, file.table, [row[0] for row in tables])
            schema = _infer_schema(connection, table_name)
            blobs = _find_blobs(connection, table_name, schema)
            answer = gather_batches(_read_batches(connection, table_name, schema), schema, memory)
            count = f"SELECT count(*) FROM {quote_name(table_name)}"
            expected = connection.execute(count).fetchone()[0]
    except (sqlite3.Error, OverflowError) as error:
        raise InputError(f"{file.name} cannot be read: {error}; check that it is whole") from error
    if answer.num_rows != expected:
        raise InputError(f"{file.name} changed while it was read; read it again")
    if not expected:
        raise EmptyInputError(f"{file.name}::{table_name} holds no records; give at least one")
    notes = [
        f"{file.name}: column {name!r} holds binary values, which are written as hexadecimal digits"
        for name in blobs
    ]
    return attach_notes(answer, notes)


def _infer_schema(connection: sqlite3.Connection, table: str) -> pa.Schema:
    """Infer types from the values, since SQLite does not enforce the types of columns."""
    fields = []
    for row in connection.execute(f"PRAGMA table_xinfo({quote_name(table)})").fetchall():
        if row[-1] == HIDDEN:
            continue
        column = quote_name(row[1])
        answers = connection.execute(f"SELECT DISTINCT typeof({column}) FROM {quote_name(table)}")
        types = {answer[0] for answer in answers} - {"null"}
        if types == {"integer"}:
            type = pa.int64()
        elif types and types <= {"integer", "real"} and _fits_float(connection, table, column):
            type = pa.float64()
        else:
            type = pa.string()
        fields.append(pa.field(row[1], type))
    return pa.schema(fields)


def _find_blobs(connection: sqlite3.Connection, table: str, schema: pa.Schema) -> list[str]:
    """The columns with binary values."""
    return [
        field.name
        for field in schema
        if pa.types.is_string(field.type)
        and connection.execute(
            f"SELECT 1 FROM {quote_name(table)} WHERE typeof({quote_name(field.name)}) = 'blob' "
            "LIMIT 1"
        ).fetchone()
    ]


def _fits_float(connection: sqlite3.Connection, table: str, column: str) -> bool:
    """Whether the whole numbers of a column are exact as 64-bit floats."""
    low, high = connection.execute(
        f"SELECT min({column}), max({column}) FROM {quote_name(table)} "
        f"WHERE typeof({column}) = 'integer'"
    ).fetchone()
    return low is None or (low >= -EXACT_FLOAT and high <= EXACT_FLOAT)


def _read_batches(
    connection: sqlite3.Connection, table: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table in batches."""
    columns = ", ".join(quote_name(field.name) for field in schema)
    cursor = connection.execute(f"SELECT {columns} FROM {quote_name(table)}")
    while rows := cursor.fetchmany(BATCH_ROWS // 10):
        arrays = [
            pa.array(
                map(_to_text, values) if pa.types.is_string(field.type) else values, field.type
            )
            for values, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        yield pa.record_batch(arrays, schema=schema)


def _to_text(value: str | int | float | bytes | None) -> str | None:
    """Convert a value of a column of several types; SQLite itself rounds to 15 digits."""
    if isinstance(value, bytes):
        return value.hex().upper()
    return value if value is None or isinstance(value, str) else repr(value)
