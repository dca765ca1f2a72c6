"""Speed of facts on generated graphs, and ranks on real graphs beside PyKEEN.

    python -m benchmarks.facts [speed] [--quick] [--json]
    python -m benchmarks.facts ranks [--sets kinship,nations] [--rules] [--threads 1] [--json]

With --rules a further row has ours with mined rules, which fits an embedding for each fold of
hidden facts.

PARTITA_PEERS_PYTHON names the Python of PyKEEN (default: this Python), for which
constraints-peers-facts.txt pins the versions; PARTITA_DATA names the folder of the graphs. With
--json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from benchmarks.facts import compare, speed
from benchmarks.measure import machine
from benchmarks.peers.running import Limits
from partita.errors import InputError
from partita.states.checks import positive, whole

__all__ = ["main"]

WIDTH = 180
"""Characters of a line: settings stand in the table of ranks."""


def _compare(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    names = options.sets.split(",")
    for name in names:
        if name not in compare.SETS:
            known = ", ".join(compare.SETS)
            raise InputError(f"there is no graph {name!r}; give some of {known}")
    limits = Limits(
        whole(options.threads, "threads"), positive(options.timeout, "the timeout"), options.seed
    )
    tasks = [compare.load_task(name) for name in names]
    compare.warm_up(limits)
    rows = [
        row for task in tasks for row in compare.compare_tools(task, limits, rules=options.rules)
    ]
    compare.show_ranks(rows, console)
    return {"rows": rows, "threads": options.threads, "seed": options.seed}


def _time(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    figures = speed.measure_speed(*((2_000, 10) if options.quick else (100_000, 100)))
    speed.show_speed(figures, console)
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and, with --json, one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.facts", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("speed", "ranks"), default="speed")
    parser.add_argument("--quick", action="store_true", help="speed: 2,000 facts at rank 10")
    parser.add_argument("--sets", default=",".join(compare.SETS), help="ranks: graphs")
    parser.add_argument("--rules", action="store_true", help="ranks: also ours with rules")
    parser.add_argument("--threads", type=int, default=1, help="ranks: threads of every tool")
    parser.add_argument("--timeout", type=float, default=1800.0, help="ranks: seconds of one fit")
    parser.add_argument("--seed", type=int, default=0, help="ranks: seed of every tool")
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    options = parser.parse_args(arguments)
    work = _compare if options.what == "ranks" else _time
    try:
        figures = work(options, Console(width=WIDTH))
    except InputError as error:
        raise SystemExit(f"error: {error}") from None
    if options.json:
        print(json.dumps({"benchmark": f"facts {options.what}", **figures, "machine": machine()}))


if __name__ == "__main__":
    main()
