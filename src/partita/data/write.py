"""Results beside the input: one row for each record, in the order of the input.

A new column never takes the name of an input column, since a reader could confuse the two:
`check_output` raises, and recipes call it before they start.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from partita.data.arrow import from_numpy
from partita.data.duckdb import connect, quote_text
from partita.data.postgres import hide_password, is_postgres, parse_address, write_postgres
from partita.data.safe_cells import protect
from partita.data.sources import STREAM
from partita.data.table import Records
from partita.errors import InputError
from partita.io import atomic_write, cannot_write, resolve_path, temporary_folder

__all__ = [
    "check_output",
    "check_path",
    "convert_table",
    "extend_input",
    "write",
    "write_table",
]

FORMATS = {
    ".csv": "FORMAT csv, HEADER true",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
}
"""Options of the database by the ending of a file."""


def check_output(records: Records, names: Iterable[str], path: str | Path | None = None) -> None:
    """Raise an InputError if columns of these names, or a file at this path, cannot be written."""
    input_names = set(records.table.column_names)
    for name in names:
        if name in input_names:
            raise InputError(
                f"the input has a column {name!r} already, perhaps from an earlier run; "
                "drop or rename it, so that the result is not mistaken for it"
            )
    if path is not None:
        check_path(path)
    # the database that writes files ignores case in names
    lowered: dict[str, str] = {}
    for name in (*records.table.column_names, *names):
        other = lowered.setdefault(name.lower(), name)
        if other != name:
            raise InputError(f"columns {other!r} and {name!r} differ in case only; rename one")


def check_path(path: str | Path, endings: Iterable[str] = FORMATS) -> None:
    """Raise an InputError if no file of one of these endings can be written at a path.

    "-" is standard output, where tables are written as CSV; an address of PostgreSQL has no ending.
    """
    target = Path(path)
    if (str(path) == STREAM or is_postgres(path)) and ".csv" in endings:
        return
    if target.suffix.lower() not in endings:
        raise InputError(f"{target} must end in {' or '.join(endings)}; rename the output")
    if resolve_path(target).is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; make it first")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"nothing can be written to {target.parent}; choose another folder")


def write(records: Records, columns: Mapping[str, Any], path: str | Path) -> Path:
    """Write the input and new columns to a file, to a table of PostgreSQL, or to "-" as CSV."""
    check_output(records, columns, path)
    return write_table(_append_columns(records, columns), path)


def write_table(table: pa.Table, path: str | Path) -> Path:
    """Write a table to a file or a database, which a failure leaves as it was, or to "-" as CSV."""
    check_path(path)
    if is_postgres(path):
        write_postgres(str(path), {parse_address(str(path)).table: table})
        return Path(hide_password(str(path)))
    if str(path) == STREAM:
        _write_stream(table)
        return Path(path)
    target = resolve_path(path)
    try:
        with atomic_write(target) as (temporary,):
            _copy(table, temporary, FORMATS[target.suffix.lower()])
    except (OSError, duckdb.Error) as error:
        raise cannot_write(target, error) from error
    return target


def _write_stream(table: pa.Table) -> None:
    """Write a table as CSV to standard output."""
    try:
        with temporary_folder() as folder:
            path = folder / "result.csv"
            _copy(table, path, FORMATS[".csv"])
            sys.stdout.flush()
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
    except (OSError, duckdb.Error) as error:
        raise cannot_write("standard output", error) from error


def _copy(table: pa.Table, path: Path, options: str) -> None:
    """Write a table by the database, in order."""
    if "parquet" in options and any("duration" in str(type) for type in table.schema.types):
        # the database would write durations as bytes, and refuses negative ones
        pq.write_table(table, path)
        return
    with connect(None) as connection:
        if "csv" in options:
            table = protect(table)
        connection.register("result", _quote_numbers(table) if "json" in options else table)
        connection.execute(f"COPY (SELECT * FROM result) TO {quote_text(str(path))} ({options})")


def _quote_numbers(table: pa.Table) -> pa.Table:
    """Convert columns with NaN or infinite numbers to text, since JSON has no such numbers."""
    for at, column in enumerate(table.columns):
        if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column)).as_py():
            texts = (None if value is None else _name_number(value) for value in column.to_pylist())
            table = table.set_column(at, table.column_names[at], pa.array(texts, pa.string()))
    return table


def _name_number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _append_columns(records: Records, columns: Mapping[str, Any]) -> pa.Table:
    """Append new columns to the input."""
    table = records.original()
    for name, values in columns.items():
        table = table.append_column(name, _make_column(records, name, values))
    return table


def _make_column(records: Records, name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    """Make a new column of Arrow, with one value for each record."""
    arrow = isinstance(values, pa.Array | pa.ChunkedArray)
    data = values if arrow else np.asarray(values)
    array = data if arrow else from_numpy(data) if data.dtype.kind in "iuf" else pa.array(data)
    if len(array) != records.n:
        raise InputError(f"column {name!r} has {len(array)} values for {records.n} records")
    return array


def extend_input(records: Records, columns: Mapping[str, Any]) -> Any:
    """Return the input with new columns in its own type; a path becomes an Arrow table."""
    check_output(records, columns)
    added = {name: _make_column(records, name, values) for name, values in columns.items()}
    type, original = records.input_type, records.input
    if type == "pandas" and original is not None:
        # the frame itself, so that its index and its types stay
        return original.assign(**{name: _to_numpy(array) for name, array in added.items()})
    table = _append_columns(records, added)
    if type == "dicts":
        return _extend_dicts(records, table, added)
    return convert_table(table, type)


def convert_table(table: pa.Table, type: str) -> Any:
    """Convert an Arrow table to the type of an input: pandas, polars, duckdb or dicts."""
    if type == "pandas":
        return table.to_pandas()
    if type == "polars":
        import polars

        return polars.from_arrow(table)
    if type == "duckdb":
        return duckdb.from_arrow(table)
    return table.to_pylist() if type == "dicts" else table


def _to_numpy(array: pa.Array | pa.ChunkedArray) -> Any:
    """Convert an array to NumPy."""
    return array.to_numpy(zero_copy_only=False) if isinstance(array, pa.Array) else array.to_numpy()


def _extend_dicts(
    records: Records, table: pa.Table, added: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Extend the dicts of the input, each with its results."""
    if records.input is None:
        return list(table.to_pylist())
    new = zip(*(array.to_pylist() for array in added.values()), strict=True)
    rows = zip(records.input, new, strict=True) if added else ((row, ()) for row in records.input)
    return [{**row, **dict(zip(added, values, strict=True))} for row, values in rows]
