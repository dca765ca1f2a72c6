"""Export: the records with their entities and probabilities, now or as of a run."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partita.data.arrow import from_strings
from partita.kernel import Ints
from partita.linkage.result import RESULTS
from partita.store.database import Database
from partita.store.history import check_run
from partita.store.records import Layout, read_rows

__all__ = ["export_table", "read_state"]

AS_OF = (
    "SELECT record, entity_after, p_after FROM (SELECT record, entity_after, p_after, max(run) "
    "FROM record_changes WHERE run <= ? GROUP BY record) WHERE entity_after IS NOT NULL "
    "ORDER BY record"
)
ENTITIES_AS_OF = (
    "SELECT c.entity, e.id, c.p_after FROM (SELECT entity, p_after, max(run) FROM entity_changes "
    "WHERE run <= ? GROUP BY entity) c JOIN entities e ON e.entity = c.entity"
)


def read_state(db: Database, run: int | None = None) -> tuple[Ints, pa.Table]:
    """Record numbers, and cluster_id, p_member and p_cluster of each, now or as of a run."""
    if run is None:
        rows = db.rows(
            "SELECT record, entity, p_member FROM records WHERE entity IS NOT NULL ORDER BY record"
        )
        named = db.rows("SELECT entity, id, p_cluster FROM entities")
    else:
        check_run(db, run)
        forgotten = {row[0] for row in db.rows("SELECT record FROM records WHERE forgotten > 0")}
        rows = [row for row in db.rows(AS_OF, (run,)) if row[0] not in forgotten]
        named = db.rows(ENTITIES_AS_OF, (run,))
    ids = {entity: (id, p) for entity, id, p in named}
    numbers = np.array([row[0] for row in rows], np.int64)
    columns = [
        from_strings([ids[row[1]][0] for row in rows]),
        pa.array([row[2] for row in rows], pa.float64()),
        pa.array([ids[row[1]][1] for row in rows], pa.float64()),
    ]
    return numbers, pa.table(columns, names=list(RESULTS))


def export_table(db: Database, layout: Layout, run: int | None = None) -> pa.Table:
    """The input of all present records with their entities, in the order of arrival."""
    numbers, state = read_state(db, run)
    _, table = read_rows(db, layout, numbers)
    for name in RESULTS:
        table = table.append_column(name, state.column(name))
    return table
