"""Guard on cost: generated records cost no more than benchmarks/guard/record.json says.

    python -m benchmarks.guard [--record] [--json]

50,000 people and 10,000 products are resolved. The run fails if a count of work or the peak memory
exceeds the record by more than 10 %, or if the best of three ratios of CPU seconds to those of a
reference kernel exceeds 1.5 times the recorded ratio. `--record` rewrites the record by the present
costs; the commit that raises a number gives the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from partita.synthetic import people, products

__all__ = ["RATIO", "RECORD", "SETS", "exceeding", "main", "measure_set"]

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).parent / "record.json"
RATIO = "CPU ratio"
SLACK, RATIO_SLACK = 1.10, 1.5
"""Factors of the record above which the guard fails. A limit of work and CPU seconds."""
ATTEMPTS = 3
"""Runs of a set at most; the first within its limits is the last."""
SMALL = 600
"""Records of the run that compiles the kernels, so that the measured runs load them."""

Measures = dict[str, float]
SETS: Mapping[str, Callable[[Path, int], Sequence[Path]]] = {
    "people": lambda folder, n: people(n, seed=1, truth=None).write(folder / "people.csv"),
    "products": lambda folder, n: products(n, seed=1, sources=2, truth=None).write(
        folder / "products.csv"
    ),
}
"""Generators of the sets, which write n records."""
SIZES = {"people": 50_000, "products": 10_000}


def run_child(paths: Sequence[Path]) -> Measures:
    """Resolve files in a process of its own, with the machine code of the tests."""
    cache = os.environ.get("PARTITA_CACHE_DIR", str(ROOT / ".pytest_cache" / "kernels"))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.guard.child", *map(str, paths)],
        cwd=ROOT,
        env={**os.environ, "PARTITA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"the guarded run failed:\n{done.stderr}")
    measures: Measures = json.loads(done.stdout.splitlines()[-1])
    return measures


def exceeding(measures: Mapping[str, float], record: Mapping[str, float]) -> dict[str, float]:
    """Return the measures above their limits, as factors of the record."""
    if set(measures) != set(record):
        unknown = ", ".join(sorted(set(measures) ^ set(record)))
        raise SystemExit(f"{RECORD} and the measures differ in: {unknown}; run `make record`")
    return {
        name: now / max(record[name], 1)
        for name, now in measures.items()
        if now > record[name] * (RATIO_SLACK if name == RATIO else SLACK)
    }


def measure_set(name: str, folder: Path, record: Mapping[str, float] | None) -> Measures:
    """Measure a set until it is within the record, at most three times; keep the least of each.

    Counts do not vary between runs. CPU seconds and memory of a busy machine do. Without a record
    all three runs are made.
    """
    place = folder / name
    for part, size in (("small", SMALL), ("all", SIZES[name])):
        (place / part).mkdir(parents=True)
        files = SETS[name](place / part, size)
        if part == "small":
            run_child(files)
    best: Measures = {}
    for _ in range(ATTEMPTS):
        now = run_child(files)
        best = {key: min(value, best.get(key, value)) for key, value in now.items()}
        if record is not None and not exceeding(best, record):
            break
    return best


def show(measured: Mapping[str, Measures], record: Mapping[str, Any], console: Console) -> None:
    """Print the measures beside the record."""
    table = Table("set", "measure", "record", "now", title="Cost of resolving generated records")
    for name, measures in measured.items():
        for key, value in measures.items():
            then = record.get(name, {}).get(key)
            table.add_row(name, key, "" if then is None else f"{then:,}", f"{value:,}")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all sets; compare them with the record, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="rewrite the record")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        measured = {
            name: measure_set(name, Path(folder), None if options.record else record.get(name, {}))
            for name in SETS
        }
    show(measured, record, Console(width=100))
    if options.record:
        RECORD.write_text(json.dumps(measured, indent=2) + "\n", "utf-8")
        return 0
    above = {
        f"{name}: {key}": round(factor, 2)
        for name, measures in measured.items()
        for key, factor in exceeding(measures, record.get(name, {})).items()
    }
    if options.json:
        print(json.dumps({"measured": measured, "above": above}))
    for name, factor in above.items():
        print(f"{name} is {factor:.2f} times the record; lower it, or run `make record`")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
