"""Ours in a process of its own: clusters, near pairs with p_same, and the report of the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.peers.links import Found

__all__ = ["NEAR", "load", "resolve_request", "run", "write_near_pairs"]

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
    result = resolve_request(request)
    ids = write_near_pairs(result, request["pairs"])
    return Found(pa.array(ids), result.labels, {"summary": result.summary()})


def resolve_request(request: dict[str, Any]) -> Any:
    """The resolution of the files of a request; `settings` are further settings of `resolve`."""
    import partita

    paths = request["paths"]
    return partita.resolve(
        paths if len(paths) > 1 else paths[0],
        id="id",
        prior=request.get("prior"),
        threads=request["threads"],
        progress=False,
        **{"seed": request["seed"], **request.get("settings", {})},
    )


def write_near_pairs(result: Any, path: str) -> NDArray[np.int64]:
    """Write near pairs of a resolution with their p_same; return the ids of all records."""
    ids = np.asarray(result.records.ids.to_pylist(), dtype=np.int64)
    pairs = result.record_pairs
    near = pairs.p_same >= NEAR
    columns = {"left": ids[pairs.left[near]], "right": ids[pairs.right[near]]}
    pq.write_table(pa.table(columns | {"p_same": pairs.p_same[near]}), path)
    return ids
