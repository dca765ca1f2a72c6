"""Input values in a table of their own: one field for each column, with the types of the input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.data import Records
from partita.data.arrow import from_strings
from partita.data.table import to_text
from partita.errors import InputError
from partita.kernel import Ints
from partita.store.database import Database

__all__ = [
    "Layout",
    "create_inputs",
    "entities_of",
    "members_of",
    "read_layout",
    "read_rows",
    "to_python",
    "write_rows",
]

KEY = "record"
"""The field that numbers records."""
PLAIN = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_boolean),
    *(pa.types.is_floating, pa.types.is_binary, pa.types.is_signed_integer),
)
"""Tests for Arrow types whose Python values SQLite stores as they are."""


class Layout(NamedTuple):
    """The columns of the input and the fields that hold them."""

    names: tuple[str, ...]
    fields: tuple[str, ...]
    """Field of each column; it differs from the name where two names differ in case only."""
    schema: pa.Schema

    @property
    def listed(self) -> str:
        """The quoted fields, for a query."""
        return ", ".join(map(_quote, self.fields))


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _is_plain(type: pa.DataType) -> bool:
    return any(test(type) for test in PLAIN)


def create_inputs(db: Database, table: pa.Table) -> Layout:
    """Create the table of inputs for the columns of the first records."""
    fields: list[str] = []
    types: list[pa.Field] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        field, number = name, 2
        while field.lower() in (KEY, *(other.lower() for other in fields)):
            field, number = f"{name}_{number}", number + 1
        fields.append(field)
        own = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        is_text = pa.types.is_nested(own) or pa.types.is_null(own)
        types.append(pa.field(name, pa.string() if is_text else own))
    schema = pa.schema(types)
    db.execute(f"CREATE TABLE inputs ({KEY} INTEGER PRIMARY KEY, {', '.join(map(_quote, fields))})")
    rows = zip(range(len(fields)), table.column_names, fields, map(str, schema.types), strict=True)
    db.execute_many("INSERT INTO columns VALUES (?, ?, ?, ?)", rows)
    db.set_meta("schema", schema.serialize().to_pybytes().hex())
    return Layout(tuple(table.column_names), tuple(fields), schema)


def read_layout(db: Database) -> Layout:
    """The columns of the input of a store."""
    rows = db.rows("SELECT name, field FROM columns ORDER BY position")
    schema = pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(db.meta("schema"))))
    return Layout(tuple(row[0] for row in rows), tuple(row[1] for row in rows), schema)


def fit_table(table: pa.Table, layout: Layout, needed: Sequence[str]) -> pa.Table:
    """Arrange the columns of further records as the store has them; an absent column is empty."""
    columns = []
    for name, type in zip(layout.names, layout.schema.types, strict=True):
        if name not in table.column_names:
            if name in needed:
                raise InputError(
                    f"the new records have no column {name!r}, which the store compares; there "
                    f"are {', '.join(table.column_names)}"
                )
            columns.append(pa.nulls(table.num_rows, type))
            continue
        columns.append(_convert(table.column(name), type, name))
    return pa.table(columns, schema=layout.schema)


def _convert(column: pa.ChunkedArray, type: pa.DataType, name: str) -> Any:
    """A column as the type of the store."""
    if column.type == type:
        return column
    try:
        return to_text(column).cast(type) if pa.types.is_string(type) else column.cast(type)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"column {name!r} holds values that are not {type} as in the store "
            f"({str(error).splitlines()[0]}); correct them, or convert the column"
        ) from error


def write_rows(db: Database, layout: Layout, records: Ints, table: pa.Table) -> None:
    """Write the input values of records."""
    columns = [to_python(table.column(name)) for name in layout.names]
    marks = ", ".join("?" * (1 + len(columns)))
    db.execute_many(
        f"INSERT INTO inputs ({KEY}, {layout.listed}) VALUES ({marks})",
        zip(records.tolist(), *columns, strict=True),
    )


def to_python(column: pa.ChunkedArray) -> list[Any]:
    """Values that SQLite can store; values of other types become text."""
    type = column.type
    if pa.types.is_dictionary(type):
        column = column.cast(type.value_type)
    if pa.types.is_nested(column.type) or pa.types.is_null(column.type):
        column = to_text(column) if pa.types.is_nested(column.type) else column.cast(pa.string())
    elif not _is_plain(column.type):
        column = column.cast(pa.string())
    return column.to_pylist()


def read_rows(db: Database, layout: Layout, records: Ints | None = None) -> tuple[Ints, pa.Table]:
    """Record numbers and input values, in the order of the numbers; of all present records."""
    sql = (
        f"SELECT i.{KEY}, {', '.join(f'i.{_quote(name)}' for name in layout.fields)} FROM inputs i"
    )
    if records is None:
        rows = db.rows(f"{sql} JOIN records r USING ({KEY}) WHERE r.entity IS NOT NULL ORDER BY 1")
    else:
        rows = db.rows_in(f"{sql} WHERE i.{KEY} IN :keys ORDER BY 1", records.tolist())
    if not rows:
        return np.empty(0, np.int64), layout.schema.empty_table()
    numbers, *columns = zip(*rows, strict=True)
    arrays = [_to_arrow(list(c), t) for c, t in zip(columns, layout.schema.types, strict=True)]
    return np.array(numbers, np.int64), pa.table(arrays, schema=layout.schema)


def _to_arrow(values: list[Any], type: pa.DataType) -> pa.Array:
    if pa.types.is_boolean(type):
        values = [None if value is None else bool(value) for value in values]
    if _is_plain(type):
        return pa.array(values, type)
    return pa.array(values, pa.string()).cast(type)


def entities_of(db: Database, records: Ints) -> Ints:
    """The distinct entities of records that have one."""
    sql = "SELECT DISTINCT entity FROM records WHERE record IN :keys AND entity IS NOT NULL"
    return np.array([row[0] for row in db.rows_in(sql, records.tolist())], np.int64)


def members_of(db: Database, entities: Ints) -> Ints:
    """The records of entities."""
    sql = "SELECT record FROM records WHERE entity IN :keys"
    return np.array([row[0] for row in db.rows_in(sql, entities.tolist())], np.int64)


def name_records(records: Records) -> tuple[list[str], list[str]]:
    """Source and id of each record as text; the source is empty where there is one only."""
    ids = [str(id) for id in records.ids.to_pylist()]
    if records.sources is None:
        return [""] * len(ids), ids
    names = np.array(records.source_names, object)[records.sources]
    return names.tolist(), ids


def make_records(table: pa.Table, used: Sequence[str], sources: Sequence[str] | None) -> Records:
    """Records of stored values, numbered by row; the columns in use are `used`."""
    codes, names = None, tuple[str, ...]()
    if sources is not None:
        names = tuple(dict.fromkeys(sources))
        place = {name: k for k, name in enumerate(names)}
        codes = np.array([place[name] for name in sources], np.int32)
    ids = from_strings([str(row) for row in range(table.num_rows)])
    return Records(table, tuple(used), ids, codes, names)


def dump_json(value: Any) -> str:
    """JSON text in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
