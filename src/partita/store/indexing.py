"""Records that enter and leave the blocking index and the counts of values.

Identical records are indexed once, as `resolve` compares them once; a copy takes over when the
indexed record leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.blocking.ngrams import Int32s
from partita.data import Column, Records
from partita.kernel import Ints
from partita.linkage.numbering import RowIds
from partita.linkage.prepare import Prepared, prepare
from partita.store.database import Database
from partita.store.documents import record_documents
from partita.store.features import FeatureLists, list_ngrams, list_values
from partita.store.index import (
    SOURCES,
    add_counts,
    add_lists,
    count_keys,
    measure_vectors,
    remove_lists,
    weigh_features,
    write_scales,
)
from partita.store.model import (
    Statistics,
    StoreModel,
    compared_keys,
    separate_columns,
)
from partita.store.records import Layout, make_records, read_rows

__all__ = ["LoadedRecords", "index_changes", "load_records", "read_statistics"]

BY_VALUE, BY_NGRAM = 0, 1
"""Numbers of the two searches."""


class LoadedRecords(NamedTuple):
    """Some records of a store, with their values in the order in which they are compared."""

    numbers: Ints
    records: Records
    entity: Ints
    """The present entity of each record; -1 where there is none."""

    def prepare(self, model: StoreModel, apart: Ints | None = None) -> Prepared:
        """Select the columns and collapse identical records, except those `apart`."""
        rows = None if apart is None else RowIds(apart)
        return prepare(
            self.records,
            model.settings,
            rows,
            has_names_in_order=True,
            keeps_rows_in_order=True,
        )

    def prepare_apart(self, model: StoreModel) -> Prepared:
        """Select the columns without collapsing identical records."""
        return self.prepare(model, np.arange(self.numbers.size))


def load_records(db: Database, layout: Layout, model: StoreModel, numbers: Ints) -> LoadedRecords:
    """Load records by number, ascending; swapped names are put in order."""
    ordered, table = read_rows(db, layout, numbers)
    sql = "SELECT source, entity, swaps FROM records WHERE record IN :keys ORDER BY record"
    rows = db.rows_in(sql, ordered.tolist())
    swaps = np.array([row[2] for row in rows], np.int64)
    table = swap_names(table, model, swaps)
    sources = [row[0] for row in rows] if model.settings.mode != "dedupe" else None
    entity = np.array([-1 if row[1] is None else row[1] for row in rows], np.int64)
    return LoadedRecords(ordered, make_records(table, model.used, sources), entity)


def swap_names(table: pa.Table, model: StoreModel, swaps: Ints) -> pa.Table:
    """Exchange the values of two name columns in the records whose bit is set."""
    for bit, swap in enumerate(model.swaps):
        rows = np.flatnonzero(swaps >> bit & 1)
        if not rows.size:
            continue
        left, right = table.column(swap.left).to_pylist(), table.column(swap.right).to_pylist()
        for row in rows.tolist():
            left[row], right[row] = right[row], left[row]
        for name, values in ((swap.left, left), (swap.right, right)):
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(values, table.schema.types[place]))
    return table


class _Lists(NamedTuple):
    """The inverted lists of records for each search, and of compared columns apart."""

    searches: dict[int, FeatureLists]
    separate: list[FeatureLists]


def list_features(prepared: Prepared, model: StoreModel) -> _Lists:
    """The inverted lists of prepared records."""
    searches = {BY_VALUE: list_values(prepared.columns)}
    if model.ngram_length:
        searches[BY_NGRAM] = list_ngrams(prepared.columns, model.ngram_length)
    keys = compared_keys(prepared)
    separate = [_list_counts(keys[q], column) for q, column in separate_columns(prepared)]
    return _Lists(searches, separate)


def _list_counts(keys: Ints, column: Column) -> FeatureLists:
    """The counts of a compared column that is not used for blocking as it is."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=keys.size)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return FeatureLists(keys, first, np.empty(0, np.int32))


def index_changes(
    db: Database, layout: Layout, model: StoreModel, appeared: list[int], vanished: list[int]
) -> None:
    """Update the index and the counts for records that appear and vanish."""
    added, removed = _choose_representatives(db, appeared, vanished)
    for numbers, sign in ((removed, -1), (added, 1)):
        if not numbers.size:
            continue
        loaded = load_records(db, layout, model, numbers)
        prepared = loaded.prepare_apart(model)
        # the squares are those of the counts before the change
        _count_columns(db, model, prepared, sign)
        lists = list_features(prepared, model)
        for searched, postings in lists.searches.items():
            (add_lists if sign > 0 else remove_lists)(db, postings, loaded.numbers)
            if sign > 0:
                idf = weigh_features(count_keys(db, postings.keys), int(db.meta("distinct")))
                scales = measure_vectors(postings, numbers.size, idf)
                write_scales(db, loaded.numbers, scales, searched)
        for postings in lists.separate:
            add_counts(db, postings.keys, sign * postings.counts)
        if sign > 0 and loaded.records.sources is not None:
            codes = encode_sources(db, loaded.records)
            write_scales(db, loaded.numbers, codes.astype(np.float64), SOURCES)


def encode_sources(db: Database, records: Records) -> Int32s:
    """The number of the source of each record; new sources are added to the list."""
    names: list[str] = db.meta("sources") or []
    names += [name for name in records.source_names if name not in names]
    if names != db.meta("sources"):
        db.set_meta("sources", names)
    assert records.sources is not None
    place = np.array([names.index(name) for name in records.source_names], np.int32)
    return place[records.sources]


def _choose_representatives(
    db: Database, appeared: list[int], vanished: list[int]
) -> tuple[Ints, Ints]:
    """Choose the records to index and to remove: one of identical records is indexed."""
    sql = "SELECT record FROM records WHERE record IN :keys AND is_indexed"
    removed = [row[0] for row in db.rows_in(sql, vanished)]
    db.execute_many("UPDATE records SET is_indexed = 0 WHERE record = ?", [(r,) for r in removed])
    sql = "SELECT digest FROM records WHERE record IN :keys AND digest IS NOT NULL"
    freed = {row[0] for row in db.rows_in(sql, removed)}
    waiting = list(appeared)
    if freed:
        sql = "SELECT record FROM records WHERE digest IN :keys AND entity IS NOT NULL"
        gone = set(vanished)
        waiting += [row[0] for row in db.rows_in(sql, [*freed]) if row[0] not in gone]
    added = []
    for record in sorted(set(waiting)):
        row = db.rows("SELECT is_indexed, digest FROM records WHERE record = ?", (record,))[0]
        if row[0]:
            continue
        taken = row[1] is not None and db.value(
            "SELECT 1 FROM records WHERE digest = ? AND is_indexed LIMIT 1", (row[1],)
        )
        if not taken:
            db.execute("UPDATE records SET is_indexed = 1 WHERE record = ?", (record,))
            added.append(record)
    return np.array(added, np.int64), np.array(removed, np.int64)


def _count_columns(db: Database, model: StoreModel, prepared: Prepared, sign: int) -> None:
    """Update the number of records, and filled records, squared counts and words by column."""
    db.set_meta("distinct", int(db.meta("distinct")) + sign * prepared.n)
    totals: dict[str, list[float]] = db.meta("totals")
    fresh = []
    for q, (column, keys) in enumerate(
        zip(prepared.compared, compared_keys(prepared), strict=True)
    ):
        change = np.bincount(column.codes[column.codes >= 0], minlength=keys.size)
        before = count_keys(db, keys)
        after = before + sign * change
        totals["filled"][q] += int(sign * change.sum())
        totals["squares"][q] += float((after**2 - before**2).sum())
        appears = np.flatnonzero((change > 0) & ((before if sign > 0 else after) == 0))
        fresh.append(column.texts(appears))
    db.set_meta("totals", totals)
    record_documents(db, model, prepared, fresh, sign)


def read_statistics(db: Database, prepared: Prepared) -> Statistics:
    """The counts of the store for the values of some records."""
    totals: dict[str, Any] = db.meta("totals")
    sizes = dict(db.rows("SELECT size, entities FROM sizes"))
    seen = np.zeros(max(sizes, default=0) + 1, np.int64)
    for size, entities in sizes.items():
        seen[size] = entities
    return Statistics(
        n=int(db.meta("distinct")),
        counts=[count_keys(db, keys) for keys in compared_keys(prepared)],
        filled=np.array(totals["filled"], np.int64),
        squares=np.array(totals["squares"], np.float64),
        sizes=seen,
        rates=db.meta("rates"),
    )
