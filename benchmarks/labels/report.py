"""One row for each tool and number of labels, with the mean and the range over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["show", "summary"]

WIDTH = 130


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one tool and number of labels together, in the order of their first."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["tool"], row["labels"]), []).append(row)
    return [_together(tool, labels, group) for (tool, labels), group in groups.items()]


def _together(tool: str, labels: int, group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    finished = [row for row in group if row["status"] == "ok"]
    result_row = {"tool": tool, "labels": labels, "runs": len(finished)}
    if len(finished) < len(group):
        result_row["status"] = next(row["status"] for row in group if row["status"] != "ok")
    if not finished:
        return result_row
    f1 = [row["pairwise"]["f1"] for row in finished]
    others = [row["f1_others"] for row in finished if "f1_others" in row]
    return result_row | {
        "f1": statistics.mean(f1),
        "f1_least": min(f1),
        "f1_most": max(f1),
        "f1_others": statistics.mean(others) if others else None,
        "bcubed_f1": statistics.mean(row["bcubed"]["f1"] for row in finished),
        "cpu_seconds": statistics.mean(row["cpu_seconds"] for row in finished),
    }


def show(results: dict[str, Any], console: Console) -> None:
    """A table and its notes."""
    table = Table(title="Pairwise F1 after learning from labelled pairs")
    for name in ("set", "tool"):
        table.add_column(name, no_wrap=True)
    for name in ("labels", "F1", "from", "to", "others", "B³ F1", "CPU s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for name, task in results["sets"].items():
        for row in summary(task["rows"]):
            table.add_row(name, row["tool"], str(row["labels"]), *_cells(row))
        table.add_section()
    # files and pipes have no width, and the table must not be truncated
    console.width = max(console.width, WIDTH)
    console.print(table)
    for note in results["notes"]:
        console.print(note, markup=False)


def _cells(row: dict[str, Any]) -> list[str]:
    if "f1" not in row:
        return ["-"] * 6 + [row["status"]]
    names = ("f1", "f1_least", "f1_most", "f1_others", "bcubed_f1")
    scores = [f"{row[name]:.4f}" if row[name] is not None else "" for name in names]
    return [*scores, f"{row['cpu_seconds']:.1f}", row.get("status", "")]
