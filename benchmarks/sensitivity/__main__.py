"""Sensitivity: change of F1 and calibration at -30 % and +30 % of every tuned number.

    python -m benchmarks.sensitivity [--sets a,b] [--constants PATTERNS] [--budget SECONDS] [--json]

Tuned numbers are the module-level constants of data, blocking, comparison and linkage with an
`Origin:` mark. Each variant resolves subsamples of the panel's sets (whole entities) and generated
records with one seed, in a process that imports a copy of the package with the one number changed.
A set that executes no function that reads a number keeps its result, and its CPU seconds do not
count. Integers are rounded and
change by at least 1. A fraction above one half moves by 30 % of its distance from 1. The row of
another seed shows the changes that chance alone causes.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from benchmarks.panel.sets import PANEL, Task
from benchmarks.peers.running import Limits
from benchmarks.peers.sets import DATA
from benchmarks.sensitivity.constants import (
    PACKAGE,
    Constant,
    copy_package,
    find_constants,
    reason_excluded,
)
from benchmarks.sensitivity.reach import find_readers
from benchmarks.sensitivity.running import (
    FIGURES,
    GENERATED,
    compare,
    measure_constant,
    measure_variant,
    prepare,
)

__all__ = ["main"]

SEED = 0
"""Seed of all variants; the row of another seed uses the next one."""
TABLE_WIDTH = 260
"""Characters of a line of the table, so that names of constants are not cut."""
UNREACHED = "no set executes a function that reads it"
"""The reason for a number that no variant measures."""
MAX_TEXT = 24
"""Characters of a value that the table shows."""


class Study:
    """Baseline, another seed, executed functions, and the effect of each constant."""

    def __init__(
        self, source: Path, tasks: Sequence[Task], limits: Limits, deadline: float
    ) -> None:
        self.source, self.tasks, self.limits, self.deadline = source, tasks, limits, deadline
        self.baseline = measure_variant(source, tasks, SEED, limits)
        other = measure_variant(source, tasks, SEED + 1, limits)
        self.seeds = compare(self.baseline, {"another seed": other})
        traced = measure_variant(source, tasks, SEED, limits, is_traced=True)
        self.functions = {name: set(names) for name, names in traced.get("functions", {}).items()}

    def reach(self, readers: set[str] | None) -> list[Task]:
        """Sets that execute one of the functions that read a number; all sets for None."""
        return [
            task
            for task in self.tasks
            if readers is None or readers & self.functions.get(task.name, readers)
        ]

    def measure(self, constant: Constant, tasks: Sequence[Task]) -> dict[str, Any] | None:
        """Effect of a constant on some sets, or None after the deadline."""
        if time.monotonic() > self.deadline:
            return None
        variants = measure_constant(constant, self.source, tasks, SEED, self.limits)
        for variant in variants.values():
            variant["sets"] = self.baseline["sets"] | variant["sets"]
        row = {"module": constant.module, "name": constant.name, "value": constant.value}
        row |= compare(self.baseline, variants) | {"variants": variants}
        print(f"{constant.key}: {_sentence(row)}", file=sys.stderr, flush=True)
        return row


def _sentence(row: dict[str, Any]) -> str:
    if row["failures"]:
        return f"fails on {row['failures'][0]}"
    if row["identical"]:
        return "no result changes"
    return f"F1 {_cell(row['f1'])}, calibration {_cell(row['near_ece'])}"


def _cell(row: dict[str, Any]) -> str:
    if not row["change"]:
        return "0"
    return f"{row['change']:+.4f} ({row['set']}, {row['variant']})"


def _rank(row: dict[str, Any]) -> tuple[float, ...]:
    """Failures first, then by the change of F1, of calibration, and of results at all."""
    changes = (-abs(row[figure]["change"]) for figure in FIGURES)
    return (-len(row["failures"]), *changes, row["identical"])


def _show(study: Study, rows: Sequence[dict[str, Any]], console: Console) -> None:
    table = Table(
        "constant",
        "value",
        "largest change of F1",
        "mean",
        "of near ECE",
        "mean",
        "CPU s",
    )
    table.add_column("remark")
    for row in rows:
        text = str(row["value"])
        cells = [
            f"{row['module']}.{row['name']}",
            text if len(text) <= MAX_TEXT else "several numbers",
        ]
        for figure in FIGURES:
            cells += [_cell(row[figure]), _both(row[f"{figure}_mean"], "+.4f")]
        remark = "no result changes" if row["identical"] else "; ".join(row["failures"])
        table.add_row(*cells, _both(row["cpu_seconds"], ".0f"), remark)
    console.print(table)
    for name, score in study.baseline["sets"].items():
        console.print(f"{name}: {', '.join(f'{key} {score.get(key)}' for key in FIGURES)}")
    console.print(f"baseline: {study.baseline['cpu_seconds']} CPU s")
    console.print(f"another seed: {_sentence(study.seeds)}")


def _both(values: dict[str, float | None], form: str) -> str:
    """The values at -30 % and +30 %."""
    return " / ".join("-" if value is None else f"{value:{form}}" for value in values.values())


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sensitivity", description=__doc__)
    names = ",".join((*PANEL, *GENERATED))
    parser.add_argument("--sets", default=names, help=f"comma-separated: {names}")
    parser.add_argument("--constants", default="*", help="shell patterns: blocking.*,linkage.*")
    parser.add_argument("--records", type=int, default=1000, help="records of a subsample")
    parser.add_argument("--budget", type=float, default=7200.0, help="seconds for all constants")
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one variant")
    parser.add_argument("--workers", type=int, default=2, help="variants that run at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    for name in options.sets.split(","):
        if name not in PANEL and name not in GENERATED:
            parser.error(f"there is no set {name!r}; give some of {names}")
    return options


def _select(patterns: str) -> tuple[list[Constant], dict[str, str]]:
    """Constants to measure, and the reasons for the others that match a pattern."""
    constants = find_constants()
    matching: dict[str, Constant] = {}
    for pattern in patterns.split(","):
        some = {each.key: each for each in constants if fnmatch.fnmatch(each.key, pattern)}
        if not some:
            raise SystemExit(f"error: {pattern!r} matches no tuned number; give 'linkage.*' or so")
        matching |= some
    reasons = {key: why for key, each in matching.items() if (why := reason_excluded(each))}
    return [each for key, each in matching.items() if key not in reasons], reasons


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the tuned numbers and print their effects, largest first."""
    options = _arguments(arguments)
    deadline = time.monotonic() + options.budget
    constants, excluded = _select(options.constants)
    limits = Limits(1, options.timeout)
    console = Console(stderr=options.json, width=TABLE_WIDTH)
    with tempfile.TemporaryDirectory() as folder:
        tasks = []
        for name in options.sets.split(","):
            if name in PANEL and not PANEL[name].path.exists():
                print(f"{name}: skipped, no data in {DATA}", file=sys.stderr)
                continue
            tasks.append(prepare(name, Path(folder), options.records))
        # edits of the sources during a long run have no effect
        copy_package(PACKAGE.parent, Path(folder))
        study = Study(Path(folder), tasks, limits, deadline)
        readers = find_readers(constants, Path(folder) / PACKAGE.name)
        reached = [(c, some) for c in constants if (some := study.reach(readers[c.key]))]
        measured = {constant.key for constant, _ in reached}
        excluded |= {c.key: UNREACHED for c in constants if c.key not in measured}
        with ThreadPoolExecutor(options.workers) as pool:
            outcomes = list(pool.map(lambda pair: study.measure(*pair), reached))
    rows = sorted((row for row in outcomes if row is not None), key=_rank)
    left = [c.key for (c, _), row in zip(reached, outcomes, strict=True) if row is None]
    _show(study, rows, console)
    if left:
        console.print(f"the budget ended; measure the rest with --constants {','.join(left)}")
    for key, why in excluded.items():
        console.print(f"{key}: not measured, {why}")
    if options.json:
        facts = {"baseline": study.baseline, "another_seed": study.seeds, "constants": rows}
        print(json.dumps(facts | {"left": left, "excluded": excluded, "machine": machine()}))


if __name__ == "__main__":
    main()
