"""`check`: every invariant of a store, each as a query that must find no row."""

from __future__ import annotations

from partita.store.corrections import TOGETHER, list_corrections
from partita.store.database import Database
from partita.store.delivery import find_present

__all__ = ["check_store", "list_broken_corrections"]

RULES = {
    "a record is in an entity that does not exist or redirects": (
        "SELECT r.record FROM records r LEFT JOIN entities e USING (entity) "
        "WHERE r.entity IS NOT NULL AND (e.entity IS NULL OR e.merged_into IS NOT NULL)"
    ),
    "a record has no probability": (
        "SELECT record FROM records WHERE (entity IS NULL) <> (p_member IS NULL)"
    ),
    "two present records have one source and id": (
        "SELECT min(record) FROM records WHERE entity IS NOT NULL "
        "GROUP BY source, id HAVING count(*) > 1"
    ),
    "the size of an entity is wrong": (
        "SELECT e.entity FROM entities e LEFT JOIN (SELECT entity, count(*) AS n FROM records "
        "WHERE entity IS NOT NULL GROUP BY entity) c USING (entity) "
        "WHERE e.size <> coalesce(c.n, 0)"
    ),
    "the table of sizes is wrong": (
        "SELECT size FROM (SELECT size, count(*) AS n FROM entities WHERE size > 0 GROUP BY size) "
        "LEFT JOIN sizes s USING (size) WHERE n IS NOT s.entities"
    ),
    "an entity redirects to none": (
        "SELECT e.entity FROM entities e LEFT JOIN entities i ON i.entity = e.merged_into "
        "WHERE e.merged_into IS NOT NULL AND i.entity IS NULL"
    ),
    "redirections form a cycle": (
        # every cycle has an entity that redirects to a newer one
        "WITH RECURSIVE walk (start, at) AS (SELECT entity, merged_into FROM entities "
        "WHERE merged_into >= entity UNION SELECT w.start, e.merged_into FROM walk w "
        "JOIN entities e ON e.entity = w.at WHERE e.merged_into IS NOT NULL) "
        "SELECT start FROM walk WHERE start = at"
    ),
    "an entity that redirects has records": (
        "SELECT entity FROM entities WHERE merged_into IS NOT NULL AND size > 0"
    ),
    "the log of a record has a gap": (
        "SELECT record FROM (SELECT record, entity_before, p_before, "
        "lag(entity_after) OVER w AS entity, lag(p_after) OVER w AS p FROM record_changes "
        "WINDOW w AS (PARTITION BY record ORDER BY run)) "
        "WHERE entity_before IS NOT entity OR p_before IS NOT p"
    ),
    "the log does not replay to the state of a record": (
        "SELECT r.record FROM records r LEFT JOIN (SELECT record, entity_after, p_after, max(run) "
        "FROM record_changes GROUP BY record) c USING (record) "
        "WHERE r.entity IS NOT c.entity_after OR r.p_member IS NOT c.p_after"
    ),
    "the log of an entity has a gap": (
        "SELECT entity FROM (SELECT entity, p_before, merged_before, lag(p_after) OVER w AS p, "
        "lag(merged_after) OVER w AS merged FROM entity_changes "
        "WINDOW w AS (PARTITION BY entity ORDER BY run)) "
        "WHERE p_before IS NOT p OR merged_before IS NOT merged"
    ),
    "the log does not replay to the state of an entity": (
        "SELECT e.entity FROM entities e LEFT JOIN (SELECT entity, p_after, merged_after, max(run) "
        "FROM entity_changes GROUP BY entity) c USING (entity) "
        "WHERE e.p_cluster IS NOT c.p_after OR e.merged_into IS NOT c.merged_after"
    ),
    "a present record has no values": (
        "SELECT r.record FROM records r LEFT JOIN inputs i ON i.record = r.record "
        "WHERE r.entity IS NOT NULL AND i.record IS NULL"
    ),
    "an absent record is in the index": (
        "SELECT record FROM records WHERE is_indexed AND entity IS NULL"
    ),
    "a present record and all its copies are missing in the index": (
        "SELECT r.record FROM records r WHERE r.entity IS NOT NULL AND NOT r.is_indexed AND NOT "
        "EXISTS (SELECT 1 FROM records o WHERE o.digest = r.digest AND o.is_indexed)"
    ),
    "the number of indexed records is wrong": (
        "SELECT 1 FROM meta WHERE key = 'distinct' AND "
        "CAST(value AS INTEGER) <> (SELECT count(*) FROM records WHERE is_indexed)"
    ),
    "a posting list has another length than its count": (
        "SELECT p.key FROM (SELECT key, sum(length(records)) / 8 AS n FROM postings GROUP BY key) "
        "p LEFT JOIN features f USING (key) WHERE f.records IS NOT p.n"
    ),
}
"""A sentence for each invariant, and the query for rows that break it."""


def check_store(db: Database) -> list[str]:
    """The invariants that a store breaks, one sentence each; empty where it is sound."""
    damage = [row[0] for row in db.rows("PRAGMA quick_check") if row[0] != "ok"]
    if damage:
        return [f"the file is damaged: {damage[0]}"]
    broken = []
    for sentence, sql in RULES.items():
        rows = db.rows(sql)
        if rows:
            broken.append(f"{sentence}: {len(rows)} cases, the first is {rows[0][0]}")
    return broken + list_broken_corrections(db)


def list_broken_corrections(db: Database) -> list[str]:
    """Corrections that the present state breaks."""
    corrections = list_corrections(db)
    present = find_present(
        db, [key for correction in corrections for key in (correction.left, correction.right)]
    )
    broken = []
    for correction in corrections:
        if correction.left not in present or correction.right not in present:
            continue
        entities = [
            db.value("SELECT entity FROM records WHERE record = ?", (present[key],))
            for key in (correction.left, correction.right)
        ]
        if (entities[0] == entities[1]) != (correction.kind == TOGETHER):
            broken.append(f"correction {correction.number} ({correction.kind}) does not hold")
    return broken
