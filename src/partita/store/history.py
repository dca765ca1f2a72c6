"""The change log as tables: runs, events of a run or of an id, differences, and undoing a run."""

from __future__ import annotations

from typing import Any

from partita.errors import InputError
from partita.store.check import list_broken_corrections
from partita.store.database import Database
from partita.store.journal import CHANGED, Changes, Membership, commit_changes, start_run

__all__ = ["check_run", "compare_runs", "list_events", "list_runs", "read_history", "undo_run"]

SELECTED = (
    "SELECT v.run, v.step, u.time, v.event, e.id, o.id, r.source, r.id, v.bits, p.source, p.id, "
    "u.reason "
)
JOINED = (
    "JOIN runs u ON u.run = v.run "
    "LEFT JOIN entities e ON e.entity = v.entity LEFT JOIN entities o ON o.entity = v.other "
    "LEFT JOIN records r ON r.record = v.record LEFT JOIN records p ON p.record = v.partner "
)
ORDER = " ORDER BY v.run, v.step, v.entity, v.record"
EVENTS = f"{SELECTED} FROM events v {JOINED}"
PAGE = f"{SELECTED} FROM (SELECT * FROM events WHERE run = ? LIMIT ? OFFSET ?) v {JOINED}"
"""A page of the events of a run, which are in the order of steps as the view lists them."""


def name_record(source: str | None, id: str | None) -> str | None:
    """The id of a record, with its source where it has one."""
    return f"{source}:{id}" if source and id is not None else id


def _event(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "run": row[0],
        "time": row[2],
        "event": row[3],
        "entity": row[4],
        "other_entity": row[5],
        "record": name_record(row[6], row[7]),
        "bits": row[8],
        "partner": name_record(row[9], row[10]),
        "reason": row[11],
    }


def list_runs(db: Database) -> list[dict[str, Any]]:
    """All runs, the first one first.

    A run of an earlier version does not hold the number of its changes, and they are counted.
    """
    sql = (
        "SELECT u.run, u.time, u.verb, u.reason, u.undone_by, "
        f"coalesce(json_extract(u.detail, '$.{CHANGED}'), "
        "(SELECT count(*) FROM record_changes c WHERE c.run = u.run)) FROM runs u ORDER BY u.run"
    )
    names = ("run", "time", "verb", "reason", "undone_by", CHANGED)
    return [dict(zip(names, row, strict=True)) for row in db.rows(sql)]


def check_run(db: Database, run: int) -> int:
    """Return the number of a run that exists, or raise an InputError."""
    last = int(db.value("SELECT max(run) FROM runs") or 0)
    if not 1 <= run <= last:
        raise InputError(f"there is no run {run}; give a number from 1 to {last}")
    return run


def list_events(
    db: Database, run: int, limit: int | None = None, offset: int = 0
) -> list[dict[str, Any]]:
    """The events of a run, or a page of them."""
    if limit is None and not offset:
        rows = db.rows(f"{EVENTS} WHERE v.run = ?{ORDER}", (run,))
    else:
        rows = db.rows(PAGE + ORDER, (run, -1 if limit is None else limit, offset))
    return [_event(row) for row in rows]


def read_history(db: Database, id: str) -> list[dict[str, Any]]:
    """The events of an entity or of a record, by its id."""
    entity = db.value("SELECT entity FROM entities WHERE id = ?", (id,))
    if entity is not None:
        # two queries, because SQLite uses no index for either of two conditions on a view
        own = db.rows(f"{EVENTS} WHERE v.entity = ?{ORDER}", (entity,))
        other = f"{EVENTS} WHERE v.other = ? AND v.record IS NULL AND v.entity <> v.other{ORDER}"
        rows = own + db.rows(other, (entity,))
    else:
        sql = f"{EVENTS} WHERE v.record = ?{ORDER}"
        rows = [row for version in find_versions(db, id) for row in db.rows(sql, (version,))]
    return [_event(row) for row in sorted(rows, key=lambda row: row[:2])]


def find_versions(db: Database, id: str) -> list[int]:
    """All versions of a record by its id, or "source:id"; an InputError if there is none."""
    source, _, own = id.rpartition(":")
    rows = db.rows("SELECT record, source FROM records WHERE id = ? ORDER BY record", (id,))
    if not rows and source:
        sql = "SELECT record, source FROM records WHERE id = ? AND source = ? ORDER BY record"
        rows = db.rows(sql, (own, source))
    if not rows:
        raise InputError(f"there is no entity and no record {id!r}; give an id of the store")
    sources = sorted({row[1] for row in rows})
    if len(sources) > 1:
        raise InputError(f"several sources have a record {id!r}; name one: '{sources[0]}:{id}'")
    return [row[0] for row in rows]


