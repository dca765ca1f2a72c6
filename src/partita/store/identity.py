"""Stable ids: which entity each cluster of records continues.

An entity that grows keeps its id. A merge keeps the older id, and the newer one redirects to it. A
split leaves the id with the larger part. The entity of a reference record has the id of that
record: other entities that join it redirect to it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from partita.kernel import Ints
from partita.store.database import Database
from partita.store.journal import Changes, create_entity

__all__ = ["assign_entities", "find_anchors"]


def find_anchors(
    db: Database, reference: str | None, records: Ints, labels: Ints
) -> dict[int, str]:
    """The id of the reference record of each cluster that has one."""
    if reference is None:
        return {}
    sql = "SELECT record, id, source FROM records WHERE record IN :keys"
    place = dict(zip(records.tolist(), labels.tolist(), strict=True))
    rows = db.rows_in(sql, records.tolist())
    return {place[record]: id for record, id, source in rows if source == reference}


def assign_entities(
    db: Database,
    run: int,
    changes: Changes,
    before: Ints,
    labels: Ints,
    anchors: Mapping[int, str],
) -> list[int]:
    """The entity of each cluster; new entities and redirections are added to the changes.

    `before` is the entity of each record, -1 for a new record, and contains all records of each
    entity. Labels number the clusters from 0 on. `anchors` are ids of reference records.
    """
    anchored = {label: _find_anchor(db, run, changes, id) for label, id in anchors.items()}
    owner = {entity: label for label, entity in anchored.items()}
    claims: dict[int, list[int]] = {}
    for entity, label in _find_heirs(before, labels).items():
        if owner.get(entity, label) == label:
            claims.setdefault(label, []).append(entity)
    entities = []
    for label in range(int(labels.max(initial=-1)) + 1):
        own = sorted(claims.get(label, []))
        if label in anchored:
            number = anchored[label]
        elif own:
            number = own[0]
        else:
            number = create_entity(db, run, changes, _find_origin(before, labels, label))
        entities.append(number)
        for other in own:
            if other != number:
                changes.merged_into[other] = number
                changes.p_cluster[other] = None
    return entities


def _find_anchor(db: Database, run: int, changes: Changes, id: str) -> int:
    """The entity with the id of a reference record; it no longer redirects to another."""
    rows = db.rows("SELECT entity, merged_into FROM entities WHERE id = ?", (id,))
    if not rows:
        return create_entity(db, run, changes, id=id)
    entity, merged_into = rows[0]
    if merged_into is not None:
        changes.merged_into[entity] = None
    return int(entity)


def _find_heirs(before: Ints, labels: Ints) -> dict[int, int]:
    """The cluster with most records of each entity; of equal ones that of its first record."""
    present = np.flatnonzero(before >= 0)
    key = before[present] * (int(labels.max(initial=0)) + 1) + labels[present]
    distinct, first, count = np.unique(key, return_index=True, return_counts=True)
    heirs: dict[int, int] = {}
    for at in np.lexsort((first, -count)).tolist():
        entity, label = divmod(int(distinct[at]), int(labels.max(initial=0)) + 1)
        heirs.setdefault(entity, label)
    return heirs


def _find_origin(before: Ints, labels: Ints, label: int) -> int | None:
    """The entity that most records of a cluster come from; None where all are new."""
    old = before[(labels == label) & (before >= 0)]
    return int(np.argmax(np.bincount(old))) if old.size else None
