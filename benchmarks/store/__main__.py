"""Figures of the store.

    python -m benchmarks.store batches [--sets NAME ...] [--batches 10] [--orders 1 2] [--json]
    python -m benchmarks.store model [--sets NAME ...] [--json]
    python -m benchmarks.store drift [--sets NAME ...] [--json]
    python -m benchmarks.store postgres [--records 100000] [--json]
    python -m benchmarks.store replay [--changes 100] [--seeds 5 6 7] [--json]
    python -m benchmarks.store cost [--sizes 10000 100000] [--added 1000] [--folder STORES] [--json]
    python -m benchmarks.store kill [--kills 100] [--json]
    python -m benchmarks.store readers [--seconds 20] [--json]

Sets whose data is absent are skipped with a message.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peers.sets import PEOPLE, SETS
from benchmarks.store.batches import DEFAULT_SETS, measure_batches
from benchmarks.store.changes import measure_kills, measure_readers, measure_replay
from benchmarks.store.cost import measure_cost
from benchmarks.store.model_life import measure_drift, measure_model
from benchmarks.store.postgres import measure_postgres

__all__ = ["main"]

BY_SET: dict[str, Callable[..., dict[str, Any]]] = {
    "batches": measure_batches,
    "model": measure_model,
    "drift": measure_drift,
}
"""Benchmarks that run on each set."""


def main() -> None:
    """Print the figures of one benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.store",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [*BY_SET, "replay", "cost", "kill", "readers", "postgres"]
    parser.add_argument("name", choices=names)
    parser.add_argument("--sets", nargs="+", default=list(DEFAULT_SETS))
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--orders", type=int, nargs="+", default=[1], help="seeds of the order")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[5, 6, 7])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--added", type=int, default=1_000)
    parser.add_argument("--folder", type=Path, help="a folder that keeps the stores of cost")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    chosen = parser.parse_args()
    rows = _measure(chosen)
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if chosen.json:
        print(json.dumps({"benchmark": chosen.name, "rows": rows}))


def _measure(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    if chosen.name in BY_SET:
        measure = BY_SET[chosen.name]
        options: list[dict[str, Any]] = [{}]
        if chosen.name == "batches":
            options = [{"batches": chosen.batches, "order_seed": seed} for seed in chosen.orders]
        rows = []
        for name in chosen.sets:
            if name != PEOPLE and not SETS[name].path.exists():
                print(f"{name}: skipped, there is no data", file=sys.stderr)
                continue
            rows += [measure(name, **option) for option in options]
        return rows
    if chosen.name == "postgres":
        return measure_postgres(chosen.records)
    if chosen.name == "replay":
        return [measure_replay(chosen.changes, seed) for seed in chosen.seeds]
    if chosen.name == "kill":
        return [measure_kills(chosen.kills)]
    if chosen.name == "readers":
        return [measure_readers(chosen.seconds)]
    return measure_cost(chosen.sizes, chosen.added, chosen.folder)


if __name__ == "__main__":
    main()
