"""Laws of resolution: the same records, presented another way, give the same entities.

    python -m benchmarks.laws [--quick] [--sets a,b] [--laws x,y] [--seeds N] [--workers N]
                              [--folder FOLDER] [--priors FOLDER] [--reading NAME]
                              [--source FOLDER] [--rows FILE] [--json] [--list]

Each set is resolved as it is and under every law that applies to it; agreement is the pairwise F1
of the two partitions over the records that both runs have. The tables show the median and the
worst figure by law beside its tolerance, then by set. `--quick` takes open sets cut to 2,500
records by entity, one generated file of each kind, one seed, and few draws; it needs about an hour
of CPU. `--laws` takes names of laws and of groups. `--folder` runs the labelled sets of a folder,
as `benchmarks.panel --folder` does. The prior of each set is the one trained without its kind, else
without its domain, of the folder `--priors`; the shipped one if there is neither. `--reading em`
and `--source WORKTREE/src` measure one model alone, also that of another checkout.
"""

from __future__ import annotations

import argparse
import json
import queue
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.laws.law import Law
from benchmarks.laws.measure import PLAIN, measure_set
from benchmarks.laws.presentations import GROUPS, LAWS
from benchmarks.laws.report import show_report, summarise_families, summarise_laws, summarise_sets
from benchmarks.laws.running import SOURCE, Worker
from benchmarks.laws.sets import LawSet, list_sets
from benchmarks.measure import machine
from benchmarks.panel.__main__ import PRIORS
from benchmarks.panel.sets import find_sets
from benchmarks.peers.running import Limits

__all__ = ["main"]


def measure_sets(
    sets: Sequence[LawSet], laws: Sequence[Law], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """The rows of all sets; each worker process takes one set at a time."""
    free: queue.Queue[Worker] = queue.Queue()
    limits = Limits(1, options.timeout)
    settings = {} if options.reading is None else {"reading": options.reading}

    def measure(data: LawSet) -> list[dict[str, Any]]:
        worker = free.get()
        rows = []
        for row in measure_set(data, laws, options.seeds, options.quick, options.priors, worker):
            rows.append(row)
            if options.rows is not None:
                with options.rows.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            figure = row.get("agreement") or row.get("f1") or 0.0
            seconds = row.get("cpu_seconds", 0.0)
            text = f"{data.name} {row['law']}: {row['status']} {figure:.3f} ({seconds:.1f} CPU s)"
            print(text, file=sys.stderr, flush=True)
        free.put(worker)
        return rows

    with ExitStack() as stack:
        for _ in range(options.workers):
            free.put(stack.enter_context(Worker(limits, settings, options.source)))
        with ThreadPoolExecutor(options.workers) as pool:
            return [row for rows in pool.map(measure, sets) for row in rows]


def _choose_laws(text: str | None) -> list[Law]:
    """Laws by their names and groups; all for None."""
    chosen = []
    for name in LAWS if text is None else text.split(","):
        if name not in LAWS and name not in GROUPS and name != PLAIN:
            known = ", ".join((*GROUPS, *LAWS))
            raise SystemExit(f"error: there is no law {name!r}; give some of {known}")
        chosen += [law for law in LAWS.values() if name in (law.name, law.group)]
    return chosen


def _choose_sets(options: argparse.Namespace) -> list[LawSet]:
    panel = None if options.folder is None else find_sets(options.folder)
    # business files of all seeds may be named, also in a quick run
    sets = list_sets(options.quick and options.sets is None, panel)
    names = list(sets) if options.sets is None else options.sets.split(",")
    for name in names:
        if name not in sets:
            raise SystemExit(f"error: there is no set {name!r}; give some of {', '.join(sets)}")
    return [sets[name] for name in names]


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.laws",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="cut sets, one seed, few draws")
    parser.add_argument("--sets", help="comma-separated names of sets")
    parser.add_argument("--laws", help="comma-separated names of laws or groups; plain for none")
    parser.add_argument("--seeds", type=int, help="seeds of each run (quick: 1, full: 3)")
    parser.add_argument("--workers", type=int, default=1, help="processes at the same time")
    parser.add_argument("--folder", type=Path, help="folder of other labelled sets to run")
    parser.add_argument("--priors", type=Path, default=PRIORS, help="folder of priors")
    parser.add_argument("--reading", help="the reading of every run, as that setting of resolve")
    parser.add_argument(
        "--source", type=Path, default=SOURCE, help="the folder from which Partita is imported"
    )
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one run")
    parser.add_argument("--rows", type=Path, help="a file to which each run adds a line of JSON")
    parser.add_argument("--list", action="store_true", help="print the laws and sets, and end")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    if options.seeds is None:
        options.seeds = 1 if options.quick else 3
    if options.seeds < 1 or options.workers < 1:
        parser.error("--seeds and --workers are numbers of at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the laws and print their tables."""
    options = _arguments(arguments)
    laws, sets = _choose_laws(options.laws), _choose_sets(options)
    console = Console(stderr=options.json, width=200)
    if options.list:
        for law in laws:
            use = "" if law.for_training else ", not for training"
            console.print(f"{law.group}: {law.name}, {law.figure}, floor {law.floor}{use}")
        console.print(f"sets: {', '.join(data.name for data in sets)}")
        return
    rows = measure_sets(sets, laws, options)
    by_law, by_set = summarise_laws(rows), summarise_sets(rows)
    families = summarise_families(rows)
    show_report(by_law, by_set, families, console)
    seconds = sum(row.get("cpu_seconds", 0.0) for row in rows)
    console.print(f"{len(rows)} runs, {seconds / 60:.1f} CPU minutes in resolve")
    if options.json:
        report = {
            "laws": by_law,
            "sets": by_set,
            "families": families,
            "rows": rows,
            "machine": machine(),
        }
        print(json.dumps(report | {"cpu_seconds": seconds, "machine": machine()}))


if __name__ == "__main__":
    main()
