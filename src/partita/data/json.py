"""JSON to Arrow: lines of objects, or one array; strings stay as they are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from partita.data.chunks import read_chunks
from partita.data.duckdb import connect, query, quote_path, quote_text
from partita.data.sources import LocalFile
from partita.data.table import attach_notes
from partita.errors import EmptyInputError, InputError

__all__ = ["read_json"]

TEXT_TYPES = ("DATE", "TIME", "UUID", "JSON")
"""Inferred types of JSON strings that are read as text, since conversion would change the text."""
WIDE = re.compile(rb"\d[\d.]{15,}|\d[eE][+-]?\d{3,}|NaN|Infinity")
"""Text that may be a number beyond 64 bits; a 64-bit float holds every decimal of 15 digits."""


class Number(str):
    """The text of a JSON number."""


def read_json(file: LocalFile, memory: int | None) -> pa.Table:
    """Read JSON: every key of every object becomes a column, strings stay as they are."""
    lines = file.suffix != ".json" and not _is_array(file.path)
    layout = "newline_delimited" if lines else "auto"
    with quote_path(file.path) as path, connect(memory) as connection:
        base = f"read_json({path}, format = '{layout}', records = true, compression = 'none'"
        fields = connection.sql(
            f"DESCRIBE SELECT * FROM {base}, sample_size = -1, map_inference_threshold = -1)"
        ).fetchall()
        wide, rounded = _find_wide_numbers(file.path, lines)
        types = {row[0]: _choose_type(row[1], row[0] in wide) for row in fields}
        _check_keys(file.name, list(types), connection, path)
        columns = ", ".join(f"{quote_text(key)}: {quote_text(type)}" for key, type in types.items())
        table = query(connection, f"SELECT * FROM {base}, columns = {{{columns}}})", memory)
    if lines:
        expected = _count_lines(file.path)
        if table.num_rows != expected:
            raise InputError(
                f"{file.name} has {expected} lines with text, but {table.num_rows} records were "
                "read; write one JSON object on each line"
            )
    if not table.num_rows:
        raise EmptyInputError(f"{file.name} holds no records; give at least one")
    table, exact = _keep_decimals(table, file.path, lines, list(rounded))
    notes = [
        f"{file.name}: column {name!r} holds {number}, which has more digits than 64 bits hold; "
        "its numbers are rounded, so write them in quotes to keep them"
        for name, number in rounded.items()
        if name not in exact
    ]
    return attach_notes(table, notes)


def _is_array(path: Path) -> bool:
    """Whether a JSON file is one array."""
    return next(read_chunks(path, 4096), b"").lstrip().startswith(b"[")


def _check_keys(
    name: str, keys: list[str], connection: duckdb.DuckDBPyConnection, path: str
) -> None:
    """Raise where the database renamed a key that differs from another in case only."""
    lowered = {key.lower() for key in keys}
    for key in keys:
        stem, mark, number = key.rpartition("_")
        if mark and number.isdigit() and stem.lower() in lowered:
            pointer = quote_text("/" + key.replace("~", "~0").replace("/", "~1"))
            answer = connection.sql(
                f"SELECT count(*) FROM read_json_objects({path}) WHERE json_exists(json, {pointer})"
            ).fetchall()
            if not answer[0][0]:
                raise InputError(f"keys of {name} differ from {stem!r} in case only; rename them")


def _choose_type(type: str, is_wide: bool) -> str:
    """The type to read JSON as: the inferred one, or text where it would change the value."""
    inexact = "HUGEINT" in type or (is_wide and "DOUBLE" in type)
    return "VARCHAR" if inexact or any(word in type for word in TEXT_TYPES) else type


def _find_wide_numbers(path: Path, lines: bool) -> tuple[set[str], dict[str, str]]:
    """Find the keys with numbers that a 64-bit float cannot hold.

    The first result names keys whose numbers the database returns unchanged as text: large whole
    numbers, overflows and NaN. The second one holds an example of decimals that it rounds.
    """
    wide: set[str] = set()
    rounded: dict[str, str] = {}
    with path.open("rb") as file:
        for text in file if lines else [file.read()]:
            if WIDE.search(text):
                with suppress(ValueError, RecursionError):
                    for record in _parse(text):
                        _add_inexact(record, wide, rounded)
    return wide, rounded


def _parse(text: bytes) -> list[dict[str, Any]]:
    """Parse an object, or an array of objects, with the text of each number."""
    parsed = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)
    records = parsed if isinstance(parsed, list) else [parsed]
    return [record for record in records if isinstance(record, dict)]


def _keep_decimals(
    table: pa.Table, path: Path, lines: bool, names: list[str]
) -> tuple[pa.Table, set[str]]:
    """Replace columns of decimals by their text in the file; return the names of these columns.

    Columns with nested values, or with values that the two parsers read differently, stay.
    """
    cells: dict[str, list[Any]] = {name: [] for name in names}
    exact: set[str] = set()
    with path.open("rb") as file, suppress(ValueError, RecursionError):
        for text in (file if lines else [file.read()]) if names else ():
            for record in _parse(text) if text.strip() else ():
                for name, values in cells.items():
                    values.append(record.get(name))
        for name, values in cells.items():
            place = table.column_names.index(name)
            if _are_alike(values, table.column(place).to_pylist()):
                table = table.set_column(place, name, pa.array(map(_to_text, values), pa.string()))
                exact.add(name)
    return table, exact


def _to_text(value: str | None) -> str | None:
    """Convert a number to plain text."""
    return None if value is None else str(value)


def _are_alike(texts: list[Any], cells: list[Any]) -> bool:
    """Whether all texts are strings or numbers with the values of the cells."""
    if len(texts) != len(cells) or not all(text is None or isinstance(text, str) for text in texts):
        return False
    return all(
        text is cell if text is None or cell is None else _is_alike(text, cell)
        for text, cell in zip(texts, cells, strict=True)
    )


def _is_alike(text: str, cell: Any) -> bool:
    """Whether a text is the value of a cell, as text or as a number."""
    return str(text) == cell or (isinstance(text, Number) and float(text) == float(cell))


def _add_inexact(record: Mapping[str, Any], wide: set[str], rounded: dict[str, str]) -> None:
    """Add the keys of a record with numbers that are not exact."""
    for key, value in record.items():
        for number in _list_numbers(value):
            nearest, is_whole = float(number), number.lstrip("-").isdigit()
            if not math.isfinite(nearest) or (is_whole and int(number) != nearest):
                wide.add(key)
            elif not is_whole and Decimal(repr(nearest)) != Decimal(number):
                rounded.setdefault(key, str(number))


def _list_numbers(value: Any) -> Iterator[str]:
    """Yield the numbers inside a value."""
    values = [value]
    while values:
        item = values.pop()
        if isinstance(item, Number):
            yield item
        elif isinstance(item, list):
            values += item
        elif isinstance(item, dict):
            values += item.values()


def _count_lines(path: Path) -> int:
    """Count the lines that hold more than blanks."""
    count, rest = 0, b""
    for block in read_chunks(path):
        *whole, rest = (rest + block).split(b"\n")
        count += sum(1 for line in whole if line.strip())
    return count + bool(rest.strip())
