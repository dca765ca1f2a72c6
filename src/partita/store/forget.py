"""`forget`: the values and the id of a record are erased everywhere; a tombstone stays."""

from __future__ import annotations

from partita.store.database import Database
from partita.store.history import find_versions
from partita.store.indexing import index_changes
from partita.store.journal import Changes, Membership
from partita.store.model import StoreModel
from partita.store.records import KEY, Layout

__all__ = ["erase_record"]


def erase_record(db: Database, layout: Layout, model: StoreModel, run: int, id: str) -> Changes:
    """Erase all versions of a record; return the changes."""
    versions = find_versions(db, id)
    sql = "SELECT record FROM records WHERE record IN :keys AND entity IS NOT NULL"
    present = [row[0] for row in db.rows_in(sql, versions)]
    index_changes(db, layout, model, [], present)
    db.execute_many(f"DELETE FROM inputs WHERE {KEY} = ?", [(record,) for record in versions])
    for record in versions:
        others = db.rows("SELECT other, record FROM pairs WHERE record = ?", (record,))
        db.execute_many("DELETE FROM pairs WHERE record = ? AND other = ?", others)
        db.execute("DELETE FROM pairs WHERE record = ?", (record,))
        db.execute("UPDATE record_changes SET partner = NULL WHERE partner = ?", (record,))
        # the id can identify a person as well as the values do
        source, own = db.rows("SELECT source, id FROM records WHERE record = ?", (record,))[0]
        db.execute(
            "UPDATE corrections SET removed = coalesce(removed, ?1), id_l = "
            "CASE WHEN id_l = ?2 AND source_l = ?3 THEN '' ELSE id_l END, id_r = "
            "CASE WHEN id_r = ?2 AND source_r = ?3 THEN '' ELSE id_r END "
            "WHERE (id_l = ?2 AND source_l = ?3) OR (id_r = ?2 AND source_r = ?3)",
            (run, own, source),
        )
    db.execute_many(
        "UPDATE records SET id = 'forgotten-' || record, digest = NULL, forgotten = ? "
        "WHERE record = ?",
        [(run, record) for record in versions],
    )
    return Changes(records={record: Membership(None, None) for record in present})
