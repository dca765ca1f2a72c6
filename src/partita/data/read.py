"""One door for all data: files, data frames, Arrow, DuckDB relations and lists of dicts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa

from partita.data.arrow import from_numpy
from partita.data.files import read_file, split_table
from partita.data.table import Codes, Records, encode, get_notes, to_text
from partita.errors import InputError

__all__ = ["ID_NAMES", "SOURCE", "parse_bytes", "read"]

ID_NAMES = ("unique_id", "id")
SOURCE = "source_dataset"
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
ACCEPTED = (
    "a path, a pandas or polars DataFrame, an Arrow table, a DuckDB relation or a list of dicts"
)


def read(
    data: Any,
    *,
    id: str | Literal[False] | None = None,
    source: str | None = None,
    ignore: str | Iterable[str] = (),
    memory: int | str | None = None,
) -> Records:
    """Read records from one or several files or tables.

    Parameters
    ----------
    data
        A path (CSV and relatives, JSON lines, BibTeX, Parquet, `path::table` of a DuckDB or SQLite
        file), a pandas or polars DataFrame, anything with the Arrow stream interface, a DuckDB
        relation, a list of dicts; or several of these, in a list or as a dict from the name of each
        source.
    id
        The column that names each record; by default `unique_id` or `id` in any case, else records
        are numbered from 0. False numbers them in any event.
    source
        The column that says where a record comes from; by default each of several inputs is one
        source, named after its file, in a new column `source_dataset`.
    ignore
        Columns that are kept for the output but not used.
    memory
        Bytes, or text such as "2GB": larger inputs are kept in a temporary file.

    Examples
    --------
    >>> records = read([{"id": 7, "name": "Ann"}, {"id": 9, "name": "Bob", "age": 41}])
    >>> records.names, records.ids.to_pylist()
    (('name', 'age'), [7, 9])
    """
    limit = parse_bytes(memory)
    inputs = _inputs(data)
    opened = [_table(one, limit) for _, one in inputs]
    notes = tuple(note for table in opened for note in get_notes(table))
    tables = [table.replace_schema_metadata(None) for table in opened]
    kind, given = _kind(inputs[0][1]), inputs[0][1] if len(inputs) == 1 else None
    table = tables[0] if len(tables) == 1 else _stacked(tables, [name for name, _ in inputs])
    added = SOURCE if len(tables) > 1 else None
    for name in (id, source):
        if name:
            _known(table, name)
    key = _id_column(table, id)
    codes, sources = _sources(table, source or added)
    ids = _ids(table, key, codes, asked=bool(id))
    left = {key, source, added, *_ignored(table, ignore)}
    names = tuple(name for name in table.column_names if name not in left)
    if not names:
        raise InputError(
            f"no column is left to compare among {', '.join(table.column_names)}; "
            "ignore fewer columns, or give a file with more"
        )
    return Records(table, names, ids, codes, sources, kind, given, notes)


def parse_bytes(memory: int | str | None) -> int | None:
    """A number of bytes from a number or from text such as 2GB."""
    if memory is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", str(memory), re.IGNORECASE)
    if found is None or float(found[1]) <= 0:
        raise InputError(f"memory is {memory!r}; give bytes, or text such as '2GB'")
    return int(float(found[1]) * UNITS[found[2].lower()])


def _kind(one: Any) -> str:
    """What Python kind an input is."""
    library = type(one).__module__.partition(".")[0]
    if isinstance(one, str | Path):
        return "path"
    if isinstance(one, duckdb.DuckDBPyRelation):
        return "duckdb"
    if library in ("pandas", "polars") and type(one).__name__ in ("DataFrame", "LazyFrame"):
        return library
    if isinstance(one, Sequence) and all(isinstance(row, Mapping) for row in one):
        return "dicts"
    if hasattr(one, "__arrow_c_stream__"):
        return "arrow"
    raise InputError(f"data is a {type(one).__name__}; give {ACCEPTED}")


def _inputs(data: Any) -> list[tuple[str, Any]]:
    """The inputs with a name each; names of sources are told apart."""
    if isinstance(data, Mapping):
        found = [(str(name), one) for name, one in data.items()]
        columns = (one for _, one in found if isinstance(one, list | tuple))
        if not all(isinstance(row, Mapping) for one in columns for row in one):
            raise InputError("data is a dict of columns; give a list of dicts, one for each record")
    elif isinstance(data, list | tuple) and not (data and isinstance(data[0], Mapping)):
        found = [(_stem(one, at), one) for at, one in enumerate(data)]
    else:
        found = [(_stem(data, 0), data)]
    if not found:
        raise InputError(f"data is empty; give {ACCEPTED}")
    names: list[str] = []
    for name, _ in found:
        number = sum(one == name or one.startswith(f"{name}_") for one in names)
        names.append(f"{name}_{number + 1}" if name in names else name)
    return [(name, one) for name, (_, one) in zip(names, found, strict=True)]


def _stem(one: Any, at: int) -> str:
    """The name of a source: the stem of its file and its table, or its number."""
    if not isinstance(one, str | Path):
        return f"source_{at + 1}"
    path, table = split_table(str(one))
    stem = path.name.partition(".")[0] or path.name
    return f"{stem}.{table}" if table else stem


def _table(one: Any, memory: int | None) -> pa.Table:
    """One input as an Arrow table with distinct names and at least one record."""
    kind = _kind(one)
    if kind == "path":
        table = read_file(one, memory)
    elif kind == "pandas":
        table = _columns({str(name): one.iloc[:, at] for at, name in enumerate(one.columns)}, one)
    elif kind == "dicts":
        keys = dict.fromkeys(str(key) for row in one for key in row)
        table = _columns({key: [row.get(key) for row in one] for key in keys}, None)
    elif kind == "duckdb":
        table = one.to_arrow_table()
    else:
        if type(one).__name__ == "LazyFrame":
            one = one.collect()
        table = one if isinstance(one, pa.Table) else pa.table(one)
    repeated = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if repeated:
        raise InputError(f"two columns are called {repeated[0]!r}; rename one of them")
    if not table.num_rows:
        raise InputError("the data has columns but no records; give at least one record")
    return table


def _columns(values: dict[str, Any], frame: Any) -> pa.Table:
    """A table of columns of Python or pandas values; columns of mixed types become text."""
    if frame is not None and len(values) < frame.shape[1]:
        raise InputError("two columns of the DataFrame have the same name; rename one of them")
    if not values:
        raise InputError("the data has no columns; give at least one")
    return pa.table({name: _array(column) for name, column in values.items()})


def _array(column: Any) -> pa.Array | pa.ChunkedArray:
    """An Arrow array of a column; mixed values are written as text."""
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        missing = (value is None or value != value for value in column)
        pairs = zip(column, missing, strict=True)
        return pa.array([None if no else str(value) for value, no in pairs], pa.string())


def _stacked(tables: Sequence[pa.Table], names: Sequence[str]) -> pa.Table:
    """All inputs under each other: columns by name, the name of the source in front."""
    shared = set.intersection(*(set(table.column_names) for table in tables))
    if not {name for name in shared if name.lower() not in ID_NAMES}:
        raise InputError(
            "the inputs have no column in common to compare; rename columns so that they agree"
        )
    order = dict.fromkeys(name for table in tables for name in table.column_names)
    if SOURCE in order:
        raise InputError(f"an input has a column {SOURCE!r} already; rename it")
    columns: dict[str, Any] = {SOURCE: pa.chunked_array(_labels(tables, names))}
    for name in order:
        parts = [_part(table, name) for table in tables]
        types = {part.type for part in parts if not pa.types.is_null(part.type)}
        if len(types) > 1:
            parts, types = [to_text(part) for part in parts], {pa.string()}
        kind = types.pop() if types else pa.null()
        chunks = [chunk for part in parts for chunk in part.cast(kind).chunks]
        columns[name] = pa.chunked_array(chunks, kind)
    return pa.table(columns)


def _labels(tables: Sequence[pa.Table], names: Sequence[str]) -> list[pa.Array]:
    """The name of the source of each record."""
    return [
        pa.repeat(name, table.num_rows).cast(pa.string())
        for name, table in zip(names, tables, strict=True)
    ]


def _part(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column, all missing if the table has none of this name."""
    if name in table.column_names:
        return table.column(name)
    return pa.chunked_array([pa.nulls(table.num_rows)])


