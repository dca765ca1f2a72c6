"""One function reads all data: files, data frames, Arrow, DuckDB relations and Python objects."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from partita.data.arrow import from_numpy
from partita.data.inputs import infer_input_type, list_inputs, load_table
from partita.data.layout import Layout
from partita.data.source_column import is_source_name
from partita.data.stack import SOURCE, ColumnMap, check_common, find_single_columns, rename, stack
from partita.data.table import Codes, Records, encode, get_format, get_notes, list_some
from partita.errors import InputError

__all__ = ["ID_NAMES", "SOURCE", "parse_bytes", "read", "read_records"]

ID_NAMES = ("unique_id", "id")
"""Names of columns, in any case, that hold ids by default."""
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def read(
    data: Any,
    *,
    id: str | Literal[False] | None = None,
    source: str | None = None,
    ignore: str | Iterable[str] = (),
    memory: int | str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    map: ColumnMap | None = None,
) -> Records:
    """Read records from one or several files or tables.

    Parameters
    ----------
    data
        A path (CSV and relatives, JSON lines, BibTeX, Parquet, Excel; `path::table` of a DuckDB or
        SQLite file, `path::sheet` of a workbook, `path::file` of a .zip archive; .gz of any of
        these; `postgresql://host/database::table`; "-" for standard input), a pandas or polars
        DataFrame, anything with the Arrow stream interface, a DuckDB relation, a list of dicts; a
        Series, an Arrow array or a list of strings as a single column; or several of these, in a
        list or as a dict from the name of each source. Records are returned as they are.
    id
        The column that names each record; by default `unique_id` or `id` in any case, else records
        are numbered from 0. False always numbers them.
    source
        The column that holds the source of a record; by default each of several inputs is one
        source, named after its file, in a new column `source_dataset`.
    ignore
        Columns that stay in the output but are not used.
    memory
        Bytes, or text such as "2GB": larger inputs are kept in a temporary file.
    header
        Whether the first row of a CSV or Excel file names the columns; by default the content
        decides.
    encoding, delimiter
        The encoding of text files, such as "shift_jis", and the character between the fields of CSV
        files; by default the content decides.
    map
        New names of columns, so that columns of several inputs agree: {"A.csv": {"name": "title"}},
        or text such as "A.name=B.title", or a list of such texts.

    Examples
    --------
    >>> records = read([{"id": 7, "name": "Ann"}, {"id": 9, "name": "Bob", "age": 41}])
    >>> records.names, records.ids.to_pylist()
    (('name', 'age'), [7, 9])
    >>> records = read({"A": [{"name": "Ann"}], "B": [{"who": "Ann"}]}, map="B.who=A.name")
    >>> records.names, records.source_names
    (('name',), ('A', 'B'))
    """
    layout = Layout.of(header, encoding, delimiter)
    records = read_records(
        data, layout, id=id, source=source, ignore=ignore, memory=memory, map=map
    )
    layout.check_use(records.formats)
    return records


def read_records(
    data: Any,
    layout: Layout,
    *,
    id: str | Literal[False] | None = None,
    source: str | None = None,
    ignore: str | Iterable[str] = (),
    memory: int | str | None = None,
    map: ColumnMap | None = None,
) -> Records:
    """Read records as `read` does, whether or not the layout concerns a file."""
    if isinstance(data, Records):
        return data
    limit = parse_bytes(memory)
    inputs = list_inputs(data)
    loaded = [load_table(item.data, limit, layout) for item in inputs]
    formats = frozenset(get_format(table) for table in loaded)
    notes = [note for table in loaded for note in get_notes(table)]
    tables = rename([table.replace_schema_metadata(None) for table in loaded], inputs, map)
    is_stacked = len(tables) > 1
    table = stack(tables, [item.source for item in inputs]) if is_stacked else tables[0]
    added = SOURCE if is_stacked else None
    for name in (id, source):
        if name:
            _check_column(table, name)
    key = _find_id_column(table, id)
    codes, sources = _encode_sources(table, source or added)
    ids = _get_ids(table, key, codes, is_chosen=bool(id))
    unused = {key, source, added, *_check_ignored(table, ignore)}
    names = tuple(name for name in table.column_names if name not in unused)
    if not names:
        raise InputError(
            f"no column is left to compare among {', '.join(table.column_names)}; "
            "ignore fewer columns, or give a file with more"
        )
    if is_stacked:
        check_common(tables, inputs, [name for name in names if name.lower() not in ID_NAMES])
        notes += find_single_columns(tables, inputs)
    original = None if is_stacked else inputs[0].data
    type = infer_input_type(inputs[0].data)
    return Records(table, names, ids, codes, sources, type, original, tuple(notes), key, formats)


def parse_bytes(memory: int | str | None) -> int | None:
    """Parse a number of bytes from a number or from text such as 2GB."""
    if memory is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", str(memory), re.IGNORECASE)
    if match is None or float(match[1]) <= 0:
        raise InputError(f"memory is {memory!r}; give bytes, or text such as '2GB'")
    return int(float(match[1]) * UNITS[match[2].lower()])


def _check_column(table: pa.Table, name: str) -> str:
    """Return the name if it is a column, else raise an InputError."""
    if name in table.column_names:
        return name
    close = difflib.get_close_matches(name, table.column_names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {list_some(table.column_names)}"
    raise InputError(f"there is no column {name!r}; {hint}")


def _check_ignored(table: pa.Table, ignore: str | Iterable[str]) -> set[str]:
    """Check and return the columns to ignore."""
    return {
        _check_column(table, name) for name in ([ignore] if isinstance(ignore, str) else ignore)
    }


def _find_id_column(table: pa.Table, id: str | Literal[False] | None) -> str | None:
    """Find the column of ids; None numbers the records."""
    if id is not None:
        return id or None
    for id_name in ID_NAMES:
        for name in table.column_names:
            if name.lower() == id_name:
                return str(name)
    return None


def _encode_sources(table: pa.Table, column: str | None) -> tuple[Codes | None, tuple[str, ...]]:
    """Encode the source of each record; return codes and names of the sources."""
    if column is None:
        return None, ()
    codes, values = encode(table.column(column), column)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0)) + 1
        raise InputError(f"record {row} has no source in column {column!r}; fill it in")
    return codes, tuple(values.to_pylist())


def _get_ids(
    table: pa.Table, column: str | None, sources: Codes | None, is_chosen: bool
) -> pa.Array:
    """Get the id of each record and check that ids are distinct within a source."""
    if column is None:
        return from_numpy(np.arange(table.num_rows))
    id_column = table.column(column)
    codes, values = encode(id_column, column)
    remedy = (
        ""
        if is_chosen
        else ", name another column of ids, or number the records (an empty --id, or id=False)"
    )
    if (codes < 0).any():
        row = int(np.argmax(codes < 0)) + 1
        raise InputError(f"record {row} has no id in column {column!r}; fill it in{remedy}")
    keys = codes.astype(np.int64)
    if sources is not None:
        keys += sources.astype(np.int64) * len(values)
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(repeats):
        first, second = order[repeats[0]], order[repeats[0] + 1]
        named = filter(is_source_name, table.column_names if sources is None else ())
        sources_hint = "".join(
            f"name the column of sources (--source {name}), or " for name in named
        )
        raise InputError(
            f"records {first + 1} and {second + 1} have the same id "
            f"{values[int(codes[first])].as_py()!r} in column {column!r}; {sources_hint}make ids "
            f"distinct{remedy}"
        )
    combined = id_column.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined
