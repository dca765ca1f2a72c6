"""Export: the records with their entities and probabilities, now or as of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from partita.data.arrow import from_strings
from partita.data.table import Records
from partita.kernel import Floats, Ints
from partita.linkage.numbering import ids_by_first_place
from partita.linkage.output.golden import golden as build_golden
from partita.linkage.output.tables import RESULTS, round_columns
from partita.linkage.settings import Settings
from partita.store.database import Database
from partita.store.history import check_run, list_events
from partita.store.model import StoreModel
from partita.store.records import Layout, make_records, read_rows

__all__ = ["export_table", "golden_records", "list_tables", "read_state"]

DRAWS = 400
"""Draws of a run at most: two chains of 200. They decide the decimals of golden values."""
AS_OF = (
    "SELECT record, entity_after, p_after FROM (SELECT record, entity_after, p_after, max(run) "
    "FROM record_changes WHERE run <= ? GROUP BY record) WHERE entity_after IS NOT NULL "
    "ORDER BY record"
)
ENTITIES_AS_OF = (
    "SELECT c.entity, e.id, c.p_after FROM (SELECT entity, p_after, max(run) FROM entity_changes "
    "WHERE run <= ? GROUP BY entity) c JOIN entities e ON e.entity = c.entity"
)


def read_state(db: Database, run: int | None = None) -> tuple[Ints, pa.Table]:
    """Record numbers, and cluster_id, p_member and p_cluster of each, now or as of a run."""
    if run is None:
        rows = db.rows(
            "SELECT record, entity, p_member FROM records WHERE entity IS NOT NULL ORDER BY record"
        )
        named = db.rows("SELECT entity, id, p_cluster FROM entities")
    else:
        check_run(db, run)
        forgotten = {row[0] for row in db.rows("SELECT record FROM records WHERE forgotten > 0")}
        rows = [row for row in db.rows(AS_OF, (run,)) if row[0] not in forgotten]
        named = db.rows(ENTITIES_AS_OF, (run,))
    ids = {entity: (id, p) for entity, id, p in named}
    numbers = np.array([row[0] for row in rows], np.int64)
    columns = [
        from_strings([ids[row[1]][0] for row in rows]),
        pa.array([row[2] for row in rows], pa.float64()),
        pa.array([ids[row[1]][1] for row in rows], pa.float64()),
    ]
    return numbers, pa.table(columns, names=list(RESULTS))


def export_table(db: Database, layout: Layout, run: int | None = None) -> pa.Table:
    """The input of all present records with their entities, in the order of arrival."""
    numbers, state = read_state(db, run)
    _, table = read_rows(db, layout, numbers)
    for name in RESULTS:
        table = table.append_column(name, state.column(name))
    return table


class _State(NamedTuple):
    """Present records with their entities, for golden records."""

    records: Records
    labels: Ints
    p_member: Floats
    p_cluster: Floats
    cluster_ids: pa.Array
    settings: Settings


def golden_records(
    db: Database,
    layout: Layout,
    model: StoreModel,
    run: int | None = None,
    survivorship: Sequence[str] | None = None,
) -> pa.Table:
    """One record per entity with its surviving values, now or as of a run.

    The rules are those of the settings that the store was created with, unless others are given.
    """
    numbers, state = read_state(db, run)
    _, table = read_rows(db, layout, numbers)
    names = [name for name in layout.names if name in _golden_names(db, model, layout)]
    sql = "SELECT source FROM records WHERE record IN :keys ORDER BY record"
    sources = [row[0] for row in db.rows_in(sql, numbers.tolist())]
    records = make_records(table, names, sources if db.meta("has_sources") else None)
    settings = model.settings.replaced(survivorship=survivorship)
    ids = state.column("cluster_id").combine_chunks()
    _, labels = ids_by_first_place(ids.dictionary_encode().indices.to_numpy().astype(np.int64))
    p_member, p_cluster = (state.column(name).to_numpy() for name in RESULTS[1:])
    golden = build_golden(_State(records, labels, p_member, p_cluster, ids, settings))
    return round_columns(golden, DRAWS)


def _golden_names(db: Database, model: StoreModel, layout: Layout) -> set[str]:
    """The columns of golden records: all but id, source and ignored ones, as in a result."""
    left_out = {db.meta("id_name"), db.meta("source_name"), *model.settings.ignore}
    return {name for name in layout.names if name not in left_out}


EVENT_TYPES = {
    "run": pa.int64(),
    "time": pa.timestamp("us", "UTC"),
    **dict.fromkeys(("event", "entity", "other_entity", "record"), pa.string()),
    "bits": pa.float64(),
    **dict.fromkeys(("partner", "reason"), pa.string()),
}
"""Columns of the log in a database."""


def list_tables(
    db: Database, layout: Layout, name: str, run: int | None = None
) -> dict[str, pa.Table]:
    """The tables of an export to a database: records, entities and the log, by name."""
    last = run or int(db.value("SELECT max(run) FROM runs"))
    events = [event for number in range(1, last + 1) for event in list_events(db, number)]
    log = {key: [event[key] for event in events] for key in EVENT_TYPES}
    log["time"] = [datetime.fromisoformat(text) for text in log["time"]]
    arrays = [pa.array(log[key], type) for key, type in EVENT_TYPES.items()]
    return {
        name: export_table(db, layout, run),
        f"{name}_entities": _list_entities(db, last),
        f"{name}_log": pa.table(arrays, names=list(EVENT_TYPES)),
    }


def _list_entities(db: Database, run: int) -> pa.Table:
    """Id, size, probability and redirection of all entities as of a run."""
    merged = (
        "SELECT c.entity, e.id, c.p_after, i.id FROM (SELECT entity, p_after, merged_after, "
        "max(run) FROM entity_changes WHERE run <= ? GROUP BY entity) c JOIN entities e USING "
        "(entity) LEFT JOIN entities i ON i.entity = c.merged_after ORDER BY c.entity"
    )
    sizes = Counter(row[1] for row in db.rows(AS_OF, (run,)))
    rows = [(id, sizes[entity], p, into) for entity, id, p, into in db.rows(merged, (run,))]
    types = (pa.string(), pa.int64(), pa.float64(), pa.string())
    columns = zip(*rows, strict=True) if rows else ([], [], [], [])
    arrays = [pa.array(list(column), type) for column, type in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["cluster_id", "size", "p_cluster", "merged_into"])
