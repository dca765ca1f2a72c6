"""Several tables as one: columns renamed by a map, then stacked by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from partita.data.inputs import Input
from partita.data.table import list_some, to_text
from partita.errors import InputError

__all__ = ["SOURCE", "ColumnMap", "check_common", "find_single_columns", "rename", "stack"]

SOURCE = "source_dataset"
"""The column that `stack` adds."""
ColumnMap = Mapping[str, Mapping[str, str]] | str | Iterable[str]
"""New names of columns: {"A.csv": {"name": "title"}}, or "A.name=B.title", or several of these."""


def rename(
    tables: Sequence[pa.Table], inputs: Sequence[Input], map: ColumnMap | None
) -> list[pa.Table]:
    """Rename columns of the tables; both forms of `map` may name an input by file or by source."""
    renames: list[dict[str, str]] = [{} for _ in inputs]
    if isinstance(map, Mapping):
        for name, columns in map.items():
            renames[_find_input(name, inputs)] |= {str(a): str(b) for a, b in columns.items()}
    elif map is not None:
        for rule in [map] if isinstance(map, str) else map:
            at, old, new = _parse_rule(rule, tables, inputs)
            renames[at][old] = new
    pairs = zip(tables, inputs, renames, strict=True)
    return [_rename(table, item.label, columns) for table, item, columns in pairs]


def _rename(table: pa.Table, label: str, columns: Mapping[str, str]) -> pa.Table:
    """Rename the columns of one table."""
    for old in columns:
        _check_column(old, label, table)
    names = [columns.get(name, name) for name in table.column_names]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputError(
            f"the map gives {label} two columns {repeated[0]!r}; map the other one to a new name"
        )
    return table.rename_columns(names)


def _find_input(name: str, inputs: Sequence[Input]) -> int:
    """The number of the input that a user names by its file, its path or its source."""
    places = [
        at
        for at, item in enumerate(inputs)
        if name in (item.source, item.label)
        or (isinstance(item.data, str | Path) and name == str(item.data))
    ]
    if len(places) != 1:
        problem = "two inputs" if places else "no input"
        sources = ", ".join(item.source for item in inputs)
        raise InputError(f"the map names {name!r}, which is {problem}; give one of: {sources}")
    return places[0]


def _parse_rule(
    rule: str, tables: Sequence[pa.Table], inputs: Sequence[Input]
) -> tuple[int, str, str]:
    """Parse "A.name=B.title" or "A.name=title": input, old name and new name."""
    left, mark, right = (part.strip() for part in str(rule).partition("="))
    if not mark or not left or not right:
        raise InputError(f"the map {rule!r} is no rule; write it as 'A.name=B.title'")
    at, old = _split_column(left, inputs)
    if at is None:
        sources = ", ".join(item.source for item in inputs)
        raise InputError(f"the map {rule!r} names no input; begin it with one of: {sources}")
    _check_column(old, inputs[at].label, tables[at])
    other, new = _split_column(right, inputs)
    if other is not None:
        _check_column(new, inputs[other].label, tables[other])
    return at, old, new


def _split_column(text: str, inputs: Sequence[Input]) -> tuple[int | None, str]:
    """Split "A.name" or "A.csv.name" into an input and a column; without an input it is None."""
    names = [(name, at) for at, item in enumerate(inputs) for name in (item.source, item.label)]
    for name, at in sorted(names, key=lambda pair: -len(pair[0])):
        if text.startswith(f"{name}."):
            return at, text[len(name) + 1 :]
    return None, text


def _check_column(name: str, label: str, table: pa.Table) -> None:
    """Raise an InputError if a table has no column of a name."""
    if name not in table.column_names:
        columns = list_some(table.column_names)
        raise InputError(f"the map names {name!r}, which is no column of {label}; it has {columns}")


def find_single_columns(tables: Sequence[pa.Table], inputs: Sequence[Input]) -> list[str]:
    """Write a note for the columns that exist in only one of several inputs."""
    notes = []
    for table, item in zip(tables, inputs, strict=True):
        others = {name for other in tables if other is not table for name in other.column_names}
        unshared = [name for name in table.column_names if name not in others]
        if unshared and len(tables) > 1:
            verb = "exists" if len(unshared) == 1 else "exist"
            notes.append(
                f"{list_some(unshared)} {verb} only in {item.label}; map names that mean the same, "
                f"as in '{item.source}.{unshared[0]}=OTHER.COLUMN'"
            )
    return notes


def check_common(
    tables: Sequence[pa.Table], inputs: Sequence[Input], compared: Collection[str]
) -> None:
    """Raise an InputError if the inputs have no compared column in common."""
    columns = [[name for name in table.column_names if name in compared] for table in tables]
    if set.intersection(*map(set, columns)):
        return
    lists = " and ".join(
        f"{item.label} ({list_some(table.column_names)})"
        for table, item in list(zip(tables, inputs, strict=True))[:2]
    )
    example = "=".join(
        f"{item.source}.{next(iter(names), 'COLUMN')}"
        for item, names in list(zip(inputs, columns, strict=True))[:2]
    )
    raise InputError(
        f"{lists} have no column in common to compare; rename columns, or map them as in "
        f"'{example}'"
    )


def stack(tables: Sequence[pa.Table], sources: Sequence[str]) -> pa.Table:
    """Stack tables by the names of their columns; the first column holds the source."""
    order = dict.fromkeys(name for table in tables for name in table.column_names)
    if SOURCE in order:
        raise InputError(f"an input has a column {SOURCE!r} already; rename it")
    labels = [
        pa.repeat(source, table.num_rows).cast(pa.string())
        for source, table in zip(sources, tables, strict=True)
    ]
    columns: dict[str, Any] = {SOURCE: pa.chunked_array(labels)}
    for name in order:
        parts = [_get_column(table, name) for table in tables]
        types = {part.type for part in parts if not pa.types.is_null(part.type)}
        if len(types) > 1:
            parts, types = [to_text(part) for part in parts], {pa.string()}
        type = types.pop() if types else pa.null()
        chunks = [chunk for part in parts for chunk in part.cast(type).chunks]
        columns[name] = pa.chunked_array(chunks, type)
    return pa.table(columns)


def _get_column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column of a table, or nulls if the table has no column of this name."""
    if name in table.column_names:
        return table.column(name)
    return pa.chunked_array([pa.nulls(table.num_rows)])
