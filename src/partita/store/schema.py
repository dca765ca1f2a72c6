"""Tables of a store. `docs/reference/store.md` describes them for users of plain SQL."""

from __future__ import annotations

__all__ = ["DRIFT", "EVENTS", "HISTORY", "INDEXES", "PAGING", "TABLES", "VERSION"]

VERSION = 5
"""Version of the schema; `migrations.py` brings older stores to it, and a newer one is refused."""

DRIFT = """
CREATE TABLE drift (
    run INTEGER NOT NULL REFERENCES runs,
    measure TEXT NOT NULL,
    field TEXT NOT NULL,
    observed REAL NOT NULL,
    squares REAL NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (run, measure, field)
) WITHOUT ROWID
"""
"""Measures of the records that a run learned from or added."""

EVENTS = """
CREATE VIEW events AS
SELECT run, 0 AS step, 'relearned' AS event, NULL AS entity, NULL AS other, NULL AS record,
       NULL AS bits, NULL AS partner
FROM models WHERE run > 1
UNION ALL
SELECT c.run, 0, 'corrected', l.entity, r.entity, l.record, NULL, r.record
FROM corrections c
LEFT JOIN records l ON l.id = c.id_l AND l.source = c.source_l AND l.entity IS NOT NULL
LEFT JOIN records r ON r.id = c.id_r AND r.source = c.source_r AND r.entity IS NOT NULL
UNION ALL
SELECT c.run, 1, CASE WHEN e.origin IS NULL THEN 'created' ELSE 'split' END,
       c.entity, e.origin, NULL, NULL, NULL
FROM entity_changes c JOIN entities e USING (entity) WHERE c.is_new
UNION ALL
SELECT run, 2, 'left', entity_before, entity_after, record, NULL, NULL
FROM record_changes WHERE entity_before IS NOT NULL AND entity_before IS NOT entity_after
UNION ALL
SELECT run, 3, 'joined', entity_after, entity_before, record, bits, partner
FROM record_changes WHERE entity_after IS NOT NULL AND entity_before IS NOT entity_after
UNION ALL
SELECT run, 4, 'merged', entity, merged_after, NULL, NULL, NULL
FROM entity_changes WHERE merged_after IS NOT NULL AND merged_after IS NOT merged_before
UNION ALL
SELECT run, 4, 'restored', entity, merged_before, NULL, NULL, NULL
FROM entity_changes WHERE merged_after IS NULL AND merged_before IS NOT NULL
"""
"""What happened to records and entities; each part can be searched by an index."""

TABLES = f"""
{DRIFT};
{EVENTS};
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    verb TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    undone_by INTEGER REFERENCES runs
);
CREATE TABLE models (run INTEGER PRIMARY KEY REFERENCES runs, content TEXT NOT NULL);
CREATE TABLE columns (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    field TEXT NOT NULL,
    type TEXT NOT NULL
);
CREATE TABLE records (
    record INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    entity INTEGER REFERENCES entities,
    p_member REAL,
    is_indexed INTEGER NOT NULL,
    swaps INTEGER NOT NULL,
    digest INTEGER,
    forgotten INTEGER REFERENCES runs
);
CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    size INTEGER NOT NULL,
    p_cluster REAL,
    merged_into INTEGER REFERENCES entities,
    created INTEGER NOT NULL REFERENCES runs,
    origin INTEGER REFERENCES entities
);
CREATE TABLE sizes (size INTEGER PRIMARY KEY, entities INTEGER NOT NULL);
CREATE TABLE pairs (
    record INTEGER NOT NULL,
    other INTEGER NOT NULL,
    match_weight REAL NOT NULL,
    PRIMARY KEY (record, other)
) WITHOUT ROWID;
CREATE TABLE features (key INTEGER PRIMARY KEY, records INTEGER NOT NULL);
CREATE TABLE postings (
    key INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    records BLOB NOT NULL,
    PRIMARY KEY (key, chunk)
) WITHOUT ROWID;
CREATE TABLE vectors (
    search INTEGER NOT NULL,
    block INTEGER NOT NULL,
    scales BLOB NOT NULL,
    PRIMARY KEY (search, block)
);
CREATE TABLE corrections (
    correction INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    kind TEXT NOT NULL,
    source_l TEXT NOT NULL,
    id_l TEXT NOT NULL,
    source_r TEXT NOT NULL,
    id_r TEXT NOT NULL,
    reason TEXT NOT NULL,
    removed INTEGER REFERENCES runs
);
CREATE TABLE record_changes (
    run INTEGER NOT NULL REFERENCES runs,
    record INTEGER NOT NULL REFERENCES records,
    entity_before INTEGER,
    entity_after INTEGER,
    p_before REAL,
    p_after REAL,
    bits REAL,
    partner INTEGER,
    PRIMARY KEY (run, record)
) WITHOUT ROWID;
CREATE TABLE entity_changes (
    run INTEGER NOT NULL REFERENCES runs,
    entity INTEGER NOT NULL REFERENCES entities,
    p_before REAL,
    p_after REAL,
    merged_before INTEGER,
    merged_after INTEGER,
    is_new INTEGER NOT NULL,
    PRIMARY KEY (run, entity)
) WITHOUT ROWID;
"""

PAGING = (
    "CREATE INDEX entities_by_p_cluster ON entities (p_cluster, entity)",
    "CREATE INDEX entities_by_size ON entities (size, entity)",
)
"""Indexes that list entities by probability and by size, page by page."""

HISTORY = (
    "CREATE INDEX record_changes_by_entity ON record_changes (entity_after)",
    "CREATE INDEX record_changes_by_left ON record_changes (entity_before) "
    "WHERE entity_before IS NOT NULL",
    "CREATE INDEX entity_changes_by_merged ON entity_changes (merged_after) "
    "WHERE merged_after IS NOT NULL",
    "CREATE INDEX entity_changes_by_restored ON entity_changes (merged_before) "
    "WHERE merged_before IS NOT NULL",
    "CREATE INDEX entities_by_origin ON entities (origin) WHERE origin IS NOT NULL",
)
"""Indexes that list the events of an entity."""

INDEXES = f"""
CREATE INDEX records_by_id ON records (id, source);
CREATE INDEX records_by_entity ON records (entity);
CREATE INDEX records_by_digest ON records (digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX entities_by_id ON entities (id);
CREATE INDEX record_changes_by_record ON record_changes (record);
CREATE INDEX entity_changes_by_entity ON entity_changes (entity);
{";".join((*PAGING, *HISTORY))};
"""
"""Indexes, which are created after the first records are written."""
