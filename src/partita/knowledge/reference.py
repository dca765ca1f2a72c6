"""The input of `link`: rows, a reference with ids, and aliases, as one table of records.

The columns that rows and reference share are compared. A record of the reference never changes
and never merges with another one; an alias is a further form of one record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data import Records, read
from partita.data.inputs import Input, list_inputs
from partita.data.layout import BY_CONTENT, Layout
from partita.data.read import ID_NAMES, read_records
from partita.data.stack import ColumnMap, check_common, find_single_columns, rename
from partita.data.table import list_some, to_text
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.settings import Settings

__all__ = [
    "ALIAS_OF",
    "LinkInput",
    "find_owners",
    "read_alias_ids",
    "read_forms",
    "read_link_input",
]

ALIAS_OF = "alias_of"
"""The column of an alias table that names a record of the reference, or another alias."""


class LinkInput(NamedTuple):
    """Rows, the reference, and both with the aliases as records of their common columns."""

    rows: Records
    reference: Records
    records: Records
    """The rows, then the records of the reference, then the aliases."""
    owner: Ints
    """The record of the reference that each record stands for; -1 for rows."""


def read_link_input(
    data: Any,
    to: Any,
    settings: Settings | None = None,
    *,
    to_id: str | None = None,
    aliases: Any = None,
    map: ColumnMap | None = None,
) -> LinkInput:
    """Read rows and reference and select the columns that both have."""
    settings = settings or Settings()
    memory, ignore = settings.memory, settings.ignore
    layout = Layout.of(settings.header, settings.encoding, settings.delimiter)
    inputs = list_inputs([data, to])
    rows = read_records(data, layout, id=settings.id, memory=memory)
    reference = _read_reference(to, to_id, inputs[1].label, memory, layout)
    layout.check_use(rows.formats | reference.formats)
    tables = [_drop_ids(rows), _drop_ids(reference)]
    _check_ignored(ignore, tables)
    tables = rename(tables, inputs, _name_inputs(map, inputs))
    shared = [name for name in tables[0].column_names if name in tables[1].column_names]
    compared = [name for name in shared if name not in set(ignore) and not _is_id(name)]
    check_common(tables, inputs, compared)
    notes = [*rows.notes, *reference.notes, *find_single_columns(tables, inputs)]
    tables = [table.select(compared) for table in tables]
    owner = [np.full(rows.n, -1), np.arange(reference.n)]
    if aliases is not None:
        forms, owners = _read_aliases(aliases, reference, tables[1], memory, layout)
        tables[1] = pa.concat_tables([_as_text(tables[1]), _as_text(forms)])
        owner.append(owners)
    names = [item.source for item in inputs]
    stacked = read(dict(zip(names, tables, strict=True)), id=False, memory=memory)
    records = Records(
        stacked.table,
        stacked.names,
        stacked.ids,
        stacked.sources,
        stacked.source_names,
        notes=tuple(notes),
    )
    return LinkInput(rows, reference, records, np.concatenate(owner).astype(np.int64))


def _read_reference(
    to: Any, to_id: str | None, label: str, memory: int | str | None, layout: Layout
) -> Records:
    """Read the reference, whose records have distinct ids."""
    reference = read_records(to, layout, id=to_id, memory=memory)
    if reference.id_name is None:
        raise InputError(
            f"the reference {label} has no column {' or '.join(ID_NAMES)}; name its column of ids "
            "(--to-id COL, or to_id='COL')"
        )
    return reference


def read_forms(
    to: Any,
    *,
    to_id: str | None = None,
    aliases: Any = None,
    memory: int | str | None = None,
) -> tuple[Records, pa.Table, Ints]:
    """Read a reference alone: its records, all their forms as text, and the record of each form."""
    label = list_inputs([to])[0].label
    reference = _read_reference(to, to_id, label, memory, BY_CONTENT)
    forms, owner = _as_text(_drop_ids(reference)), np.arange(reference.n)
    if not forms.column_names or not reference.n:
        raise InputError(f"the reference {label} has no record with a value; give some to compare")
    if aliases is not None:
        more, owners = _read_aliases(aliases, reference, forms, memory, BY_CONTENT)
        forms = pa.concat_tables([forms, _as_text(more)])
        owner = np.concatenate([owner, owners])
    return reference, forms, owner.astype(np.int64)


def _drop_ids(records: Records) -> pa.Table:
    """The table of records without its column of ids."""
    table = records.table.replace_schema_metadata(None)
    return table if records.id_name is None else table.drop_columns([records.id_name])


def _is_id(name: str) -> bool:
    return name.lower() in ID_NAMES


def _check_ignored(ignore: Iterable[str], tables: Sequence[pa.Table]) -> None:
    """Raise an InputError if a column to ignore is in neither table."""
    known = {name for table in tables for name in table.column_names}
    for name in ignore:
        if name not in known:
            raise InputError(f"there is no column {name!r}; there are {list_some(sorted(known))}")


def _name_inputs(map: ColumnMap | None, inputs: Sequence[Input]) -> ColumnMap | None:
    """Complete the short form "name=title": a column of the rows, and one of the reference."""
    if map is None or isinstance(map, Mapping):
        return map
    starts = tuple(f"{name}." for item in inputs for name in (item.source, item.label))
    return [
        rule if "=" not in rule or rule.strip().startswith(starts) else f"{inputs[0].source}.{rule}"
        for rule in ([map] if isinstance(map, str) else map)
    ]


def _as_text(table: pa.Table) -> pa.Table:
    """The columns of a table as text."""
    return pa.table({name: to_text(table.column(name)) for name in table.column_names})


def _read_aliases(
    aliases: Any,
    reference: Records,
    columns: pa.Table,
    memory: int | str | None,
    layout: Layout,
) -> tuple[pa.Table, Ints]:
    """Read aliases: full records, whose empty cells have the values of their owner."""
    table = read_records(aliases, layout, id=False, memory=memory).table
    names = [name for name in columns.column_names if name in table.column_names]
    target = ALIAS_OF if ALIAS_OF in table.column_names else reference.id_name
    if target not in table.column_names:
        raise InputError(
            f"the aliases have the columns {list_some(table.column_names)}; name the record of the "
            f"reference in a column {ALIAS_OF!r} or {reference.id_name!r}"
        )
    if not names:
        raise InputError(
            f"the aliases have no column that is compared; give one of "
            f"{list_some(columns.column_names)}"
        )
    owners = find_owners(*read_alias_ids(table, reference), _texts(reference.ids))
    owned = columns.take(pa.array(owners))
    forms = {
        name: pc.coalesce(to_text(table.column(name)), to_text(owned.column(name)))
        if name in names
        else owned.column(name)
        for name in columns.column_names
    }
    return pa.table(forms), owners


def read_alias_ids(
    table: pa.Table, reference: Records
) -> tuple[list[str | None], list[str | None]]:
    """Read the record or alias that each alias names, and the ids of the aliases themselves.

    Ids are in the column that has the name of the reference's ids, or else in `unique_id` or `id`.
    """
    names = table.column_names
    if ALIAS_OF not in names:
        return to_text(table.column(reference.id_name)).to_pylist(), [None] * table.num_rows
    targets = to_text(table.column(ALIAS_OF)).to_pylist()
    own = [name for name in (reference.id_name, *ID_NAMES) if name in names]
    if not own:
        return targets, [None] * table.num_rows
    return targets, to_text(table.column(own[0])).to_pylist()


def _texts(ids: pa.Array) -> list[str]:
    return [str(value) for value in ids.to_pylist()]


def find_owners(
    targets: Sequence[str | None], own: Sequence[str | None], ids: Sequence[str]
) -> Ints:
    """The record of the reference that each alias stands for; chains of aliases are followed."""
    place = {id: number for number, id in enumerate(ids)}
    following = {id: target for id, target in zip(own, targets, strict=True) if id is not None}
    owners = np.empty(len(targets), np.int64)
    for number, target in enumerate(targets):
        path: dict[str | None, None] = {}
        while target not in place:
            if target in path:
                cycle = " -> ".join(map(str, [*path, target]))
                raise InputError(
                    f"the aliases {cycle} form a cycle; end it at an id of the reference"
                )
            path[target] = None
            if target not in following:
                raise InputError(
                    f"alias {number + 1} belongs to {target!r}, which is no id of the reference; "
                    "correct it or remove the alias"
                )
            target = following[target]
        owners[number] = place[str(target)]
    return owners
