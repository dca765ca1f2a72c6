"""Batches against all records at once: F1 of both, and ids that no new record touches.

The store is created from the first batch; its model is not trained again. `same_model` is the F1 of
all records at once by the pair model of the first batch, which separates the loss of the small
sample from that of adding records in batches.
"""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import partita
from benchmarks.peers.sets import PEOPLE, SETS, prepare, prepare_people
from partita.metrics import pairwise

__all__ = ["DEFAULT_SETS", "load_set", "measure_batches"]

DEFAULT_SETS = (
    *("historical_50k", "RLdata10000", "cora_hpi_1879", "musicbrainz_entity_embed"),
    PEOPLE,
)
PEOPLE_RECORDS = 10_000
"""Generated people, in households."""
SEED = 1
"""The seed of all runs, and of the order of the records unless another one is given."""


def load_set(name: str, folder: Path) -> tuple[pa.Table, list[Any]]:
    """The records of a set, or generated people, and their true entities."""
    data = (
        prepare_people(PEOPLE_RECORDS, SEED, folder)
        if name == PEOPLE
        else prepare(SETS[name], folder)
    )
    return pq.read_table(data.path), data.truth.to_pylist()


def measure_batches(name: str, batches: int, order_seed: int = SEED) -> dict[str, Any]:
    """Resolve a set at once and in batches of random order."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        table, truth = load_set(name, path)
        order = np.random.default_rng(order_seed).permutation(table.num_rows)
        parts = [table.take(pa.array(part)) for part in np.array_split(order, batches)]
        whole = partita.resolve(table, seed=SEED)
        first = partita.resolve(parts[0], seed=SEED)
        store = partita.Store.create(first, path / "store.partita")
        kept = [_add(store, part) for part in parts[1:]]
        learned = _count_learned(store)
        labels = _labels(store, table)
        broken = store.check()
        store.close()
    same = partita.resolve(table, seed=SEED, model=first.learned_model())
    once, stored = pairwise(whole.labels, truth).f1, pairwise(labels, truth).f1
    return {
        "set": name,
        "order": order_seed,
        "records": table.num_rows,
        "f1_at_once": round(once, 4),
        "f1_batches": round(stored, 4),
        "difference": round(stored - once, 4),
        "f1_same_model": round(pairwise(same.labels, truth).f1, 4),
        "relearned": learned,
        "reading_of_first_batch": first.reading.name,
        "untouched_entities": sum(count for count, _ in kept),
        "untouched_unchanged": sum(same for _, same in kept),
        "check": broken,
    }


def _add(store: partita.Store, part: pa.Table) -> tuple[int, int]:
    """Add a batch; count the entities that no new record touches, and the unchanged ones of them.

    A new record touches the entities of its scored candidates, of identical records included. The
    count reads the tables of the store, and not the events that the run reports.
    """
    before = _members(store)
    with sqlite3.connect(store.path) as db:
        first = db.execute("SELECT 1 + max(record) FROM records").fetchone()[0]
        store.add(part)
        reached = db.execute(
            """
            WITH new AS (
                SELECT record FROM records WHERE record >= :first
                UNION
                SELECT old.record FROM records old JOIN records new USING (digest)
                WHERE new.record >= :first
            )
            SELECT record FROM new UNION SELECT other FROM pairs JOIN new USING (record)
            """,
            {"first": first},
        ).fetchall()
        ids = dict(db.execute("SELECT record, id FROM records").fetchall())
    after, touched = _members(store), {ids[record] for (record,) in reached}
    untouched = [id for id, members in before.items() if touched.isdisjoint(map(str, members))]
    return len(untouched), sum(after.get(id) == before[id] for id in untouched)


def _count_learned(store: partita.Store) -> int:
    """The number of adds that learned the model again."""
    with sqlite3.connect(store.path) as db:
        return int(db.execute("SELECT count(*) - 1 FROM models").fetchone()[0])


def _members(store: partita.Store) -> dict[str, tuple[Any, ...]]:
    """The records of each entity."""
    table = store.export()
    id_name = table.column_names[0]
    members: dict[str, list[Any]] = {}
    ids, clusters = table.column(id_name).to_pylist(), table.column("cluster_id").to_pylist()
    for id, cluster in zip(ids, clusters, strict=True):
        members.setdefault(cluster, []).append(id)
    return {cluster: tuple(sorted(ids)) for cluster, ids in members.items()}


def _labels(store: partita.Store, table: pa.Table) -> list[str]:
    """The entity of each record, in the order of the table."""
    stored = store.export()
    id_name = table.column_names[0]
    entity = dict(
        zip(
            stored.column(id_name).to_pylist(),
            stored.column("cluster_id").to_pylist(),
            strict=True,
        )
    )
    return [entity[id] for id in table.column(id_name).to_pylist()]
