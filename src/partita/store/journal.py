"""The change log: every run writes the state of each record and entity before and after it.

Both tables are append-only. The present state is the sum of all changes, the state as of a run is
the sum of the changes up to it, and undoing a run applies its changes backwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from partita.store.database import Database
from partita.store.records import dump_json

__all__ = ["CHANGED", "Changes", "Membership", "commit_changes", "entity_id", "start_run"]

CHANGED = "records_changed"
"""Key of a run's details: the number of its changes of records, so that no list of runs counts."""

ID_BITS = 40
"""Bits of an entity id, which are 10 hexadecimal digits."""
ID_MULTIPLIER = 0x9E3779B97
"""Odd, so that the numbers of entities and their ids are one to one."""
MAX_ENTITIES = 2**32
"""Entities of a store at most; a number above makes another id where an id is taken."""


class Membership(NamedTuple):
    """The entity of a record, None where the record is absent, and p_member."""

    entity: int | None
    p_member: float | None


@dataclass
class Changes:
    """The state of records and entities after a run."""

    records: dict[int, Membership] = field(default_factory=dict)
    evidence: dict[int, tuple[float, int]] = field(default_factory=dict)
    """The match weight in bits of each record with its partner in the entity."""
    p_cluster: dict[int, float | None] = field(default_factory=dict)
    merged_into: dict[int, int | None] = field(default_factory=dict)
    created: set[int] = field(default_factory=set)


def entity_id(entity: int, is_taken: Callable[[str], bool] = lambda id: False) -> str:
    """The opaque id of an entity from its number; another one where a reference record has it.

    >>> entity_id(1), entity_id(2)
    ('e09e3779b97', 'e13c6ef372e')
    >>> entity_id(1, {"e09e3779b97"}.__contains__)
    'ea0e3779b97'
    """
    id = f"e{entity * ID_MULTIPLIER % 2**ID_BITS:010x}"
    return entity_id(entity + MAX_ENTITIES, is_taken) if is_taken(id) else id


def start_run(db: Database, verb: str, reason: str, detail: Mapping[str, Any]) -> int:
    """Write a run and return its number."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    cursor = db.execute(
        "INSERT INTO runs (time, verb, reason, detail) VALUES (?, ?, ?, ?)",
        (time, verb, reason, dump_json(detail)),
    )
    return int(cursor.lastrowid or 0)


def _is_taken(db: Database, id: str) -> bool:
    """Whether an entity has the id already, as a reference record of that id."""
    return bool(db.rows("SELECT 1 FROM entities WHERE id = ?", (id,)))


def create_entity(
    db: Database, run: int, changes: Changes, origin: int | None = None, id: str | None = None
) -> int:
    """Create an entity without records; `origin` is the entity that it was split from."""
    number = int(db.value("SELECT coalesce(max(entity), 0) FROM entities")) + 1
    db.execute(
        "INSERT INTO entities VALUES (?, ?, 0, NULL, NULL, ?, ?)",
        (number, id or entity_id(number, lambda new: _is_taken(db, new)), run, origin),
    )
    changes.created.add(number)
    return number


def commit_changes(db: Database, run: int, changes: Changes) -> tuple[list[int], list[int]]:
    """Write changes to the log and to the present state; return records that appear and vanish."""
    sql = "SELECT record, entity, p_member FROM records WHERE record IN :keys"
    before = {row[0]: Membership(row[1], row[2]) for row in db.rows_in(sql, [*changes.records])}
    rows, growth = [], Counter[int]()
    appeared, vanished = [], []
    for record, after in changes.records.items():
        now = before[record]
        if now == after:
            continue
        bits, partner = changes.evidence.get(record, (None, None))
        rows.append((run, record, now[0], after[0], now[1], after[1], bits, partner))
        if now.entity is None and after.entity is not None:
            appeared.append(record)
        if now.entity is not None and after.entity is None:
            vanished.append(record)
        if now.entity != after.entity:
            growth.update(filter(None, [after.entity]))
            growth.subtract(filter(None, [now.entity]))
    marks = ", ".join("?" * 8)
    db.execute_many(f"INSERT INTO record_changes VALUES ({marks})", rows)
    sql = f"UPDATE runs SET detail = json_set(detail, '$.{CHANGED}', ?) WHERE run = ?"
    db.execute(sql, (len(rows), run))
    db.execute_many(
        "UPDATE records SET entity = ?, p_member = ? WHERE record = ?",
        [(row[3], row[5], row[1]) for row in rows],
    )
    _change_entities(db, run, changes)
    _change_sizes(db, growth)
    return appeared, vanished


def _change_entities(db: Database, run: int, changes: Changes) -> None:
    touched = {*changes.p_cluster, *changes.merged_into, *changes.created}
    sql = "SELECT entity, p_cluster, merged_into FROM entities WHERE entity IN :keys"
    rows = []
    for entity, p_before, merged_before in db.rows_in(sql, [*touched]):
        p_after = changes.p_cluster.get(entity, p_before)
        merged_after = changes.merged_into.get(entity, merged_before)
        is_new = entity in changes.created
        if is_new or (p_before, merged_before) != (p_after, merged_after):
            rows.append((run, entity, p_before, p_after, merged_before, merged_after, is_new))
    db.execute_many("INSERT INTO entity_changes VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    db.execute_many(
        "UPDATE entities SET p_cluster = ?, merged_into = ? WHERE entity = ?",
        [(row[3], row[5], row[1]) for row in rows],
    )


def _change_sizes(db: Database, growth: Mapping[int, int]) -> None:
    """Change the size of entities, and the number of entities of each size."""
    grown = {entity: more for entity, more in growth.items() if more}
    sql = "SELECT entity, size FROM entities WHERE entity IN :keys"
    counts = Counter[int]()
    for entity, size in db.rows_in(sql, [*grown]):
        counts[size] -= 1
        counts[size + grown[entity]] += 1
        db.execute("UPDATE entities SET size = ? WHERE entity = ?", (size + grown[entity], entity))
    db.execute_many(
        "INSERT INTO sizes VALUES (?, ?) "
        "ON CONFLICT (size) DO UPDATE SET entities = entities + excluded.entities",
        [(size, count) for size, count in counts.items() if size > 0 and count],
    )
