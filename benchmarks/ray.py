"""`python -m benchmarks.ray [--mentions N] [--runs K] [--json]`: shards on a local Ray cluster.

Searches generated author mentions on 2 and 4 worker processes and with `search` in one process;
further runs kill a worker that has a shard. `--rounds` splits the largest canopy and repartitions
its entities between rounds. `--simulate` measures the cost of shards and rounds, and simulates 100
million and a billion mentions.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from benchmarks.ray_costs import Machine, measured, simulated
from partita.errors import PartitaError
from partita.kernel import Ints
from partita.metrics import pairwise
from partita.scale import Mentions, Settings, dirichlet_entities, gather, search, vocabulary
from partita.scale.fitting import likely_concentrations
from partita.scale.ray.connect import connect
from partita.scale.ray.distribute import Distributed, distribute
from partita.scale.ray.labels import all_labels
from partita.scale.ray.rounds import RANDOM, SUPER
from partita.scale.ray.shards import write_shards
from partita.scale.ray.worker import Maker, Outcome
from partita.synthetic.mentions import COLUMNS, GROUPS, encoded_authors

__all__ = ["main", "runs"]

SEED, LEARNED, SAMPLE = 11, 12, 20_000
"""Seeds of the data and of the training sample, and the size of the sample in mentions."""
SIZES, FLEETS = (100_000_000, 1_000_000_000), (1, 4, 16)
NOTES = """\
CPU seconds of the searches of all workers, including encoding; the machine is shared, so wall-clock
times are unreliable. `same`: the labels are those of `search`. `each once`: every mention has one
label. The runs with a kill send SIGKILL to a worker that has just got a new shard."""


def made(n: int, seed: int) -> tuple[Mentions, Ints]:
    """Mentions and truth."""
    encoded = encoded_authors(n, seed=seed)
    words = vocabulary(
        GROUPS, COLUMNS, encoded.edges, encoded.family, encoded.key, encoded.count, n
    )
    mentions = Mentions(encoded.start, encoded.key, encoded.count, encoded.canopy, words)
    return mentions, encoded.truth.astype(np.int64)


def learned() -> Maker:
    """The method, with maximum-likelihood concentrations of another sample."""
    mentions, truth = made(SAMPLE, LEARNED)
    return partial(dirichlet_entities, concentration=likely_concentrations(mentions, truth))


def killing(after: int) -> Callable[[Outcome], None]:
    """Kill the worker that finishes the shard with this rank, after it has the next shard."""
    left = [after]

    def watch(outcome: Outcome) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(outcome.pid, signal.SIGKILL)

    return watch


@contextmanager
def copied(shards: Path) -> Iterator[Path]:
    """Copy shards without labels to a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="partita-ray-") as folder:
        yield shutil.copytree(shards, Path(folder) / "shards")


def row(kind: str, workers: int, result: Distributed, labels: Ints, right: Ints) -> dict[str, Any]:
    """The row of one run."""
    return {
        "run": kind,
        "workers": workers,
        "mentions": result.mentions,
        "entities": result.entities,
        "each_once": labels.size == result.mentions,
        "same": bool(np.array_equal(labels, right)),
        "lost": result.lost,
        "cpu_seconds": round(result.seconds, 2),
        "wall_seconds": round(result.wall, 1),
        "peak_megabytes": round(result.peak / 2**20),
    }


