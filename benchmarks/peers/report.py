"""Ratios of ours to each baseline, and tables of the measurements."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.peers.running import OURS

__all__ = ["ratios", "show", "show_curve"]

COSTS = ("cpu_seconds", "cpu_seconds_after_import", "wall_seconds", "peak_megabytes")


def ratios(tools: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Ours over each baseline: below 1 we are cheaper; the gain of F1 is a difference."""
    ours = tools.get(OURS, {"status": "not run"})
    if ours["status"] != "ok":
        return {}
    shares = {}
    for name, theirs in tools.items():
        if name != OURS and theirs["status"] == "ok":
            shares[name] = {cost: round(ours[cost] / theirs[cost], 3) for cost in COSTS}
            for score in ("pairwise", "bcubed"):
                gain = ours[score]["f1"] - theirs[score]["f1"]
                shares[name][f"{score}_f1_gain"] = round(gain, 4)
    return shares


def show(results: dict[str, Any], console: Console) -> None:
    """One row for each tool on each set; failures and notes below."""
    table = Table(title="Tools on the same records, scored by the same evaluator")
    for name in ("set", "tool"):
        table.add_column(name, no_wrap=True)
    for name in HEADS:
        table.add_column(name, justify="right", no_wrap=True)
    failed = []
    for set_name, task in results["sets"].items():
        for tool, facts in task["tools"].items():
            table.add_row(set_name, tool, *_cells(facts, task["ratios"].get(tool)))
            if (best := facts.get("best_threshold_by_truth")) is not None:
                table.add_row("", f"  best at {best['threshold']:g}", *_scores(best))
            if facts["status"] != "ok":
                failed.append(f"{set_name}, {tool}: {facts['status']}")
        table.add_section()
    # files and pipes have no width, and the table must not be truncated
    console.width = max(console.width, WIDTH)
    console.print(table)
    for note in [*failed, *results["notes"]]:
        console.print(note, markup=False)


HEADS = (
    *("pairwise P / R / F1", "B³ P / R / F1", "CPU s", "without import", "wall s", "MiB"),
    *("our CPU / theirs", "our MiB / theirs"),
)
WIDTH = 175


def _scores(facts: dict[str, Any]) -> list[str]:
    cells = []
    for kind in ("pairwise", "bcubed"):
        parts = (facts[kind][part] for part in ("precision", "recall", "f1"))
        cells.append(" / ".join(f"{part:.3f}" for part in parts))
    return cells


def _cells(facts: dict[str, Any], ratio: dict[str, float] | None) -> list[str]:
    if facts["status"] != "ok":
        return ["-"]
    cells = _scores(facts)
    *seconds, memory = (facts[cost] for cost in COSTS)
    cells += [f"{spent:.1f}" for spent in seconds] + [f"{memory:.0f}"]
    if ratio is not None:
        cells += [f"{ratio[cost]:.2f}" for cost in ("cpu_seconds", "peak_megabytes")]
    return cells


def show_curve(rows: list[dict[str, Any]], console: Console) -> None:
    """The cost of a record as files grow."""
    table = Table(title="Ours on generated people: the cost of a record against their number")
    for name in ("records", "CPU s", "µs a record", "wall s", "MiB", "pairwise F1"):
        table.add_column(name, justify="right")
    for row in rows:
        if row["status"] != "ok":
            table.add_row(f"{row['n']:,}", row["status"])
            continue
        table.add_row(
            f"{row['n']:,}",
            f"{row['cpu_seconds']:.1f}",
            f"{row['cpu_microseconds_per_record']:.1f}",
            f"{row['wall_seconds']:.1f}",
            f"{row['peak_megabytes']:.0f}",
            f"{row['pairwise']['f1']:.4f}",
        )
    console.print(table)
