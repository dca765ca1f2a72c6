"""`train` of a store: the model is learned again, and all records are resolved by it."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernel import Ints
from partita.linkage.output.tables import round_probabilities
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.store.corrections import TOGETHER, list_corrections, name_keys
from partita.store.create import (
    describe_rows,
    find_evidence,
    list_pairs,
    write_index,
    write_pairs,
)
from partita.store.database import Database
from partita.store.identity import assign_entities
from partita.store.journal import Changes, Membership, commit_changes
from partita.store.model import StoreModel
from partita.store.records import Layout, dump_json, read_rows

__all__ = ["relearn"]

REBUILT = ("features", "postings", "vectors", "pairs")
"""Tables that follow from the records and the model."""


def relearn(db: Database, layout: Layout, model: StoreModel, run: int) -> None:
    """Resolve all present records anew; ids continue, and model and index are replaced."""
    numbers, table = read_rows(db, layout)
    result = resolve(
        table,
        config=model.settings,
        id=db.meta("id_name") or "",
        source=db.meta("source_name"),
        constraints=_list_constraints(db, numbers) or None,
    )
    learned = StoreModel.of(result)
    db.execute("INSERT INTO models VALUES (?, ?)", (run, dump_json(learned.as_dict())))
    _change_entities(db, run, numbers, result)
    for name in REBUILT:
        db.execute(f"DELETE FROM {name}")
    db.execute("UPDATE records SET is_indexed = 0")
    rows = zip(*describe_rows(result, learned), numbers.tolist(), strict=True)
    db.execute_many(
        "UPDATE records SET is_indexed = ?, swaps = ?, digest = ? WHERE record = ?", rows
    )
    db.execute("DELETE FROM meta WHERE key = 'documents'")
    write_pairs(db, result, numbers)
    write_index(db, result, learned, numbers)


def _list_constraints(db: Database, numbers: Ints) -> list[dict[str, Any]]:
    """The corrections in force, as constraints on the ids of the table."""
    place = {number: row for row, number in enumerate(numbers.tolist())}
    keys = name_keys(db, numbers.tolist())
    is_numbered, has_sources = db.meta("id_name") is None, db.meta("source_name") is not None
    rows = []
    for one in list_corrections(db):
        if one.left not in keys or one.right not in keys:
            continue
        row: dict[str, Any] = {"constraint": "must" if one.kind == TOGETHER else "cannot"}
        for side, key in (("l", one.left), ("r", one.right)):
            row[f"id_{side}"] = str(place[keys[key]]) if is_numbered else key[1]
            if has_sources:
                row[f"source_{side}"] = key[0]
        rows.append(row)
    return rows


def _change_entities(db: Database, run: int, numbers: Ints, result: Resolution) -> None:
    """Continue the ids of entities, and write the changes of all records."""
    sql = "SELECT entity FROM records WHERE entity IS NOT NULL ORDER BY record"
    before = np.array([row[0] for row in db.rows(sql)], np.int64)
    changes = Changes()
    entities = assign_entities(db, run, changes, before, result.labels)
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
