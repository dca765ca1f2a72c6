"""Tables, claims and figures of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from rich.console import Console
from rich.table import Table

from papers.hcoref.course import Course
from papers.hcoref.flat import READING
from papers.hcoref.methods import AS_PAPER, LAZY
from papers.plots import BLACK, OKABE_ITO, Axes, Line, panel

__all__ = [
    "LEVELS",
    "claims",
    "figure",
    "rows",
    "show",
    "show_claims",
    "show_costs",
]

LEVELS = (0.6, 0.8, 0.9)
PAPER = {
    145_000: "trees 31x faster than pairwise at 90%",
    1_322_985: "trees 2,350 s to 90%",
    5_803_811: "trees 13,500 s to 90%",
}
MOST_SECONDS = {145_000: 2.5, 1_322_985: 15.0, 5_803_811: 90.0}
MOST_MEMORY, FASTER, FLAT = 2048.0, 20.0, 4.0
GREY = "#999999"
COLOURS = (BLACK, *OKABE_ITO, "#8C510A", GREY)


def reached(course: Course, level: float) -> float | None:
    """CPU seconds to the first F1 of at least `level`."""
    pairs = zip(course.seconds, course.f1, strict=True)
    return next((seconds for seconds, f1 in pairs if f1 >= level), None)


def rows(courses: Sequence[Course]) -> list[dict[str, Any]]:
    """One row for each method and size."""
    lazy = {course.mentions: reached(course, 0.9) for course in courses if course.method == LAZY}
    rows = []
    for course in courses:
        to = {f"to_{level:.0%}": reached(course, level) for level in LEVELS}
        base, own = lazy.get(course.mentions), to["to_90%"]
        rows.append(
            {
                "mentions": course.mentions,
                "method": course.method,
                **to,
                "over_lazy": base / own if base and own else None,
                "end_seconds": course.seconds[-1],
                "end_f1": course.f1[-1],
                "end_precision": course.precision[-1],
                "end_recall": course.recall[-1],
                "best_f1": max(course.f1),
                "steps_per_mention": course.steps / course.mentions,
                "peak_mb": course.peak,
                "stopped": course.stopped,
            }
        )
    return rows


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows, by size."""
    for size in dict.fromkeys(row["mentions"] for row in rows):
        title = f"{size:,} mentions (paper: {PAPER.get(size, 'not run')})"
        table = Table(title=title, title_justify="left")
        table.add_column("method")
        heads = [*(f"CPU s to {level:.0%}" for level in LEVELS), "x lazy", "CPU s in all"]
        for head in (*heads, "F1 at the end", "P", "R", "steps/mention", "peak MB", "end"):
            table.add_column(head, justify="right")
        for row in rows:
            if row["mentions"] == size:
                table.add_row(row["method"], *_cells(row))
        console.print(table)


def _cells(row: dict[str, Any]) -> list[str]:
    times = [_number(row[f"to_{level:.0%}"], ".2f") for level in LEVELS]
    return [
        *times,
        _number(row["over_lazy"], ".1f"),
        f"{row['end_seconds']:.2f}",
        f"{row['end_f1']:.4f}",
        f"{row['end_precision']:.3f}",
        f"{row['end_recall']:.3f}",
        f"{row['steps_per_mention']:.1f}",
        f"{row['peak_mb']:.0f}",
        row["stopped"],
    ]


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def show_costs(console: Console, costs: Sequence[dict[str, Any]]) -> None:
    """Print the cost of a proposal by method and size."""
    table = Table(title="CPU ns of a proposal, by mentions of each entity", title_justify="left")
    table.add_column("method")
    sizes = sorted({row["size"] for row in costs})
    for size in sizes:
        table.add_column(f"{size:,}", justify="right")
    for method in dict.fromkeys(row["method"] for row in costs):
        own = {row["size"]: row["nanoseconds"] for row in costs if row["method"] == method}
        table.add_row(method, *(_number(own.get(size), ".0f") for size in sizes))
    keys = {row["size"]: row["keys"] for row in costs}
    table.add_row("(keys of a mention)", *(f"{keys[size]:.1f}" for size in sizes))
    console.print(table)


