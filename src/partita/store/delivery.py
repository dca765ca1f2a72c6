"""Deliveries: new, changed and removed records, found by source and id."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.data import Records, read
from partita.data.arrow import from_strings
from partita.data.inputs import list_inputs
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.entity.swapped_names import COUNT_ADDED
from partita.linkage.numbering import RowIds
from partita.linkage.prepare import prepare
from partita.store.database import Database
from partita.store.features import digest_records, hash_column
from partita.store.index import count_keys
from partita.store.indexing import swap_names
from partita.store.model import StoreModel
from partita.store.records import (
    KEY,
    Layout,
    fit_table,
    make_records,
    name_records,
    to_python,
    write_rows,
)

__all__ = ["Delivery", "find_present", "insert_delivery", "read_delivery"]

Key = tuple[str, str]
"""Source and id of a record; the source is empty where a store has none."""


class Delivery(NamedTuple):
    """Records of a delivery, compared with the store."""

    keys: list[Key]
    table: pa.Table
    """The values, in the columns of the store."""
    replaced: dict[int, int]
    """The stored record that each changed record replaces, by row."""
    unchanged: int
    removed: list[int]
    """Stored records that the delivery removes."""


def read_delivery(
    db: Database, data: Any, layout: Layout, model: StoreModel, source: str | None
) -> tuple[list[Key], pa.Table]:
    """Read new records in the columns of the store, with source and id of each."""
    table = read(data, id=False).table
    id_name, source_name = db.meta("id_name"), db.meta("source_name")
    if source_name is not None and source_name not in table.column_names:
        name = source or list_inputs(data)[0].source
        table = table.append_column(source_name, from_strings([name] * table.num_rows))
    elif source is not None and source_name is None:
        raise InputError(
            f"the store has one source, so that {source!r} names none; omit the source"
        )
    if id_name is not None and id_name not in table.column_names:
        raise InputError(
            f"the new records have no column {id_name!r}, which names the records of the store; "
            f"there are {', '.join(table.column_names)}"
        )
    records = read(table, id=id_name or False, source=source_name)
    keys = _name_keys(db, records)
    return keys, fit_table(table, layout, model.used)


def _name_keys(db: Database, records: Records) -> list[Key]:
    sources, ids = name_records(records)
    if records.id_name is None:
        first = int(db.value(f"SELECT coalesce(max({KEY}), -1) FROM records")) + 1
        ids = [str(first + row) for row in range(len(ids))]
    return list(zip(sources, ids, strict=True))


def find_present(db: Database, keys: list[Key]) -> dict[Key, int]:
    """The number of each record that the store holds now."""
    numbers: dict[Key, int] = {}
    sql = "SELECT record FROM records WHERE id = ? AND source = ? AND entity IS NOT NULL"
    for source, id in keys:
        number = db.value(sql, (id, source))
        if number is not None:
            numbers[source, id] = number
    return numbers


def compare_delivery(
    db: Database, layout: Layout, keys: list[Key], table: pa.Table, *, is_complete: bool
) -> Delivery:
    """Find new, changed and unchanged records; a complete delivery removes absent ones."""
    present = find_present(db, keys)
    places = [row for row, key in enumerate(keys) if key in present]
    sql = f"SELECT {KEY}, {layout.listed} FROM inputs WHERE {KEY} IN :keys"
    stored = {row[0]: row[1:] for row in db.rows_in(sql, list(present.values()))}
    some = table.take(pa.array(places, pa.int64()))
    values = list(zip(*(to_python(column) for column in some.columns), strict=True))
    same = {
        row
        for row, own in zip(places, values, strict=True)
        if tuple(stored[present[keys[row]]]) == own
    }
    fresh = [row for row in range(len(keys)) if row not in same]
    replaced = {at: present[keys[row]] for at, row in enumerate(fresh) if keys[row] in present}
    removed = [*replaced.values()]
    if is_complete:
        delivered = set(keys)
        sources = {source for source, _ in keys}
        rows = db.rows("SELECT record, source, id FROM records WHERE entity IS NOT NULL")
        removed += [r for r, s, id in rows if s in sources and (s, id) not in delivered]
    table = table.take(pa.array(fresh, pa.int64()))
    return Delivery([keys[row] for row in fresh], table, replaced, len(same), removed)


def insert_delivery(db: Database, layout: Layout, model: StoreModel, delivery: Delivery) -> Ints:
    """Insert the records of a delivery, which have no entity yet; return their numbers."""
    first = int(db.value(f"SELECT coalesce(max({KEY}), -1) FROM records")) + 1
    numbers = first + np.arange(len(delivery.keys))
    if not numbers.size:
        return numbers
    write_rows(db, layout, numbers, delivery.table)
    sources = [source for source, _ in delivery.keys]
    records = make_records(delivery.table, model.used, sources)
    swaps = detect_swaps(db, model, records)
    digests: list[int | None] = [None] * numbers.size
    if model.settings.mode == "dedupe":
        values = _digest(model, delivery.table, swaps).tolist()
        is_apart = [source == model.settings.reference for source in sources]
        digests = [
            None if apart else value or None for apart, value in zip(is_apart, values, strict=True)
        ]
    rows = zip(
        numbers.tolist(), sources, (id for _, id in delivery.keys), swaps.tolist(), digests,
        strict=True,
    )  # fmt: skip
    db.execute_many("INSERT INTO records VALUES (?, ?, ?, NULL, NULL, 0, ?, ?, NULL)", rows)
    return numbers


def _digest(model: StoreModel, table: pa.Table, swaps: Ints) -> Ints:
    ordered = make_records(swap_names(table, model, swaps), model.used, None)
    # sources have no effect on the digest
    settings = model.settings.replaced(mode="dedupe")
    rows = RowIds(np.arange(table.num_rows))
    prepared = prepare(ordered, settings, rows, has_names_in_order=True, keeps_rows_in_order=True)
    return digest_records(prepared.columns)


def detect_swaps(db: Database, model: StoreModel, records: Records) -> Ints:
    """Detect swapped names of new records by the frequencies of names in the store, as bits."""
    swaps = np.zeros(records.n, np.int64)
    places = {name: c for c, name in enumerate(model.used)}
    total = max(float(db.meta("distinct")), 1.0)
    for bit, swap in enumerate(model.swaps):
        left, right = records.column(swap.left), records.column(swap.right)
        share = []
        for column, seed in ((left, swap.left), (right, swap.right)):
            other = swap.right if seed == swap.left else swap.left
            own = count_keys(db, hash_column(column, places[seed]))
            swapped = count_keys(db, hash_column(column, places[other]))
            for counts in (own, swapped):
                frequency = np.append((counts + COUNT_ADDED) / total, 1.0)
                share.append(frequency[column.codes])
        unswapped = (1 - swap.share) * share[0] * share[2]
        swaps |= (swap.share * share[1] * share[3] > unswapped).astype(np.int64) << bit
    return swaps
