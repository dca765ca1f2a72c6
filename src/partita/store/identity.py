"""Stable ids: which entity each cluster of records continues.

An entity that grows keeps its id. A merge keeps the older id, and the newer one redirects to it. A
split leaves the id with the larger part.
"""

from __future__ import annotations

import numpy as np

from partita.kernel import Ints
from partita.store.database import Database
from partita.store.journal import Changes, create_entity

__all__ = ["assign_entities"]


def assign_entities(
    db: Database, run: int, changes: Changes, before: Ints, labels: Ints
) -> list[int]:
    """The entity of each cluster; new entities and redirections are added to the changes.

    `before` is the entity of each record, -1 for a new record, and contains all records of each
    entity. Labels number the clusters from 0 on.
    """
    heirs = _find_heirs(before, labels)
    claims: dict[int, list[int]] = {}
    for entity, label in heirs.items():
        claims.setdefault(label, []).append(entity)
    entities = []
    for label in range(int(labels.max(initial=-1)) + 1):
        own = sorted(claims.get(label, []))
        if not own:
            entities.append(create_entity(db, run, changes, _find_origin(before, labels, label)))
            continue
        entities.append(own[0])
        for newer in own[1:]:
            changes.merged_into[newer] = own[0]
            changes.p_cluster[newer] = None
    return entities


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
