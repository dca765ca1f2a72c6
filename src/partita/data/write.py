"""Results beside the input: one row for each record, in the order of the input.

A new column never takes the name of an input column, since a reader could not tell which of two
`cluster_id` is new: `check_output` says so, and recipes call it before they work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from partita.data.arrow import from_numpy
from partita.data.duckdb import connect, quote_text
from partita.data.table import Records
from partita.errors import InputError
from partita.io import atomic_write, cannot_write

__all__ = ["check_output", "check_path", "extend_input", "write", "write_table"]

FORMATS = {
    ".csv": "FORMAT csv, HEADER true",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
}


def check_output(records: Records, names: Iterable[str], path: str | Path | None = None) -> None:
    """Raises if results of these names, or at this path, could not be written later."""
    taken = set(records.table.column_names)
    for name in names:
        if name in taken:
            raise InputError(
                f"the input has a column {name!r} already, perhaps from an earlier run; "
                "drop or rename it, so that the result is not mistaken for it"
            )
    if path is not None:
        check_path(path)
    # the database that writes files cannot tell such names apart
    lowered: dict[str, str] = {}
    for name in (*records.table.column_names, *names):
        other = lowered.setdefault(name.lower(), name)
        if other != name:
            raise InputError(f"columns {other!r} and {name!r} differ in case only; rename one")


def check_path(path: str | Path, endings: Iterable[str] = FORMATS) -> None:
    """Raises if no file of one of these endings could be written at a path."""
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise InputError(f"{target} ends in none of {', '.join(endings)}; rename the output")
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; make it first")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"nothing can be written to {target.parent}; choose another folder")


def write(records: Records, columns: Mapping[str, Any], path: str | Path) -> Path:
    """Writes all input columns and the given ones; an older file stays as it was on any failure."""
    check_output(records, columns, path)
    return write_table(_joined(records, columns), path)


def write_table(table: pa.Table, path: str | Path) -> Path:
    """Writes a table; an older file stays as it was on any failure."""
    check_path(path)
    target = Path(path).resolve()
    try:
        with atomic_write(target) as (temporary,):
            _copy(table, temporary, FORMATS[target.suffix.lower()])
    except (OSError, duckdb.Error) as error:
        raise cannot_write(target, error) from error
    return target


def _copy(table: pa.Table, path: Path, options: str) -> None:
    """Writes a table by the database, in order."""
    with connect(None) as opened:
        opened.register("result", table)
        opened.execute(f"COPY (SELECT * FROM result) TO {quote_text(str(path))} ({options})")


def _joined(records: Records, columns: Mapping[str, Any]) -> pa.Table:
    """The input and the new columns."""
    table = records.original()
    for name, values in columns.items():
        table = table.append_column(name, _array(records, name, values))
    return table


def _array(records: Records, name: str, values: Any) -> pa.Array | pa.ChunkedArray:
    """A new column as Arrow, one value for each record."""
    arrow = isinstance(values, pa.Array | pa.ChunkedArray)
    given = values if arrow else np.asarray(values)
    array = given if arrow else from_numpy(given) if given.dtype.kind in "iuf" else pa.array(given)
    if len(array) != records.n:
        raise InputError(f"column {name!r} has {len(array)} values for {records.n} records")
    return array


def extend_input(records: Records, columns: Mapping[str, Any]) -> Any:
    """The input with the new columns, as the kind that was given; paths give an Arrow table."""
    check_output(records, columns)
    made = {name: _array(records, name, values) for name, values in columns.items()}
    kind, given = records.input_type, records.input
    if kind == "pandas" and given is not None:
        # the frame itself, so that its index and its types stay
        return given.assign(**{name: _plain(array) for name, array in made.items()})
    table = _joined(records, made)
    if kind == "pandas":
        return table.to_pandas()
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    if kind == "duckdb":
        return duckdb.from_arrow(table)
    if kind == "dicts":
        return _dicts(records, table, made)
    return table


def _plain(array: pa.Array | pa.ChunkedArray) -> Any:
    """An array as NumPy."""
    return array.to_numpy(zero_copy_only=False) if isinstance(array, pa.Array) else array.to_numpy()


def _dicts(records: Records, table: pa.Table, made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The dicts that were given, each with its results."""
    if records.input is None:
        return list(table.to_pylist())
    new = zip(*(array.to_pylist() for array in made.values()), strict=True)
    rows = zip(records.input, new, strict=True) if made else ((row, ()) for row in records.input)
    return [{**row, **dict(zip(made, values, strict=True))} for row, values in rows]
