"""DuckDB as a reader and writer: connections, quoting, and query results as Arrow tables."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from partita.errors import InputError
from partita.io import temporary_folder

__all__ = [
    "BATCH_ROWS",
    "connect",
    "gather_batches",
    "query",
    "quote_name",
    "quote_path",
    "quote_text",
    "summarise_error",
]

BATCH_ROWS = 100_000
"""Rows of a batch."""
MIN_MEMORY = 1 << 28
"""Bytes that the database gets at least."""
CONFINED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings for a database of the user: its views reach no other file, and no extension loads."""
SINGLE_THREAD_BELOW = 1 << 30
"""Bytes of memory below which the database uses a single thread."""


def gather_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, memory: int | None = None
) -> pa.Table:
    """Gather batches into a table; above half of `memory` they go to a memory-mapped file."""
    buffer: list[pa.RecordBatch] = []
    size = 0
    source = iter(batches)
    for batch in source:
        buffer.append(batch)
        size += batch.nbytes
        if memory is not None and size > memory // 2:
            return _map_batches(buffer, source, schema)
    return pa.Table.from_batches(buffer, schema)


def _map_batches(
    buffer: list[pa.RecordBatch], rest: Iterator[pa.RecordBatch], schema: pa.Schema
) -> pa.Table:
    """Write batches to a temporary file and map it; the file lasts as long as the table."""
    try:
        # a deleted file lasts as long as its map
        with temporary_folder() as folder:
            path = str(folder / "records.arrow")
            with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
                while buffer:
                    writer.write_batch(buffer.pop(0))
                for batch in rest:
                    writer.write_batch(batch)
            return pa.ipc.open_file(pa.memory_map(path)).read_all()
    except OSError as error:
        place = tempfile.gettempdir()
        raise InputError(f"no room for records in {place}: {error}; set TMPDIR") from error


@contextmanager
def connect(memory: int | None, path: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection that shares no settings with connections of the user."""
    if path is None:
        connection = duckdb.connect(":memory:")
    else:
        # a view in the file of another person could read any file of this user
        connection = duckdb.connect(str(path), read_only=True, config=CONFINED)
    try:
        connection.execute("SET preserve_insertion_order = true")
        if memory is not None:
            connection.execute(f"SET memory_limit = '{max(memory // 2, MIN_MEMORY)}B'")
            if memory < SINGLE_THREAD_BELOW:
                connection.execute("SET threads = 1")
        yield connection
    finally:
        connection.close()


@contextmanager
def quote_path(path: Path) -> Iterator[str]:
    """Quote a path in SQL; a path that the database would read as a pattern gets an alias."""
    if not re.search(r"[*?\[\]{}]", str(path)):
        yield quote_text(str(path))
        return
    with temporary_folder() as folder:
        alias = folder / ("records" + re.sub(r"[^.\w]", "", "".join(path.suffixes)))
        try:
            alias.symlink_to(path.resolve())
        except OSError:
            shutil.copyfile(path, alias)
        yield quote_text(str(alias))


def quote_text(text: str) -> str:
    """Quote a string in SQL."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(text: str) -> str:
    """Quote a name in SQL."""
    return '"' + text.replace('"', '""') + '"'


def summarise_error(error: Exception) -> str:
    """Return the first line of an error of the database, without its class."""
    return re.sub(r"^[A-Z][A-Za-z ]+ Error: ", "", str(error).strip().splitlines()[0]).rstrip(".")


def query(
    connection: duckdb.DuckDBPyConnection, sql: str, memory: int | None, rows: int = BATCH_ROWS
) -> pa.Table:
    """Run a query and return its result as a table."""
    reader = connection.sql(sql).to_arrow_reader(rows)
    try:
        return gather_batches(reader, reader.schema, memory)
    except (OSError, pa.ArrowException) as error:
        # Arrow wraps errors of the database
        raise duckdb.Error(str(error)) from error
