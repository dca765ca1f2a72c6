"""A store from a result: records, model, index and the first run of the change log."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data.read import SOURCE
from partita.kernel import Floats, Ints
from partita.linkage.output.tables import WEIGHT_DIGITS, round_probabilities
from partita.linkage.pairwise.scored_pairs import LEAST
from partita.linkage.result import Resolution
from partita.store.database import Database, create_file
from partita.store.documents import record_documents
from partita.store.drift import measure_learning, write_measures
from partita.store.features import digest_records
from partita.store.identity import find_anchors
from partita.store.index import (
    SOURCES,
    measure_vectors,
    weigh_features,
    write_lists,
    write_scales,
)
from partita.store.indexing import encode_sources, list_features
from partita.store.journal import CHANGED, entity_id, start_run
from partita.store.model import StoreModel, compared_keys
from partita.store.rates import count_matches, follow_rates
from partita.store.records import create_inputs, dump_json, name_records, write_rows
from partita.store.schema import INDEXES

__all__ = [
    "create_store",
    "describe_rows",
    "find_evidence",
    "list_pairs",
    "write_index",
    "write_learning",
    "write_pairs",
]


def create_store(result: Resolution, path: str | PathLike[str]) -> Path:
    """Write a result as a store; an existing file is replaced when the new one is complete."""
    model = StoreModel.of(result)
    with create_file(path) as db:
        db.execute("BEGIN")
        n = result.records.n
        run = start_run(db, "resolve", "first run", {"records": n, CHANGED: n})
        db.execute("INSERT INTO models VALUES (?, ?)", (run, dump_json(model.as_dict())))
        _write_records(db, result, model)
        _write_entities(db, result, run)
        numbers = np.arange(result.records.n)
        bits = _write_log(db, result, run)
        write_learning(db, run, result, model, bits)
        write_pairs(db, result, numbers)
        write_index(db, result, model, numbers)
        db.execute("COMMIT")
        for statement in filter(str.strip, INDEXES.split(";")):
            db.execute(statement)
    return Path(path)


def _write_records(db: Database, result: Resolution, model: StoreModel) -> None:
    """Write input values, ids, entities and probabilities of all records."""
    records = result.records
    numbers = np.arange(records.n)
    write_rows(db, create_inputs(db, records.table), numbers, records.table)
    sources, ids = name_records(records)
    is_indexed, swaps, digest = describe_rows(result, model)
    p_member = round_probabilities(result.p_member, result.total_draws)
    db.execute_many(
        "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        zip(
            numbers.tolist(),
            sources,
            ids,
            (result.labels + 1).tolist(),
            p_member.tolist(),
            is_indexed,
            swaps,
            digest,
            strict=True,
        ),
    )
    db.set_meta("id_name", records.id_name)
    db.set_meta("source_name", _source_column(result))
    db.set_meta("has_sources", records.sources is not None)


def describe_rows(
    result: Resolution, model: StoreModel
) -> tuple[list[int], list[int], list[int | None]]:
    """By row: whether it is indexed, the bits of swapped names, and the digest of its values."""
    records, prepared = result.records, result.prepared
    is_indexed = np.zeros(records.n, np.int64)
    is_indexed[result.first_rows] = 1
    swaps = np.zeros(prepared.n, np.int64)
    for bit, swapped in enumerate(prepared.swapped):
        swaps |= swapped.rows.astype(np.int64) << bit
    digest: list[int | None] = [None] * records.n
    if model.settings.mode == "dedupe":
        digests = prepared.numbering.expand(digest_records(prepared.columns))
        apart = prepared.exclusive
        if apart is not None:
            # identical records of a reference are indexed each
            digests = np.where(prepared.numbering.expand(apart) >= 0, 0, digests)
        digest = [value or None for value in digests.tolist()]
    return is_indexed.tolist(), prepared.numbering.expand(swaps).tolist(), digest


def _source_column(result: Resolution) -> str | None:
    """The column of sources: the one of the settings, or the one that reading adds."""
    if result.records.sources is None:
        return None
    return result.settings.source or SOURCE


def _write_entities(db: Database, result: Resolution, run: int) -> None:
    sizes = np.bincount(result.labels)
    _, first = np.unique(result.labels, return_index=True)
    p_cluster = round_probabilities(result.p_cluster, result.total_draws)[first].tolist()
    numbers = range(1, sizes.size + 1)
    rows = np.arange(result.records.n)
    anchors = find_anchors(db, result.settings.reference, rows, result.labels)
    is_taken = set(anchors.values()).__contains__
    db.execute_many(
        "INSERT INTO entities VALUES (?, ?, ?, ?, NULL, ?, NULL)",
        (
            (number, anchors.get(number - 1) or entity_id(number, is_taken), size, p, run)
            for number, size, p in zip(numbers, sizes.tolist(), p_cluster, strict=True)
        ),
    )
    seen = np.bincount(sizes)
    db.execute_many(
        "INSERT INTO sizes VALUES (?, ?)",
        [(s, int(seen[s])) for s in np.flatnonzero(seen).tolist()],
    )
    db.execute_many(
        "INSERT INTO entity_changes VALUES (?, ?, NULL, ?, NULL, NULL, 1)",
        ((run, number, p) for number, p in zip(numbers, p_cluster, strict=True)),
    )


def list_pairs(result: Resolution) -> tuple[Ints, Ints, Floats]:
    """The scored pairs of rows that are kept, and their match weights in bits."""
    pairs = result.record_pairs
    mask = (pairs.scores.total > LEAST) & _are_candidates(result)
    weight = np.round(pairs.scores.match_weight[mask], WEIGHT_DIGITS)
    return pairs.left[mask], pairs.right[mask], weight


def _are_candidates(result: Resolution) -> NDArray[np.bool_]:
    """Mark the scored pairs that blocking finds; others depend on the partition of one run.

    Pairs inside and between clusters are compared anew in each run. If the pairs of all runs were
    kept, an entity would have more evidence the more often it is reconsidered.
    """
    n = result.prepared.n
    if not len(result.blocking.pairs):
        return np.ones(len(result.scored.pairs), bool)
    keys, candidates = (
        (pairs[:, 0] * n + pairs[:, 1])
        for pairs in (result.scored.pairs, result.blocking.pairs.astype(np.int64))
    )
    return np.isin(keys, candidates)


def write_pairs(db: Database, result: Resolution, numbers: Ints) -> None:
    """Write the scored pairs in both directions; `numbers` are the records of the rows."""
    left, right, weight = list_pairs(result)
    left, right = numbers[left], numbers[right]
    both = np.concatenate([left, right]), np.concatenate([right, left]), np.tile(weight, 2)
    order = np.lexsort((both[1], both[0]))
    columns = [column[order].tolist() for column in both]
    db.execute_many("INSERT INTO pairs VALUES (?, ?, ?)", zip(*columns, strict=True))


def _write_log(db: Database, result: Resolution, run: int) -> list[float | None]:
    """Write the change of each record with the evidence for it; return the match weights."""
    bits, partner = find_evidence(result.labels, *list_pairs(result))
    p_member = round_probabilities(result.p_member, result.total_draws).tolist()
    rows = zip((result.labels + 1).tolist(), p_member, bits, partner, strict=True)
    db.execute_many(
        "INSERT INTO record_changes VALUES (?, ?, NULL, ?, NULL, ?, ?, ?)",
        ((run, record, *row) for record, row in enumerate(rows)),
    )
    return bits


def write_learning(
    db: Database, run: int, result: Resolution, model: StoreModel, bits: list[float | None]
) -> None:
    """Write the measures of the records that the model is learned from, and the rates."""
    n, candidates = result.prepared.n, _are_candidates(result)
    scores = result.scored.scores.rows(np.flatnonzero(candidates))
    measures = measure_learning(result.prepared, bits, result.p_member.tolist())
    measures += count_matches(model, scores.levels, scores.total, n * (n - 1) // 2)
    write_measures(db, run, measures)
    follow_rates(db)


def find_evidence(
    labels: Ints, left: Ints, right: Ints, weight: Any
) -> tuple[list[float | None], list[int | None]]:
    """The best match weight of each record with a member of its entity, and that member."""
    inside = labels[left] == labels[right]
    record = np.concatenate([left[inside], right[inside]])
    other = np.concatenate([right[inside], left[inside]])
    value = np.tile(weight[inside], 2)
    order = np.lexsort((other, -value, record))
    first = order[np.flatnonzero(np.diff(record[order], prepend=-1))]
    bits: list[float | None] = [None] * labels.size
    partner: list[int | None] = [None] * labels.size
    for row, entity, best in zip(
        record[first].tolist(), other[first].tolist(), value[first].tolist(), strict=True
    ):
        bits[row], partner[row] = best, entity
    return bits, partner


def write_index(db: Database, result: Resolution, model: StoreModel, numbers: Ints) -> None:
    """Write posting lists, vector lengths and counts of values."""
    prepared, rows = result.prepared, numbers[result.first_rows]
    db.set_meta("distinct", prepared.n)
    lists = list_features(prepared, model)
    for searched, postings in lists.searches.items():
        numbered = rows[postings.record]
        feature = np.repeat(np.arange(postings.keys.size), postings.counts)
        ascending = np.lexsort((numbered, feature))
        write_lists(db, postings._replace(record=numbered[ascending].astype(np.int32)))
        scales = measure_vectors(postings, prepared.n, weigh_features(postings.counts, prepared.n))
        write_scales(db, rows, scales, searched)
    for postings in lists.separate:
        write_lists(db, postings, has_postings=False)
    totals: dict[str, list[float]] = {"filled": [], "squares": []}
    for column, keys in zip(prepared.compared, compared_keys(prepared), strict=True):
        counts = np.bincount(column.codes[column.codes >= 0], minlength=keys.size)
        totals["filled"].append(int(counts.sum()))
        totals["squares"].append(float((counts.astype(float) ** 2).sum()))
    db.set_meta("totals", totals)
    values = [column.values.to_pylist() for column in prepared.compared]
    record_documents(db, model, prepared, values, 1)
    if result.records.sources is not None:
        codes = encode_sources(db, result.records)
        write_scales(db, numbers, codes.astype(np.float64), SOURCES)
