"""Partita and other tools on labelled data, in one run, scored by one evaluator.

`python -m benchmarks.peers [--sets a,b] [--tools a,b] [--threads 1] [--json]`
`python -m benchmarks.peers people --n 1000000 [--curve 10000,100000,1000000]`

Partita runs without configuration and without labels. PARTITA_PEERS_PYTHON names the Python of the
baselines (default: this Python), PARTITA_DATA the folder of the data sets. With --json the last
line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.measure import machine
from benchmarks.peers.child import TOOLS
from benchmarks.peers.report import ratios, show, show_curve
from benchmarks.peers.running import OURS, Limits, run_tool
from benchmarks.peers.sets import DATA, PEOPLE, SETS, Prepared, prepare, prepare_people
from partita.errors import InputError
from partita.states.checks import positive, whole

__all__ = ["compare", "curve", "main", "warm_up"]

WARM_RECORDS = 3000
WARM_SEED = 99
ABOUT = (
    "CPU seconds are user and system time of a process of its own, its children included;"
    " peak memory is that process's.",
    "Records are shuffled and renumbered, and columns that reveal the truth are dropped.",
    "'best at' is the threshold with the best F1 by the truth: an upper bound, not a result.",
)


def warm_up(limits: Limits, folder: Path, cold: bool) -> list[str]:
    """Run Partita on generated people, so that its compiled code is on disk; returns notes.

    With `cold` it also runs once with an empty cache, and a note states the cost.
    """
    data = prepare_people(WARM_RECORDS, WARM_SEED, folder)
    run_tool(OURS, data, limits)
    # each model, and linking, has its own compiled code; people use the pairwise model
    run_tool(OURS, data, limits, more={"model": "entities"})
    run_tool(OURS, prepare_people(WARM_RECORDS, WARM_SEED, folder, linked=True), limits)
    notes = [
        f"Ours ran on {WARM_RECORDS:,} generated people before, with each model and between two"
        " sources: its code is compiled."
    ]
    if cold:
        with tempfile.TemporaryDirectory() as cache:
            first = run_tool(OURS, data, limits, Path(cache))
        again = run_tool(OURS, data, limits)
        if first["status"] == again["status"] == "ok":
            spent, kept = first["cpu_seconds"], again["cpu_seconds"]
            notes.append(
                f"On them it takes {spent:.1f} CPU s with nothing compiled, then {kept:.1f}."
            )
    return notes


def compare(
    data: Iterable[Prepared], tools: Sequence[str], limits: Limits, console: Console
) -> dict[str, Any]:
    """Every tool on every set, one at a time."""
    results: dict[str, Any] = {}
    for task in data:
        measured: dict[str, Any] = {}
        for tool in tools:
            measured[tool] = run_tool(tool, task, limits)
            console.print(f"[dim]{task.name}, {tool}: {measured[tool]['status']}[/dim]")
        label = f"{task.name}, {task.records:,}" if task.name == PEOPLE else task.name
        results[label] = {"records": task.records, "tools": measured, "ratios": ratios(measured)}
    return results


def curve(sizes: Sequence[int], limits: Limits, folder: Path) -> list[dict[str, Any]]:
    """Costs of Partita per record, by the number of generated people."""
    rows = []
    for n in sizes:
        row = {"n": n, **run_tool(OURS, prepare_people(n, 0, folder), limits)}
        if row["status"] == "ok":
            row["cpu_microseconds_per_record"] = round(row["cpu_seconds"] / n * 1e6, 2)
        rows.append(row)
    return rows


def _list(known: Iterable[str], noun: str, text: str | None) -> list[str]:
    names = list(known)
    if text is None:
        return names
    for name in text.split(","):
        if name not in names:
            raise InputError(f"there is no {noun} {name!r}; give some of {', '.join(names)}")
    return text.split(",")


def _whole(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("sets", PEOPLE), default="sets")
    parser.add_argument("--sets", help=f"some of {','.join(SETS)}")
    parser.add_argument("--tools", help=f"some of {','.join(TOOLS)}")
    parser.add_argument("--threads", type=int, default=1, help="threads of every tool")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one tool and set")
    parser.add_argument("--n", type=int, default=1_000_000, help="how many people to generate")
    parser.add_argument("--curve", type=_whole, help="numbers of people for ours alone")
    parser.add_argument("--cold", action="store_true", help="also time ours with nothing compiled")
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    return parser.parse_args(arguments)


def _data(options: argparse.Namespace, folder: Path) -> Iterable[Prepared]:
    if options.what == PEOPLE:
        yield prepare_people(options.n, 0, folder)
        return
    for name in _list(SETS, "set", options.sets):
        if not SETS[name].path.exists():
            raise InputError(f"there is no {SETS[name].path}; set PARTITA_DATA (it is {DATA})")
        yield prepare(SETS[name], folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and, with --json, one line of JSON."""
    options = _arguments(arguments)
    try:
        _measure(options)
    except InputError as error:
        raise SystemExit(f"error: {error}") from None


def _measure(options: argparse.Namespace) -> None:
    usual = (OURS, "splink") if options.what == PEOPLE else tuple(TOOLS)
    tools = _list(TOOLS, "tool", options.tools or ",".join(usual))
    limits = Limits(whole(options.threads, "threads"), positive(options.timeout, "the timeout"))
    console = Console(stderr=options.json, width=180)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        notes = list(ABOUT)
        if OURS in tools or options.curve:
            notes += warm_up(limits, folder, options.cold)
        results: dict[str, Any] = {"sets": {}, "notes": notes}
        if options.curve:
            results["curve"] = curve(options.curve, limits, folder)
            show_curve(results["curve"], console)
        else:
            results["sets"] = compare(_data(options, folder), tools, limits, console)
            show(results, console)
    if options.json:
        print(json.dumps({**results, "threads": options.threads, "machine": machine()}))


if __name__ == "__main__":
    main()
