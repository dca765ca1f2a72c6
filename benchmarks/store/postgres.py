"""Records from PostgreSQL into a store and back: rows, types and NULLs."""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa

import partita
from benchmarks.store.server import explain_absence, start_server
from partita.data.postgres import read_postgres, write_postgres
from partita.synthetic import people

__all__ = ["measure_postgres"]

SEED = 1
STORED = 2_000
"""Records that enter the store; the others are written and read alone."""


def measure_postgres(records: int) -> list[dict[str, Any]]:
    """Write generated people with columns of all types, read them, and export a store of some."""
    reason = explain_absence()
    if reason is not None:
        return [{"skipped": reason}]
    warnings.simplefilter("ignore")
    table = _add_types(people(records, seed=SEED, truth=None).table())
    with tempfile.TemporaryDirectory() as folder, start_server() as server:
        began = time.process_time()
        write_postgres(f"{server}::people", {"people": table})
        back = read_postgres(f"{server}::people")
        seconds = time.process_time() - began
        some = back.slice(0, STORED)
        result = partita.resolve(some, seed=SEED, ignore=table.column_names[-5:])
        with partita.Store.create(result, Path(folder) / "s.partita") as store:
            store.frames = "arrow"
            names = store.write_database(f"{server}::entities")
            exported = store.export()
            stored = read_postgres(f"{server}::entities")
    return [
        {"table": "people", **_compare(table, back), "cpu_seconds": round(seconds, 2)},
        {"table": "+".join(names), **_compare(exported, stored)},
    ]


def _add_types(table: pa.Table) -> pa.Table:
    """The table with further columns of other types, every third value of which is missing."""
    rows = range(table.num_rows)
    numbers = pa.array([None if k % 3 == 0 else k for k in rows], pa.int64())
    added = {
        "whole": numbers.cast(pa.int32()),
        "share": numbers.cast(pa.float64()),
        "price": numbers.cast(pa.decimal128(21, 2)).cast(pa.decimal128(12, 2)),
        "seen": numbers.cast(pa.timestamp("us", "UTC")),
        "tags": pa.array([None if k % 3 == 0 else ["a", str(k)] for k in rows]),
    }
    for name, column in added.items():
        table = table.append_column(name, column)
    return table


def _compare(first: pa.Table, second: pa.Table) -> dict[str, Any]:
    return {
        "rows": first.num_rows,
        "columns": first.num_columns,
        "nulls": sum(column.null_count for column in first.columns),
        "rows_equal": first.to_pylist() == second.to_pylist(),
        "types_equal": first.schema.remove_metadata() == second.schema.remove_metadata(),
        "nulls_equal": [c.null_count for c in first.columns]
        == [c.null_count for c in second.columns],
    }
