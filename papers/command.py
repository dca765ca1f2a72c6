"""The command line that the experiments share: options, parts, errors as one sentence, JSON."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.console import Console

from partita.errors import PartitaError

__all__ = ["Experiment", "add_options", "run_experiment", "run_parts"]

Experiment = Callable[[argparse.Namespace, Console], dict[str, Any]]
"""Runs an experiment, prints its tables and returns the content of the JSON line."""
WIDTH = 180
"""Characters of a line where the output is no terminal; the widest tables need as many."""


def add_options(parser: argparse.ArgumentParser, *, quick: str, seed: str) -> None:
    """Add --json, --quick and --seed; `quick` and `seed` describe the last two."""
    parser.add_argument("--json", action="store_true", help="end with the results as one JSON line")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--seed", type=int, default=0, help=f"of {seed} (default 0)")


def run_experiment(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, run: Experiment | None = None
) -> int:
    """Parse the command line, run the experiment and return the exit code.

    Without `run`, the option `run` of a subcommand is the experiment. The JSON line names the
    experiment: the subcommand, or else the module.
    """
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        results = (run or options.run)(options, console)
    except PartitaError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    spent = f"{wall:.0f} s, {cpu:.0f} s of CPU"
    console.print("; ".join([spent, *results.get("files", ())]), highlight=False)
    if options.json:
        name = getattr(options, "command", parser.prog.rpartition(".")[2])
        content = {"experiment": name, "seed": options.seed, "quick": options.quick, **results}
        print(json.dumps(content, allow_nan=False))
    return 0


def run_parts(
    names: Iterable[str],
    run: Callable[[str], dict[str, Any]],
    show: Callable[[str, dict[str, Any]], None],
    console: Console,
) -> dict[str, Any]:
    """Run and show the parts of an experiment; a part whose data is absent is skipped."""
    output: dict[str, Any] = {}
    for name in names:
        began = time.process_time()
        try:
            output[name] = run(name)
        except PartitaError as error:
            if "PARTITA_DATA" not in str(error):
                raise
            console.print(f"{name} is skipped: {error}", highlight=False)
            continue
        output[name]["cpu_seconds"] = round(time.process_time() - began, 1)
        show(name, output[name])
    return output
