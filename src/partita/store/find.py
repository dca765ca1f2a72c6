"""`find`: the entities of one new record, with probabilities; the store does not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from partita.errors import InputError
from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.pairwise.model import LN2
from partita.linkage.pairwise.scored_pairs import LEAST, UNSEEN
from partita.store.candidates import find_candidates, score_prepared
from partita.store.database import Database
from partita.store.delivery import detect_swaps
from partita.store.history import name_record
from partita.store.indexing import (
    LoadedRecords,
    load_records,
    read_statistics,
    swap_names,
)
from partita.store.model import StoreModel
from partita.store.records import Layout, entities_of, fit_table, make_records, members_of

__all__ = ["find_entities"]

DIGITS = 4
"""Decimals of probabilities, which no draws limit."""


def find_entities(
    db: Database, layout: Layout, model: StoreModel, values: Mapping[str, Any], limit: int
) -> list[dict[str, Any]]:
    """The entities that fit a record, the likeliest first; the rest is P(a new entity)."""
    queried = _load_query(db, layout, model, values)
    _, candidates = find_candidates(db, model, queried)
    if not candidates.size:
        return []
    members = members_of(db, entities_of(db, distinct_of(candidates)))
    loaded = load_records(db, layout, model, members)
    scores = _score_query(db, model, queried, loaded)
    best, total = _sum_entities(model, loaded.entity, scores)
    order = sorted(total, key=lambda entity: (-total[entity], entity))
    # a new entity has log-odds 0
    weights = np.exp(
        np.array([0.0, *(total[entity] for entity in order)]) - max(0.0, *total.values())
    )
    shares = (weights / weights.sum())[1:]
    return [
        _describe(db, entity, float(share), *best[entity])
        for entity, share in zip(order[:limit], shares, strict=False)
        if total[entity] > LEAST
    ]


def _load_query(
    db: Database, layout: Layout, model: StoreModel, values: Mapping[str, Any]
) -> LoadedRecords:
    for name in values:
        if name not in layout.names:
            raise InputError(f"there is no column {name!r}; there are {', '.join(layout.names)}")
    if not any(values.get(name) not in (None, "") for name in model.used):
        raise InputError(f"give a value of at least one of {', '.join(model.used)}")
    row = {name: [None if value == "" else str(value)] for name, value in values.items()}
    columns = {name: pa.array(row.get(name, [None]), pa.string()) for name in layout.names}
    table = fit_table(pa.table(columns), layout, ())
    sources = None if model.settings.mode == "dedupe" else [""]
    records = make_records(table, model.used, sources)
    if model.swaps:
        table = swap_names(table, model, detect_swaps(db, model, records))
        records = make_records(table, model.used, sources)
    none = np.array([-1], np.int64)
    return LoadedRecords(none, records, none)


def _score_query(
    db: Database, model: StoreModel, queried: LoadedRecords, loaded: LoadedRecords
) -> Floats:
    """The log-odds of the queried record with each loaded record."""
    table = pa.concat_tables([queried.records.table, loaded.records.table])
    sources = None
    if loaded.records.sources is not None:
        names = loaded.records.source_names
        sources = ["", *(names[code] for code in loaded.records.sources.tolist())]
    together = LoadedRecords(
        np.append(queried.numbers, loaded.numbers),
        make_records(table, model.used, sources),
        np.append(queried.entity, loaded.entity),
    )
    prepared = together.prepare_apart(model)
    n = loaded.numbers.size
    pairs = np.stack([np.zeros(n, np.int64), 1 + np.arange(n)], 1)
    scored = score_prepared(db, model, prepared, read_statistics(db, prepared), pairs)
    scores = np.full(n, LEAST)
    scores[scored.pairs[:, 1] - 1] = scored.scores.total
    return scores


def _sum_entities(
    model: StoreModel, entity: Ints, scores: Floats
) -> tuple[dict[int, tuple[int, float]], dict[int, float]]:
    """The best pair of each entity, and the log-odds that the record belongs to it.

    The pairwise model adds the scores of all records; in the entity model copies of one value
    count once, so that the best pair stands for the entity.
    """
    best: dict[int, tuple[int, float]] = {}
    total: dict[int, float] = {}
    for row, (own, score) in enumerate(zip(entity.tolist(), scores.tolist(), strict=True)):
        if own not in best or score > best[own][1]:
            best[own] = (row, score)
        counted = score if score > LEAST else UNSEEN
        total[own] = total.get(own, 0.0) + counted
    if model.chosen_model == "entities":
        total = {own: score for own, (_, score) in best.items()}
    return best, total


def _describe(db: Database, entity: int, p: float, row: int, score: float) -> dict[str, Any]:
    id, size, p_cluster = db.rows(
        "SELECT id, size, p_cluster FROM entities WHERE entity = ?", (entity,)
    )[0]
    sql = "SELECT source, id FROM records WHERE entity = ? ORDER BY record"
    records = [name_record(*row) for row in db.rows(sql, (entity,))]
    return {
        "cluster_id": id,
        "p": round(p, DIGITS),
        "bits": round(score / LN2, DIGITS),
        "size": size,
        "p_cluster": p_cluster,
        "records": records,
    }
