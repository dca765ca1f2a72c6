"""Ours in a process of its own: clusters, near pairs with p_same, and the report of the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.links import Found

__all__ = ["NEAR", "load", "run"]

NEAR = 0.01
"""Least p_same of a near pair; the definition of `partita evaluate`."""


def load() -> str:
    """Import the library and its readers; returns the version."""
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401

    import partita

    return partita.__version__


def run(request: dict[str, Any]) -> Found:
    """Clusters of all records; near pairs go to the file that the request names."""
    import partita

    paths = request["paths"]
    result = partita.resolve(
        paths if len(paths) > 1 else paths[0],
        id="id",
        seed=request["seed"],
        prior=request.get("prior"),
        threads=request["threads"],
        progress=False,
    )
    ids = np.asarray(result.records.ids.to_pylist(), dtype=np.int64)
    pairs = result.record_pairs
    near = pairs.p_same >= NEAR
    columns = {"left": ids[pairs.left[near]], "right": ids[pairs.right[near]]}
    pq.write_table(pa.table(columns | {"p_same": pairs.p_same[near]}), request["pairs"])
    return Found(pa.array(ids), result.labels, {"summary": result.summary()})
