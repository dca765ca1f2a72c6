"""The cost of adding records to stores of several sizes, of one look-up, and of paging queries.

Each store is built and measured by a process of its own, so that the memory of an add is not that
of the first run. With a folder, a store is built once and grows a little with each measurement.
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa

import partita
from partita.synthetic import people

__all__ = ["measure_cost"]

SEED = 2
"""The seed of generated people."""
SPARE = 20_000
"""Generated people that are not in the first run, for the adds of all measurements."""
LOOKUPS = 20
"""Look-ups and queries, of which the median counts."""
PAGE = 50
"""Rows of a page of a query."""

QUERIES = {
    "page_entities_ms": "SELECT id, size, p_cluster FROM entities WHERE entity > :place "
    "AND merged_into IS NULL ORDER BY entity LIMIT :page",
    "page_uncertain_ms": "SELECT id, size, p_cluster FROM entities WHERE p_cluster < 1 "
    "AND size > 1 ORDER BY p_cluster, entity LIMIT :page",
    "page_largest_ms": "SELECT id, size, p_cluster FROM entities ORDER BY size DESC LIMIT :page",
    "members_ms": "SELECT i.* FROM records r JOIN inputs i USING (record) WHERE r.entity = :place",
    "record_by_id_ms": "SELECT entity FROM records WHERE id = :id",
}
"""Queries of a user interface, beside the methods of the store."""


def measure_cost(sizes: list[int], added: int, folder: Path | None) -> list[dict[str, Any]]:
    """CPU seconds and memory of an add, and times of look-ups, by the size of the store."""
    with tempfile.TemporaryDirectory() as temporary:
        kept = folder or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        return [
            {"records": size, **_run(_build, kept, size), **_run(_measure, kept, size, added)}
            for size in sizes
        ]


def _run(task: Callable[..., dict[str, Any]], *values: Any) -> dict[str, Any]:
    """Run a task in a new process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(task, *values).result()


def _generate(size: int) -> pa.Table:
    warnings.simplefilter("ignore")
    return people(size + SPARE, SEED, truth=None).table()


def _locate(folder: Path, size: int) -> Path:
    return folder / f"people_{size}.partita"


def _build(folder: Path, size: int) -> dict[str, Any]:
    """Create a store of generated people, unless the folder holds it."""
    path = _locate(folder, size)
    if path.exists():
        return {}
    table, began = _generate(size).slice(0, size), time.process_time()
    first = partita.resolve(table, seed=SEED)
    resolved = time.process_time()
    partita.Store.create(first, path).close()
    return {
        "resolve_cpu_s": round(resolved - began, 1),
        "create_cpu_s": round(time.process_time() - resolved, 1),
        "build_peak_mb": _measure_peak(),
    }


def _measure(folder: Path, size: int, added: int) -> dict[str, Any]:
    """Add records twice, of which the second add counts, then look records up."""
    path, table = _locate(folder, size), _generate(size)
    with partita.Store(path) as store:
        present = store._db.value("SELECT count(*) FROM records")
        # the first add loads machine code
        store.add(table.slice(present, added))
        began, ticked = time.process_time(), time.perf_counter()
        report = store.add(table.slice(present + added, added))
        spent, waited = time.process_time() - began, time.perf_counter() - ticked
        peak = _measure_peak()
        rows = table.slice(0, LOOKUPS).drop_columns(["unique_id"]).to_pylist()
        finding = _time([lambda row=row: store.find(row) for row in rows])
    values = {name: value for name, value in rows[0].items() if value is not None}
    return {
        "added": added,
        "add_cpu_s": round(spent, 2),
        "add_wall_s": round(waited, 2),
        "joined": report["joined"],
        "add_peak_mb": peak,
        "find_ms": finding["wall"],
        "find_cpu_ms": finding["cpu"],
        **_time_command(path, values),
        **_time_queries(path, table.slice(present).column("unique_id")[0].as_py()),
        "file_mb": round(path.stat().st_size / 1e6, 1),
    }


def _measure_peak() -> int:
    """The largest memory of this process so far, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _time(calls: list[Callable[[], Any]]) -> dict[str, float]:
    """The median milliseconds of calls, by the wall clock and by the CPU."""
    wall, cpu = [], []
    for call in calls:
        began, ticked = time.process_time(), time.perf_counter()
        call()
        wall.append(1000 * (time.perf_counter() - ticked))
        cpu.append(1000 * (time.process_time() - began))
    return {"wall": round(statistics.median(wall), 1), "cpu": round(statistics.median(cpu), 1)}


def _time_command(path: Path, values: dict[str, Any]) -> dict[str, float]:
    """The CPU milliseconds of `partita find` as a whole, start of the process included."""
    words = [f"{name}={value}" for name, value in values.items()]
    command = [sys.executable, "-m", "partita", "find", str(path), *words]
    spent = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"find_command_cpu_ms": round(1000 * min(spent))}


def _time_queries(path: Path, id: Any) -> dict[str, float]:
    """The median CPU milliseconds of the queries of a user interface."""
    with partita.Store(path) as store:
        last = int(store._db.value("SELECT max(entity) FROM entities"))
        known = {"page": PAGE, "id": str(id)}
        times = {}
        for name, sql in QUERIES.items():
            values = [known | {"place": last * k // LOOKUPS} for k in range(LOOKUPS)]
            calls = [lambda sql=sql, value=value: store._db.rows(sql, value) for value in values]
            times[name] = _time(calls)["cpu"]
        sql = "SELECT id FROM entities WHERE entity = ?"
        entity = store._db.value(sql, (last // 2,))
        methods: dict[str, Callable[[], Any]] = {
            "runs_ms": store.runs,
            "page_events_ms": lambda: store.events(1, limit=PAGE, offset=PAGE),
            "history_of_entity_ms": lambda: store.history(entity),
            "history_of_record_ms": lambda: store.history(id),
        }
        return times | {name: _time([call] * LOOKUPS)["cpu"] for name, call in methods.items()}
