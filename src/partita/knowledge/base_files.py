"""A knowledge base from a reference table with names, and a table of aliases."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from partita.data import Records, read
from partita.data.read import ID_NAMES
from partita.data.table import list_some, to_text
from partita.errors import InputError
from partita.knowledge.name_table import NameTable
from partita.knowledge.reference import ALIAS_OF, find_owners, read_alias_ids

__all__ = ["read_name_table"]

NAME_COLUMNS = ("name", "title", "label")
"""Columns that hold the name of a record, in order of preference."""
POPULARITY, COUNT = "popularity", "count"
"""Optional columns: how often texts refer to a record, and how often by an alias."""


def read_name_table(
    to: Any, *, to_id: str | None = None, name: str | None = None, aliases: Any = None
) -> NameTable:
    """Read records with ids and names, and further names of them."""
    reference = read(to, id=to_id)
    if reference.id_name is None:
        raise InputError(
            f"the knowledge base has no column {' or '.join(ID_NAMES)}; name its column of ids "
            "(--to-id COL, or to_id='COL')"
        )
    column = _choose_name(reference, name)
    table = NameTable()
    ids = [str(value) for value in reference.ids.to_pylist()]
    popularity = _numbers(reference.table, POPULARITY)
    names = to_text(reference.table.column(column)).to_pylist()
    for id, title, popular in zip(ids, names, popularity, strict=True):
        record = table.add_record(id, title or "", popularity=popular)
        table.add_name(title or "", record)
    if aliases is not None:
        _add_aliases(table, aliases, reference, column, ids)
    if not table.meanings:
        raise InputError(f"the column {column!r} of the knowledge base is empty; name another one")
    return table


def _choose_name(reference: Records, name: str | None) -> str:
    columns = [item for item in reference.table.column_names if item != reference.id_name]
    if name is not None:
        if name not in columns:
            raise InputError(
                f"the knowledge base has no column {name!r}; there are {list_some(columns)}"
            )
        return name
    lowered = {item.lower(): item for item in columns}
    for known in NAME_COLUMNS:
        if known in lowered:
            return lowered[known]
    raise InputError(
        f"the knowledge base has no column {' or '.join(NAME_COLUMNS)}; name its column of names "
        "(--name COL, or name='COL')"
    )


def _add_aliases(
    table: NameTable, aliases: Any, reference: Records, column: str, ids: list[str]
) -> None:
    content = read(aliases, id=False).table
    target = ALIAS_OF if ALIAS_OF in content.column_names else reference.id_name
    for needed in (target, column):
        if needed not in content.column_names:
            raise InputError(
                f"the aliases have no column {needed!r}; there are "
                f"{list_some(content.column_names)}"
            )
    owners = find_owners(*read_alias_ids(content, reference), ids)
    names = to_text(content.column(column)).to_pylist()
    for alias, owner, count in zip(names, owners, _numbers(content, COUNT), strict=True):
        table.add_name(alias or "", int(owner), count)


def _numbers(table: pa.Table, name: str) -> list[float]:
    """A column of numbers that are not negative; zeros if there is no such column."""
    if name not in table.column_names:
        return [0.0] * table.num_rows
    values = []
    for text in to_text(table.column(name)).to_pylist():
        try:
            value = float(text or 0)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise InputError(
                f"{name} is {text!r}; give a number of at least 0, or leave the cell empty"
            )
        values.append(value)
    return values
