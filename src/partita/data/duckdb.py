"""DuckDB as a reader and writer: connections, quoting, and answers as Arrow tables."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from partita.errors import InputError

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
MIN_MEMORY = 1 << 28
"""Bytes that the database gets at least."""
SINGLE_THREAD_BELOW = 1 << 30
"""Bytes of memory below which the database uses a single thread."""


def gather_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, memory: int | None = None
) -> pa.Table:
    """One table of all batches; beyond half of `memory` it is kept in a file that is mapped."""
    held: list[pa.RecordBatch] = []
    size = 0
    source = iter(batches)
    for batch in source:
        held.append(batch)
        size += batch.nbytes
        if memory is not None and size > memory // 2:
            return _mapped(held, source, schema)
    return pa.Table.from_batches(held, schema)


def _mapped(
    held: list[pa.RecordBatch], rest: Iterator[pa.RecordBatch], schema: pa.Schema
) -> pa.Table:
    """A table that lives in a temporary file until nobody holds it."""
    folder = tempfile.mkdtemp(prefix="partita-")
    path = Path(folder) / "records.arrow"
    try:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            while held:
                writer.write_batch(held.pop(0))
            for batch in rest:
                writer.write_batch(batch)
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"no room for records in {folder}: {error}; set TMPDIR") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # a mapped file without a name lasts as long as the map; some systems refuse, and wait
    shutil.rmtree(folder, ignore_errors=True)
    if Path(folder).exists():
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return table


@contextmanager
def connect(memory: int | None, path: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own, so that no setting of the user's changes what is read."""
    if path is None:
        opened = duckdb.connect(":memory:")
    else:
        opened = duckdb.connect(str(path), read_only=True)
    try:
        opened.execute("SET preserve_insertion_order = true")
        if memory is not None:
            opened.execute(f"SET memory_limit = '{max(memory // 2, MIN_MEMORY)}B'")
            if memory < SINGLE_THREAD_BELOW:
                opened.execute("SET threads = 1")
        yield opened
    finally:
        opened.close()


@contextmanager
def quote_path(path: Path) -> Iterator[str]:
    """The path as SQL writes it; names that the database would take for patterns get an alias."""
    if not re.search(r"[*?\[\]{}]", str(path)):
        yield quote_text(str(path))
        return
    with tempfile.TemporaryDirectory(prefix="partita-") as folder:
        alias = Path(folder) / ("records" + re.sub(r"[^.\w]", "", "".join(path.suffixes)))
        try:
            alias.symlink_to(path.resolve())
        except OSError:
            shutil.copyfile(path, alias)
        yield quote_text(str(alias))


def quote_text(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(text: str) -> str:
    """A name as SQL writes it."""
    return '"' + text.replace('"', '""') + '"'


def summarise_error(error: Exception) -> str:
    """The first line of a message of the database, without the class of the error."""
    return re.sub(r"^[A-Z][A-Za-z ]+ Error: ", "", str(error).strip().splitlines()[0]).rstrip(".")


def query(
    opened: duckdb.DuckDBPyConnection, sql: str, memory: int | None, rows: int = BATCH_ROWS
) -> pa.Table:
    """The answer of a query as a table."""
    reader = opened.sql(sql).to_arrow_reader(rows)
    try:
        return gather_batches(reader, reader.schema, memory)
    except (OSError, pa.ArrowException) as error:
        # Arrow hands on what the database says in errors of its own
        raise duckdb.Error(str(error)) from error