def compare_runs(db: Database, before: int, after: int) -> list[dict[str, Any]]:
    """The records whose entity differs between the states as of two runs."""
    low, high = sorted((check_run(db, before), check_run(db, after)))
    sql = (
        "WITH touched AS (SELECT DISTINCT record FROM record_changes WHERE run > ?1 AND run <= ?2) "
        "SELECT r.source, r.id, x.id, y.id FROM touched t JOIN records r USING (record) "
        "LEFT JOIN entities x ON x.entity = (SELECT entity_after FROM record_changes c "
        "WHERE c.record = t.record AND c.run <= ?1 ORDER BY c.run DESC LIMIT 1) "
        "LEFT JOIN entities y ON y.entity = (SELECT entity_after FROM record_changes c "
        "WHERE c.record = t.record AND c.run <= ?2 ORDER BY c.run DESC LIMIT 1) "
        "WHERE x.id IS NOT y.id ORDER BY r.source, r.id, t.record"
    )
    names = (
        ("entity_before", "entity_after") if before <= after else ("entity_after", "entity_before")
    )
    return [
        {"record": name_record(row[0], row[1]), names[0]: row[2], names[1]: row[3]}
        for row in db.rows(sql, (low, high))
    ]


def undo_run(db: Database, run: int) -> tuple[int, list[int], list[int]]:
    """Apply the changes of a run backwards; return the new run, and records to (un)index."""
    check_run(db, run)
    verb, undone = db.rows("SELECT verb, undone_by FROM runs WHERE run = ?", (run,))[0]
    if undone is not None:
        raise InputError(f"run {run} is undone by run {undone}; undo run {undone} to restore it")
    if run == 1 or verb in ("forget", "train"):
        raise InputError(f"run {run} ({verb}) cannot be undone; runs of add and correct can")
    _check_latest(db, run)
    changes = Changes()
    sql = "SELECT record, entity_before, p_before FROM record_changes WHERE run = ?"
    for record, entity, p in db.rows(sql, (run,)):
        forgotten = db.value("SELECT forgotten FROM records WHERE record = ?", (record,))
        if forgotten is None:
            changes.records[record] = Membership(entity, p)
    sql = "SELECT entity, p_before, merged_before FROM entity_changes WHERE run = ?"
    for entity, p, merged in db.rows(sql, (run,)):
        changes.p_cluster[entity] = p
        changes.merged_into[entity] = merged
    new = start_run(db, "undo", f"undo of run {run}", {"undone": run})
    db.execute("UPDATE runs SET undone_by = ? WHERE run = ?", (new, run))
    # undoing an undo restores the run before it
    db.execute("UPDATE runs SET undone_by = NULL WHERE undone_by = ? AND run <> ?", (run, run))
    _undo_corrections(db, run, new)
    appeared, vanished = commit_changes(db, new, changes)
    _check_restored(db, run, appeared)
    return new, appeared, vanished


def _check_restored(db: Database, run: int, appeared: list[int]) -> None:
    """Raise an InputError if the restored state breaks a correction or repeats an id."""
    sql = (
        "SELECT r.source, r.id FROM records r JOIN records o ON o.id = r.id AND "
        "o.source = r.source AND o.record <> r.record AND o.entity IS NOT NULL "
        "WHERE r.record IN :keys"
    )
    repeated = db.rows_in(sql, appeared)
    if repeated:
        name = name_record(*repeated[0])
        raise InputError(
            f"run {run} cannot be undone: a later run has added record {name} again; undo that "
            "run first"
        )
    broken = list_broken_corrections(db)
    if broken:
        raise InputError(f"run {run} cannot be undone: {broken[0]} then; remove it first")


def _check_latest(db: Database, run: int) -> None:
    """Raise an InputError if a later run has changed the same records or entities."""
    records = (
        "SELECT max(later.run) FROM record_changes own JOIN records r USING (record) "
        "JOIN record_changes later USING (record) WHERE own.run = ? AND later.run > own.run "
        "AND (r.entity IS NOT own.entity_after OR r.p_member IS NOT own.p_after)"
    )
    entities = (
        "SELECT max(later.run) FROM entity_changes own JOIN entities e USING (entity) "
        "JOIN entity_changes later USING (entity) WHERE own.run = ? AND later.run > own.run "
        "AND (e.merged_into IS NOT own.merged_after OR e.p_cluster IS NOT own.p_after)"
    )
    later = [db.value(text, (run,)) for text in (records, entities)]
    if any(later):
        last = max(filter(None, later))
        raise InputError(
            f"run {last} has changed entities of run {run} since; undo run {last} first"
        )


def _undo_corrections(db: Database, run: int, new: int) -> None:
    """Remove the corrections of a run, and restore those that it removed."""
    sql = "UPDATE corrections SET removed = ? WHERE run = ? AND removed IS NULL"
    db.execute(sql, (new, run))
    db.execute(
        "INSERT INTO corrections (run, kind, source_l, id_l, source_r, id_r, reason) "
        "SELECT ?, kind, source_l, id_l, source_r, id_r, reason FROM corrections "
        "WHERE removed = ?",
        (new, run),
    )
