"""`python -m benchmarks.threads [--json]`: a search over millions on one thread and on several.

Generated author mentions, Dirichlet-multinomial entities, chunks of canopies on threads. Runs with
different numbers of threads alternate, so that other load affects all of them; the fastest run of
each number counts. The ratio is meaningful on a quiet machine only; the equality of the partitions
is checked on every machine.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from papers.hcoref.data import SCORED, development, made
from papers.hcoref.learned import SEARCH
from partita.errors import InputError
from partita.scale import dirichlet_entities, search
from partita.scale.fitting import likely_concentrations
from partita.states.checks import whole

__all__ = ["main", "measure"]

MENTIONS = 1_322_985
LABELLED = 20_000
"""Mentions of another seed that the concentrations are fitted to."""
WANTED = 1.8


def measure(mentions: int, threads: Sequence[int], repeats: int, seed: int) -> list[dict[str, Any]]:
    """One row for each number of threads."""
    labelled = development(mentions, seed, LABELLED)
    concentration = likely_concentrations(labelled.mentions, labelled.truth)
    case = made(mentions, SCORED + seed)
    method = dirichlet_entities(case.mentions.vocabulary, concentration)
    runs: dict[int, list[tuple[float, float]]] = {many: [] for many in threads}
    first: NDArray[Any] | None = None
    same = True
    for _ in range(repeats):
        for many in threads:
            result = search(case.mentions, method, replace(SEARCH, seed=seed, threads=many))
            runs[many].append((result.wall, result.seconds))
            first = result.labels if first is None else first
            same = same and np.array_equal(first, result.labels)
    base = min(runs[threads[0]])[0]
    rows = []
    for many in threads:
        wall, cpu = min(runs[many])
        row = {"threads": many, "wall_seconds": wall, "cpu_seconds": cpu}
        rows.append({**row, "times_sooner": base / wall, "same_partition": same})
    return rows


def _show(rows: list[dict[str, Any]], mentions: int, console: Console) -> None:
    table = Table(title=f"{mentions:,} mentions; load {os.getloadavg()[0]:.1f}")
    for head in ("threads", "wall s", "CPU s of all threads", "times sooner", "same partition"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            str(row["threads"]),
            f"{row['wall_seconds']:.2f}",
            f"{row['cpu_seconds']:.2f}",
            f"{row['times_sooner']:.2f}",
            "yes" if row["same_partition"] else "NO",
        )
    console.print(table)
    holds = rows[-1]["times_sooner"] >= WANTED
    words = f"{rows[-1]['threads']} threads at least {WANTED:g} times sooner (quiet machine)"
    console.print(f"{'yes' if holds else 'NO '}  {words}", highlight=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and, with --json, one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    parser.add_argument("--mentions", type=int, default=MENTIONS)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    options = parser.parse_args(arguments)
    try:
        whole(options.mentions, "mentions", 1000)
        for many in (*options.threads, options.repeats):
            whole(many, "threads and repeats")
        whole(options.seed, "seed", 0)
    except InputError as error:
        raise SystemExit(f"error: {error}") from None
    began = time.perf_counter()
    rows = measure(options.mentions, options.threads, options.repeats, options.seed)
    console = Console(width=100)
    _show(rows, options.mentions, console)
    console.print(f"{time.perf_counter() - began:.0f} s in all", highlight=False)
    if options.json:
        output = {"mentions": options.mentions, "rows": rows, "repeats": options.repeats}
        print(json.dumps({**output, "seed": options.seed, "machine": machine()}))


if __name__ == "__main__":
    main()
