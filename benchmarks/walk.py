"""Speed of the composed walk: against hand-fused twins, from cold and from cache, as entities grow.

Run `python -m benchmarks.walk [--json] [--quick]`; with --json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.cases import CASES, Case, ended_alike
from benchmarks.growth import TARGET_GROWTH, growth
from benchmarks.measure import Stopwatch, interleave, machine
from benchmarks.startup import startup

__all__ = ["FULL", "QUICK", "Plan", "compare", "main", "report"]

TARGET_RATIO = 1.3
TARGET_LOAD = 1.0
HOT = 50.0
"""A temperature at which most moves are accepted, so that applying them is measured too."""
SETTLE, SEED = 1, 7


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    n: int = 2000
    steps: int = 100_000
    repeats: int = 31
    settle: int = 400_000
    loads: int = 3
    sizes: tuple[int, ...] = (10, 100, 1_000, 10_000)
    cases: tuple[str, ...] = tuple(CASES)


FULL = Plan()
QUICK = Plan(steps=50_000, repeats=9, settle=200_000, loads=1)


def _settled(case: Case, plan: Plan, temperature: float) -> tuple[Any, Any]:
    """The compiled walk and a state near equilibrium; a learner's weights stay in the model."""
    compiled = case.compile()
    chain = case.chain(compiled, SETTLE)
    chain.run(plan.settle, temperature)
    case.twin(case.chain(compiled, SETTLE), 1, temperature)
    if case.training_spec is not None:
        case.model.set_weights(chain.weights)
    return compiled, chain.state


def compare(name: str, plan: Plan, temperature: float) -> dict[str, Any]:
    """Nanoseconds a step of the composed walk and of its twin, from the same start and seed."""
    case = CASES[name](plan.n)
    compiled, start = _settled(case, plan, temperature)
    ran: list[Any] = []

    def prepare() -> tuple[Callable[[], Any], Callable[[], Any]]:
        ours, theirs = case.chain(compiled, SEED, start), case.chain(compiled, SEED, start)
        ran[:] = [ours, theirs]
        return (
            lambda: ours.run(plan.steps, temperature),
            lambda: case.twin(theirs, plan.steps, temperature),
        )

    def same() -> None:
        if not ended_alike(*ran):
            raise RuntimeError(f"{name}: the walk and its twin do not end in the same state")

    timing = interleave(prepare, plan.repeats, same)
    composed, fused = timing.nanoseconds(plan.steps)
    walked = ran[0]
    return {
        "temperature": temperature,
        "composed_ns": round(composed, 1),
        "fused_ns": round(fused, 1),
        "ratio": round(timing.ratio, 3),
        "accepted": round(float(walked.tally[0, 1]) / plan.steps, 5),
        "factors_per_step": round(walked.examined / plan.steps, 1),
        "same_state": True,
    }


def _case(name: str, plan: Plan) -> dict[str, Any]:
    facts = compare(name, plan, 1.0)
    return {
        "about": CASES[name](plan.n).about,
        **facts,
        "met": facts["ratio"] <= TARGET_RATIO,
        "hot": compare(name, plan, HOT),
    }


def report(plan: Plan, quick: bool = False) -> dict[str, Any]:
    """Everything that is measured, as JSON holds it."""
    watch = Stopwatch()
    return {
        "benchmark": "walk",
        "quick": quick,
        "targets": {
            "ratio": TARGET_RATIO,
            "load_seconds": TARGET_LOAD,
            "growth_of_aggregated": TARGET_GROWTH,
        },
        "machine": machine(),
        "cases": {name: _case(name, plan) for name in plan.cases},
        "startup": {name: startup(name, plan.n, plan.loads) for name in plan.cases},
        "growth": growth(plan.sizes, plan.steps, plan.repeats),
        "run": watch.facts(),
    }


# ---- tables


def _speed(console: Console, figures: dict[str, Any]) -> None:
    title = f"One step in CPU nanoseconds; target: at most {TARGET_RATIO} times the fused twin"
    table = Table("case", title=title)
    heads = ("T", "composed", "fused", "ratio", "accepted", "factors", "same end")
    for head in heads:
        table.add_column(head, justify="right")
    for name, row in figures["cases"].items():
        for label, figure in ((name, row), ("  hot", row["hot"])):
            table.add_row(
                label,
                f"{figure['temperature']:g}",
                f"{figure['composed_ns']:.1f}",
                f"{figure['fused_ns']:.1f}",
                f"{figure['ratio']:.2f}",
                f"{figure['accepted']:.2%}",
                f"{figure['factors_per_step']:.1f}",
                "yes" if figure["same_state"] else "no",
            )
    console.print(table)
    for name, row in figures["cases"].items():
        console.print(f"  {name}: {row['about']}", highlight=False)


def _startup(console: Console, figures: dict[str, Any]) -> None:
    title = f"Seconds to the first step; target: load under {TARGET_LOAD:g}"
    table = Table("case", title=title)
    for head in ("compile", "load", "load, CPU", "import partita", "load + import"):
        table.add_column(head, justify="right")
    keys = ("compile", "load", "load_cpu", "import", "load_and_import")
    for name, row in figures["startup"].items():
        table.add_row(name, *(f"{row[f'{key}_seconds']:.2f}" for key in keys))
    console.print(table)


def _growth(console: Console, figures: dict[str, Any]) -> None:
    title = f"One proposal in ns by size of entity; target for sums: within {TARGET_GROWTH:g} times"
    table = Table("factors", title=title)
    for size in next(iter(figures["growth"].values()))["sizes"]:
        table.add_column(f"{size:,}", justify="right")
    for head in ("last / first", "widest", "met"):
        table.add_column(head, justify="right")
    for kind, row in figures["growth"].items():
        ratios = (f"{row[key]:,.2f}" for key in ("ratio", "widest_ratio"))
        mark = {None: "-", True: "yes", False: "no"}[row["met"]]
        table.add_row(kind, *(f"{ns:,.0f}" for ns in row["ns"]), *ratios, mark)
    console.print(table)


def _show(figures: dict[str, Any]) -> None:
    console = Console(width=110)
    for part in (_speed, _startup, _growth):
        part(console, figures)
    for title in ("run", "machine"):
        facts = ", ".join(f"{key} {value}" for key, value in figures[title].items())
        console.print(f"{title}: {facts}", highlight=False)


def main(arguments: Sequence[str] | None = None, plan: Plan | None = None) -> None:
    """Measure, print tables and, with --json, one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walk", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args(arguments)
    figures = report(plan or (QUICK if options.quick else FULL), options.quick)
    _show(figures)
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
