"""A model is learned again: by `train`, which resolves all records, and by `add` in a small store.

Few records decide badly which pairs match and how much each comparison counts, and their random
pairs, dependences and n-grams do not follow later records. An `add` that finds a small store far
larger than the records that its model was learned from learns the model from all records first.
Entities that no new record touches stay as they are.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np

from partita.kernel import Ints
from partita.linkage.output.tables import round_probabilities
from partita.linkage.pairwise.model import LN2
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.linkage.supervision.labels import MIN_LABELS
from partita.linkage.supervision.trained_model import TrainedModel
from partita.linkage.supervision.training import train
from partita.store.corrections import TOGETHER, list_corrections, name_keys
from partita.store.create import (
    describe_rows,
    find_evidence,
    list_pairs,
    write_index,
    write_learning,
    write_pairs,
)
from partita.store.database import Database
from partita.store.identity import assign_entities, find_anchors
from partita.store.journal import Changes, Membership, commit_changes
from partita.store.model import StoreModel
from partita.store.records import Layout, dump_json, read_rows

__all__ = ["compare_weights", "learn_model", "relearn"]

REBUILT = ("features", "postings", "vectors", "pairs")
"""Tables that follow from the records and the model."""


WEIGHTS_LISTED = 10
"""Match weights in a comparison of two models, at most."""
MIN_WEIGHT_CHANGE = 0.5
"""Bits from which the change of a match weight is listed."""


def relearn(db: Database, layout: Layout, model: StoreModel, run: int) -> StoreModel:
    """Resolve all present records anew; ids continue, and model and index are replaced."""
    numbers, table = read_rows(db, layout)
    constraints, named = _list_constraints(db, numbers), _name_columns(db)
    trained = None
    if _can_train(constraints):
        trained = train(table, constraints, config=model.settings, **named)
    result = resolve(
        table, config=model.settings, constraints=constraints or None, model=trained, **named
    )
    learned = _write_model(db, run, result)
    bits = _change_entities(db, run, numbers, result)
    write_learning(db, run, result, learned, bits)
    _rebuild(db, result, learned, numbers)
    return learned


def learn_model(
    db: Database, layout: Layout, model: StoreModel, run: int, new: Ints, gone: list[int]
) -> None:
    """Learn the model from all records; entities stay as they are.

    `new` are indexed records without an entity, and `gone` leave in this run.
    """
    rows = db.rows("SELECT record FROM records WHERE entity IS NOT NULL")
    present = np.array([row[0] for row in rows], np.int64)
    chosen = np.setdiff1d(np.append(present, new), np.array(gone, np.int64))
    numbers, table = read_rows(db, layout, chosen)
    constraints = _list_constraints(db, numbers)
    with warnings.catch_warnings():
        # the first run has warned of the columns and of the reading
        warnings.simplefilter("ignore")
        result = resolve(
            table, config=model.settings, constraints=constraints or None, **_name_columns(db)
        )
    learned = _write_model(db, run, result)
    bits, _ = find_evidence(result.labels, *list_pairs(result))
    write_learning(db, run, result, learned, bits)
    _rebuild(db, result, learned, numbers)


def _name_columns(db: Database) -> dict[str, Any]:
    """The columns of ids and of sources, as `resolve` takes them."""
    return {"id": db.meta("id_name") or "", "source": db.meta("source_name")}


def _write_model(db: Database, run: int, result: Resolution) -> StoreModel:
    learned = StoreModel.of(result)
    db.execute("INSERT INTO models VALUES (?, ?)", (run, dump_json(learned.as_dict())))
    return learned


def _rebuild(db: Database, result: Resolution, learned: StoreModel, numbers: Ints) -> None:
    """Replace the index, the counts of values and the candidate pairs."""
    for name in REBUILT:
        db.execute(f"DELETE FROM {name}")
    db.execute("UPDATE records SET is_indexed = 0, swaps = 0")
    rows = zip(*describe_rows(result, learned), numbers.tolist(), strict=True)
    db.execute_many(
        "UPDATE records SET is_indexed = ?, swaps = ?, digest = ? WHERE record = ?", rows
    )
    db.execute("DELETE FROM meta WHERE key = 'documents'")
    write_pairs(db, result, numbers)
    write_index(db, result, learned, numbers)


def _can_train(constraints: list[dict[str, Any]]) -> bool:
    """Whether the corrections are labels enough of both kinds to fit weights and test them."""
    counts = Counter(row["constraint"] for row in constraints)
    return min(counts["must"], counts["cannot"]) >= MIN_LABELS


def compare_weights(before: TrainedModel, after: TrainedModel) -> list[dict[str, Any]]:
    """The match weights that differ most between two models, in bits."""
    old, new = before.named(), after.named()
    rows: list[dict[str, Any]] = [
        {"weight": name, "before": round(old[name] / LN2, 1), "after": round(value / LN2, 1)}
        for name, value in new.items()
        if name in old and abs(value - old[name]) >= MIN_WEIGHT_CHANGE * LN2
    ]
    return sorted(rows, key=lambda row: -abs(row["after"] - row["before"]))[:WEIGHTS_LISTED]


def _list_constraints(db: Database, numbers: Ints) -> list[dict[str, Any]]:
    """The corrections in force, as constraints on the ids of the table."""
    place = {number: row for row, number in enumerate(numbers.tolist())}
    keys = name_keys(db, numbers.tolist())
    is_numbered, has_sources = db.meta("id_name") is None, db.meta("source_name") is not None
    rows = []
    for correction in list_corrections(db):
        if correction.left not in keys or correction.right not in keys:
            continue
        row: dict[str, Any] = {"constraint": "must" if correction.kind == TOGETHER else "cannot"}
        for side, key in (("l", correction.left), ("r", correction.right)):
            row[f"id_{side}"] = str(place[keys[key]]) if is_numbered else key[1]
            if has_sources:
                row[f"source_{side}"] = key[0]
        rows.append(row)
    return rows


def _change_entities(
    db: Database, run: int, numbers: Ints, result: Resolution
) -> list[float | None]:
    """Continue the ids of entities, and write the changes of all records.

    Return the match weight of each record with its partner.
    """
    sql = "SELECT entity FROM records WHERE entity IS NOT NULL ORDER BY record"
    before = np.array([row[0] for row in db.rows(sql)], np.int64)
    changes = Changes()
    anchors = find_anchors(db, result.settings.reference, numbers, result.labels)
    entities = assign_entities(db, run, changes, before, result.labels, anchors)
    after = np.array(entities, np.int64)[result.labels].tolist()
    p_member, p_cluster = (
        round_probabilities(values, result.total_draws).tolist()
        for values in (result.p_member, result.p_cluster)
    )
    bits, partner = find_evidence(result.labels, *list_pairs(result))
    for row, record in enumerate(numbers.tolist()):
        changes.records[record] = Membership(after[row], p_member[row])
        changes.p_cluster[after[row]] = p_cluster[row]
        best, other = bits[row], partner[row]
        if best is not None and other is not None:
            changes.evidence[record] = (best, int(numbers[other]))
    commit_changes(db, run, changes)
    return bits
