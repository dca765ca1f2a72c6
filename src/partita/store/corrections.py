"""Corrections: pairs of records that a person puts together or apart, which every run obeys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.numbering import RowIds
from partita.linkage.supervision.constraints import Constraints
from partita.store.database import Database
from partita.store.delivery import Key, find_present

__all__ = ["Correction", "constrain", "list_corrections", "load_partners", "remove_corrections"]

TOGETHER, APART = "together", "apart"


class Correction(NamedTuple):
    """One correction in force."""

    number: int
    run: int
    kind: str
    """"together" or "apart"."""
    left: Key
    right: Key
    reason: str


def list_corrections(db: Database) -> list[Correction]:
    """The corrections in force."""
    rows = db.rows(
        "SELECT correction, run, kind, source_l, id_l, source_r, id_r, reason FROM corrections "
        "WHERE removed IS NULL ORDER BY correction"
    )
    return [
        Correction(number, run, kind, (source_l, id_l), (source_r, id_r), reason)
        for number, run, kind, source_l, id_l, source_r, id_r, reason in rows
    ]


def remove_corrections(db: Database, run: int, numbers: Iterable[int]) -> list[Key]:
    """Remove corrections by number; return the records that they name."""
    known = {correction.number: correction for correction in list_corrections(db)}
    named: list[Key] = []
    for number in numbers:
        if number not in known:
            text = ", ".join(map(str, known)) or "none"
            raise InputError(f"there is no correction {number} in force; there are: {text}")
        db.execute("UPDATE corrections SET removed = ? WHERE correction = ?", (run, number))
        named += [known[number].left, known[number].right]
    return named


def name_keys(db: Database, numbers: Iterable[int]) -> dict[Key, int]:
    """Source and id of records, and their numbers."""
    sql = "SELECT source, id, record FROM records WHERE record IN :keys"
    return {(source, id): record for source, id, record in db.rows_in(sql, [*numbers])}


def load_partners(db: Database, numbers: Ints) -> Ints:
    """Stored records that a correction relates to some records, directly or through others."""
    corrections = list_corrections(db)
    if not corrections:
        return np.empty(0, np.int64)
    links = defaultdict[Key, list[Key]](list)
    for correction in corrections:
        links[correction.left].append(correction.right)
        links[correction.right].append(correction.left)
    own = set(name_keys(db, numbers.tolist()))
    pending, reached = [*own], set(own)
    while pending:
        others = [key for key in links.get(pending.pop(), ()) if key not in reached]
        reached.update(others)
        pending += others
    return np.array(sorted(find_present(db, [*reached - own]).values()), np.int64)


def constrain(db: Database, numbers: Ints) -> Constraints:
    """The corrections between loaded records, as constraints on their places."""
    keys = name_keys(db, numbers.tolist())
    place = {number: row for row, number in enumerate(numbers.tolist())}
    rows, must = [], []
    for correction in list_corrections(db):
        if correction.left in keys and correction.right in keys:
            rows.append(sorted((place[keys[correction.left]], place[keys[correction.right]])))
            must.append(correction.kind == TOGETHER)
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    return Constraints(RowIds(pairs), np.array(must, bool), np.full(len(pairs), np.inf))
