"""The cost of adding records to stores of several sizes, and of one look-up."""

from __future__ import annotations

import resource
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import partita
from partita.synthetic import people

__all__ = ["measure_cost"]

SEED = 2
"""The seed of generated people."""
LOOKUPS = 20
"""Look-ups, of which the median counts."""


def measure_cost(sizes: list[int], added: int) -> list[dict[str, Any]]:
    """CPU seconds and memory of an add, by the size of the store."""
    warnings.simplefilter("ignore")
    return [_measure(size, added) for size in sizes]


def _measure(size: int, added: int) -> dict[str, Any]:
    table = people(size + 2 * added, SEED, truth=None).table()
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        first = partita.resolve(table.slice(0, size), seed=SEED)
        resolved = time.process_time() - began
        store = partita.Store.create(first, Path(folder) / "store.partita")
        created = time.process_time() - began - resolved
        del first
        # the first add loads machine code
        store.add(table.slice(size, added))
        began = time.process_time()
        report = store.add(table.slice(size + added))
        spent = time.process_time() - began
        rows = table.slice(0, LOOKUPS).drop_columns(["unique_id"]).to_pylist()
        times = []
        for row in rows:
            began = time.perf_counter()
            store.find(row)
            times.append(time.perf_counter() - began)
        store.close()
        megabytes = (Path(folder) / "store.partita").stat().st_size / 1e6
    return {
        "records": size,
        "added": added,
        "resolve_cpu_s": round(resolved, 1),
        "create_cpu_s": round(created, 1),
        "add_cpu_s": round(spent, 2),
        "joined": report["joined"],
        "find_ms": round(1000 * sorted(times)[len(times) // 2], 1),
        "file_mb": round(megabytes, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