def runs(
    n: int, kills: int, fleets: Sequence[int], settings: Settings, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """One run for each number of workers, then the runs with a killed worker."""
    mentions, truth = made(n, SEED)
    method = learned()
    alone = search(mentions, method(mentions.vocabulary), settings)
    yield {
        "run": "search, one process",
        "workers": 1,
        "mentions": n,
        "entities": int(np.unique(alone.labels).size),
        "each_once": True,
        "same": True,
        "lost": 0,
        "cpu_seconds": round(alone.seconds, 2),
        "wall_seconds": round(alone.wall, 1),
        "f1": round(pairwise(alone.labels, truth).f1, 4),
    }
    rng = np.random.default_rng(seed)
    with (
        tempfile.TemporaryDirectory(prefix="partita-ray-") as folder,
        connect(None, max(fleets)),
    ):
        began = time.process_time()
        shards = len(write_shards(mentions, folder, settings).sizes)
        print(f"{shards} shards in {time.process_time() - began:.1f} s of CPU", file=sys.stderr)
        # while there are shards left for all
        most = max(2, shards - max(fleets))
        plan = [(workers, 0) for workers in fleets]
        plan += [(fleets[k % len(fleets)], int(rng.integers(1, most))) for k in range(kills)]
        for workers, after in plan:
            watch = killing(after) if after else None
            kind = f"killed after {after} of {shards} shards" if after else "Ray"
            with copied(Path(folder)) as own:
                result = distribute(own, method, settings, workers=workers, watch=watch)
                yield row(kind, workers, result, all_labels(own), alone.labels)


def measure_partitioned(n: int, rounds: int, settings: Settings) -> Iterator[dict[str, Any]]:
    """The largest canopy of the data in eight pieces or more: scores after each round."""
    mentions, truth = made(n, SEED)
    method, sizes = learned(), np.diff(mentions.canopy)
    canopy = int(np.argmax(sizes))
    part = gather(mentions, np.array([canopy]))
    truth = truth[mentions.canopy[canopy] : mentions.canopy[canopy + 1]]
    result = search(part, method(part.vocabulary), settings)
    yield scored("whole", 1, result.labels, truth)
    cut = replace(settings, largest=part.size // 8, chunk=part.size // 8)
    with connect(None, 2):
        for by in (RANDOM, SUPER):
            with tempfile.TemporaryDirectory(prefix="partita-ray-") as folder:
                write_shards(part, folder, cut)
                for k in range(1, rounds + 1):
                    distribute(folder, method, cut, rounds=k, by=by)
                    yield scored(by, k, all_labels(folder), truth)


def scored(by: str, rounds: int, labels: Ints, truth: Ints) -> dict[str, Any]:
    """The row of one partition of the canopy."""
    score = pairwise(labels, truth)
    return {
        **{"run": by, "rounds": rounds, "mentions": labels.size},
        **{"entities": int(np.unique(labels).size), "true_entities": int(np.unique(truth).size)},
        **{"precision": score.precision, "recall": score.recall, "f1": score.f1},
    }


def show(console: Console, rows: list[dict[str, Any]], title: str) -> None:
    """Rows of one kind as a table."""
    table = Table(title=title)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        table.add_column(name.replace("_", " "), justify="left" if name == "run" else "right")
    for row in rows:
        table.add_row(*(format_value(row.get(name, "")) for name in names))
    console.print(table)


def format_value(value: Any) -> str:
    """A cell."""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def simulation(n: int, settings: Settings, peak: int) -> tuple[dict[str, Any], list[Any]]:
    """Measured costs, and the simulation of larger data."""
    with tempfile.TemporaryDirectory(prefix="partita-ray-") as folder:
        costs = measured(made(n // 4, SEED)[0], made(n, SEED)[0], learned(), settings, Path(folder))
    rows = [
        simulated(costs, size, fleet, settings=settings, peak=peak)
        for size in SIZES
        for fleet in FLEETS
    ]
    told_costs = {name: value for name, value in vars(costs).items() if name != "shares"}
    return told_costs, rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen benchmark and print its rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ray", description=__doc__)
    parser.add_argument("--mentions", type=int, default=1_300_000)
    parser.add_argument("--runs", type=int, default=10, help="in each of which a worker is killed")
    parser.add_argument("--workers", default="2,4", help="numbers of workers (default 2,4)")
    parser.add_argument("--chunk", type=int, default=8192, help="mentions of a shard")
    parser.add_argument(
        "--rounds", type=int, help="print scores of a split canopy after each of N rounds"
    )
    parser.add_argument("--simulate", action="store_true", help="measure costs and extrapolate")
    parser.add_argument("--peak", type=int, default=600, help="MB of a worker, for --simulate")
    parser.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
    options = parser.parse_args(arguments)
    settings = Settings(temperatures=(0.3, 0.3), chunk=options.chunk)
    console, rows, costs = Console(width=None if sys.stdout.isatty() else 160), [], None
    try:
        if options.simulate:
            costs, rows = simulation(options.mentions, settings, options.peak * 2**20)
            show(console, [costs], f"costs by mention, measured on {options.mentions:,}")
            show(console, rows, f"simulated, {Machine()}")
        elif options.rounds:
            rows = list(measure_partitioned(options.mentions, options.rounds, settings))
            show(console, rows, "the largest canopy, whole and in pieces")
        else:
            fleets = [int(row) for row in options.workers.split(",")]
            for row in runs(options.mentions, options.runs, fleets, settings):
                print(row, file=sys.stderr, flush=True)
                rows.append(row)
            show(console, rows, f"{options.mentions:,} generated author mentions")
            console.print(NOTES)
    except PartitaError as error:
        print(f"python -m benchmarks.ray: {error}", file=sys.stderr)
        return 1
    if options.json:
        figures = {"benchmark": "ray", "machine": machine(), "costs": costs, "rows": rows}
        print(json.dumps(figures, allow_nan=False))
    bad = [row for row in rows if not (row.get("same", True) and row.get("each_once", True))]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