def claims(rows: Sequence[dict[str, Any]], costs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims, and whether this run confirms them."""
    verdicts = []
    for size, most in MOST_SECONDS.items():
        own = [row for row in rows if row["mentions"] == size]
        times = [row["to_90%"] for row in own if row["to_90%"]]
        if own:
            best = min(times, default=None)
            verdicts.append(
                _claim(f"{size:,}: 90% within {most:g} CPU s", best, best and best <= most)
            )
        quick = [row["over_lazy"] for row in own if row["over_lazy"] and row["method"] != LAZY]
        if quick:
            most_times = max(quick)
            words = f"{size:,}: at least {FASTER:g} times faster than lazy pairwise at 90%"
            verdicts.append(_claim(words, most_times, most_times >= FASTER))
        trees = [row for row in own if row["method"].startswith("trees")]
        verdicts += [_reached(size, row) for row in trees if row["method"] != AS_PAPER]
        if size == max(MOST_SECONDS) and own:
            peak = max(row["peak_mb"] for row in own)
            verdicts.append(_claim(f"{size:,}: 2 GB at most", peak, peak <= MOST_MEMORY))
    summed = [row["method"] for row in costs if row["method"] not in (LAZY, READING)]
    for method in dict.fromkeys(summed):
        own = [row for row in costs if row["method"] == method]
        by_key = [row["nanoseconds"] / row["keys"] for row in own]
        ratio = max(by_key) / min(by_key)
        words = f"{method}: by key, a proposal costs the same for entities of any size"
        verdicts.append(_claim(f"{words} (within {FLAT:g}x)", ratio, ratio <= FLAT))
    return verdicts


def _reached(size: int, row: dict[str, Any]) -> dict[str, Any]:
    words = f"{size:,}: {row['method']} reach 90%, and end there"
    return _claim(words, row["end_f1"], min(row["best_f1"], row["end_f1"]) >= LEVELS[-1])


def _claim(words: str, value: float | None, holds: Any) -> dict[str, Any]:
    return {"claim": words, "value": value, "holds": "yes" if holds else "no"}


def show_claims(console: Console, verdicts: Sequence[dict[str, Any]]) -> None:
    """Print the claims."""
    table = Table(title="claims", title_justify="left")
    for head in ("claim", "measured", "holds"):
        table.add_column(head)
    for verdict in verdicts:
        table.add_row(verdict["claim"], _number(verdict["value"], ".4g"), verdict["holds"])
    console.print(table)


def figure(courses: Sequence[Course], costs: Sequence[dict[str, Any]]) -> alt.ConcatChart:
    """F1 over CPU seconds by size, cost of a proposal over size, memory over mentions."""
    methods = list(dict.fromkeys(course.method for course in courses))
    colour = dict(zip(methods, COLOURS * 2, strict=False))
    sizes = dict.fromkeys(course.mentions for course in courses)
    charts = [_f1([c for c in courses if c.mentions == size], colour) for size in sizes]
    return alt.concat(*charts, _costs(costs, colour), _memory(courses, colour), columns=2)


def _f1(courses: Sequence[Course], colour: dict[str, str]) -> alt.LayerChart:
    last = max(course.seconds[-1] for course in courses)
    first = min(course.seconds[1] for course in courses)
    axes = Axes("CPU seconds", "pairwise F1", (first / 1.5, last * 1.5), (0.05, 1.0))
    lines = [
        Line(
            course.method, course.seconds, course.f1, [0.0] * len(course.f1), colour[course.method]
        )
        for course in courses
    ]
    return panel(f"{courses[0].mentions:,} mentions", lines, axes)


def _costs(costs: Sequence[dict[str, Any]], colour: dict[str, str]) -> alt.LayerChart:
    low, high = (end(row["nanoseconds"] for row in costs) for end in (min, max))
    sizes = [row["size"] for row in costs]
    axes = Axes(
        "mentions of an entity",
        "CPU ns of a proposal",
        (min(sizes), max(sizes)),
        (low / 2, high * 2),
    )
    lines = []
    for method in dict.fromkeys(row["method"] for row in costs):
        own = [row for row in costs if row["method"] == method]
        x, y = [row["size"] for row in own], [row["nanoseconds"] for row in own]
        lines.append(Line(method, x, y, [0.0] * len(y), colour.get(method, GREY)))
    return panel("Cost of a proposal", lines, axes)


def _memory(courses: Sequence[Course], colour: dict[str, str]) -> alt.LayerChart:
    peaks = [course.peak for course in courses]
    sizes = [course.mentions for course in courses]
    axes = Axes(
        "mentions",
        "peak MB",
        (min(sizes) / 1.2, max(sizes) * 1.2),
        (min(peaks) / 2, max(peaks) * 2),
    )
    lines = []
    for method in colour:
        own = [course for course in courses if course.method == method]
        x, y = [course.mentions for course in own], [course.peak for course in own]
        lines.append(Line(method, x, y, [0.0] * len(y), colour[method]))
    return panel("Memory", lines, axes)