def _known(table: pa.Table, name: str) -> str:
    """The name, if it is a column."""
    if name in table.column_names:
        return name
    close = difflib.get_close_matches(name, table.column_names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(table.column_names)}"
    raise InputError(f"there is no column {name!r}; {hint}")


def _ignored(table: pa.Table, ignore: str | Iterable[str]) -> set[str]:
    """The columns to leave out."""
    return {_known(table, name) for name in ([ignore] if isinstance(ignore, str) else ignore)}


def _id_column(table: pa.Table, id: str | Literal[False] | None) -> str | None:
    """The column of ids, or None where records are numbered."""
    if id is not None:
        return id or None
    for wanted in ID_NAMES:
        for name in table.column_names:
            if name.lower() == wanted:
                return str(name)
    return None


def _sources(table: pa.Table, column: str | None) -> tuple[Codes | None, tuple[str, ...]]:
    """The source of each record as a code, and the names of the sources."""
    if column is None:
        return None, ()
    codes, values = encode(table.column(column), column)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0)) + 1
        raise InputError(f"record {row} has no source in column {column!r}; fill it in")
    return codes, tuple(values.to_pylist())


def _ids(table: pa.Table, column: str | None, sources: Codes | None, asked: bool) -> pa.Array:
    """The id of each record, distinct within its source."""
    if column is None:
        return from_numpy(np.arange(table.num_rows))
    given = table.column(column)
    codes, values = encode(given, column)
    other = (
        ""
        if asked
        else ", name another column of ids, or number the records (an empty --id, or id=False)"
    )
    if (codes < 0).any():
        row = int(np.argmax(codes < 0)) + 1
        raise InputError(f"record {row} has no id in column {column!r}; fill it in{other}")
    keys = codes.astype(np.int64)
    if sources is not None:
        keys += sources.astype(np.int64) * len(values)
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        raise InputError(
            f"records {first + 1} and {second + 1} have the same id "
            f"{values[int(codes[first])].as_py()!r} in column {column!r}; make ids distinct{other}"
        )
    combined = given.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined
