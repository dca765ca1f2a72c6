"""Results of Figure 2: tables for the terminal, verdicts on the claims, the figure."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt
from rich.console import Console
from rich.table import Table

from papers.mcmcmc.figure2 import BASE, PAPER_I, PAPER_P, TOLERANCES, Curve, Panel
from papers.plots import BLACK, OKABE_ITO, Axes, Line, panel, shades

__all__ = ["claims", "figure", "show_claims", "show_intervals", "show_panel"]

SOURCE = "MCMCMC section 4.1"

FAMILIES = (
    ("uniform", "uniform sampling (section 3.2)"),
    ("confidence", "confidence sampling (section 3.3)"),
    ("ours", "scheduled and exact minibatch (ours)"),
)

SAME = 0.99
"""Numbers of factors that differ by less than this share are called the same."""

RANGES = {"paper": (1e-5, 0.6), "hard": (1.5e-3, 0.6)}
"""Vertical axes: errors below are drawn off the panel."""


def _number(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.{digits}g}"


def show_panel(console: Console, shown: Panel, rows: list[dict[str, Any]]) -> None:
    """Factors to reach each error with the speedup over p = 1, and the error at the end."""
    odds, p = shown.stars.log_odds, shown.stars.marginals
    text = f"{shown.title}: log odds of label 1 from {odds.min():.3g} to {odds.max():.3g}, "
    text += f"exact marginals from {p.min():.3g} to {p.max():.3g}"
    grid = Table(title=text, title_justify="left", header_style="bold")
    grid.add_column("method (* ours)")
    grid.add_column("factors\na step", justify="right")
    for tolerance in TOLERANCES:
        grid.add_column(f"factors to\nerror {tolerance:g}", justify="right")
    for name in ("error at\nthe end", "+-", "over\np = 1", "fall"):
        grid.add_column(name, justify="right")
    family = ""
    for row in rows:
        if row["family"] != family and family:
            grid.add_section()
        family = row["family"]
        grid.add_row(*_cells(row), style="bold" if row["method"] == BASE else None)
    console.print(grid)


def _cells(row: dict[str, Any]) -> list[str]:
    cells = [row["method"] + (" *" if row["ours"] else ""), _number(row["factors_per_step"])]
    for tolerance in TOLERANCES:
        key = f"{tolerance:g}"
        factors, speedup = row["factors"][key], row["speedup"][key]
        more = f" ({speedup:.2f}x)" if speedup is not None else ""
        cells.append(("never" if factors is None else f"{factors:,.0f}") + more)
    cells += [f"{row['end_error']:.2g}", f"{row['end_standard_error']:.1g}"]
    return [*cells, _number(row["end_ratio"], 2), _number(row["fall"], 2)]


def show_intervals(console: Console, shown: Panel, rows: list[dict[str, float]]) -> None:
    """Factors that an interval requires, and the effect of stopping at two of them."""
    grid = Table(title=f"Intervals, {shown.title.lower()}", title_justify="left")
    for name in (
        "i",
        "factors asked for\nby equation 9",
        "examined\na step",
        "share of steps\nthat stop at 2",
        "error these\nstops cause",
        "error at\nthe end",
    ):
        grid.add_column(name, justify="right")
    for row in rows:
        cells = [f"{row['i']:g}", f"{row['expected']:.1f}", f"{row['examined']:.1f}"]
        cells += [f"{row['stops_at_two']:.2%}", f"{row['error_of_stops']:.2g}"]
        grid.add_row(*cells, f"{row['end_error']:.2g}")
    console.print(grid)


def claims(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The paper's sentences on Figure 2 against the rows of its models."""
    by_name = {row["method"]: row for row in rows}
    falling_p = [BASE, *(f"p = {p:g}" for p in PAPER_P)]
    rising_i = [f"i = {i:g}" for i in PAPER_I]
    return [
        _improves(by_name, falling_p, "lowering p"),
        _improves(by_name, [BASE, *rising_i], "increasing i"),
        _slows(by_name),
        _worse(by_name, "p = 0.1"),
        _worse(by_name, "i = 0.05"),
    ]


def _improves(by_name: dict[str, Any], names: list[str], how: str) -> dict[str, Any]:
    claim = f"{how}: 'a steady improvement in the running time needed to obtain the same error'"
    good, parts = [], []
    for tolerance in TOLERANCES:
        key = f"{tolerance:g}"
        needed = [by_name[name]["factors"][key] for name in names]
        known = [float("inf") if value is None else value for value in needed]
        good.append(all(b <= a for a, b in pairwise(known)) and known[-1] < SAME * known[0])
        last = by_name[names[-1]]["speedup"][key]
        parts.append(f"{key}: {'never' if last is None else f'{last:.2f}x'}")
    steady = [f"{t:g}" for t, yes in zip(TOLERANCES, good, strict=True) if yes]
    measured = f"steady at errors {', '.join(steady) or 'none'}; {names[-1]} over p = 1 at "
    measured += ", ".join(parts)
    return _claim(claim, measured, "yes" if all(good) else "partly" if any(good) else "no")


def _slows(by_name: dict[str, Any]) -> dict[str, Any]:
    claim = "'the amount of relative improvements slows as stochasticity is increased further'"
    key = f"{TOLERANCES[2]:g}"
    shares = {}
    for p in PAPER_P:
        speedup = by_name[f"p = {p:g}"]["speedup"][key]
        shares[p] = 0.0 if speedup is None else speedup * p
    measured = f"speedup at error {key} as a share of the possible 1/p: "
    measured += ", ".join(f"p = {p:g}: {share:.0%}" for p, share in shares.items())
    slower = shares[PAPER_P[-1]] < 0.9 * shares[PAPER_P[0]]
    return _claim(claim, measured, "yes" if slower else "no")


def _worse(by_name: dict[str, Any], name: str) -> dict[str, Any]:
    claim = f"'for extreme values' ({name}) 'the chains perform worse than regular MCMC'"
    row, base = by_name[name], by_name[BASE]
    worse = []
    for key, factors in row["factors"].items():
        regular = base["factors"][key]
        if regular is not None and (factors is None or SAME * factors > regular):
            worse.append(key)
    measured = f"more factors than p = 1 for errors {', '.join(worse) or 'none'}; "
    measured += f"error at the end {row['end_error']:.2g} against {base['end_error']:.2g}"
    ends = row["end_error"] > base["end_error"]
    every = len(worse) == len(TOLERANCES)
    return _claim(claim, measured, "yes" if every else "in the long run" if ends else "no")


def _claim(claim: str, measured: str, holds: str) -> dict[str, Any]:
    return {"source": SOURCE, "paper": claim, "measured": measured, "holds": holds}


def show_claims(console: Console, rows: list[dict[str, Any]]) -> None:
    """The claims with the measured figures."""
    grid = Table(title=f"What the paper says ({SOURCE}, on its models)", title_justify="left")
    grid.add_column("the paper", ratio=2)
    grid.add_column("measured here", ratio=3)
    grid.add_column("holds")
    for row in rows:
        grid.add_row(row["paper"], row["measured"], row["holds"])
    console.print(grid)


def _look(family: str, curves: list[Curve]) -> list[Line]:
    """Lines of one family: regular MCMC black, the paper's solid, ours dashed where mixed."""
    colours = OKABE_ITO if family == "ours" else shades(len(curves))
    lines = []
    for colour, c in zip(colours, curves, strict=False):
        dashed = c.method.ours and family == "confidence"
        name = c.method.name + (" (ours)" if dashed else "")
        dash = (5, 3) if dashed or c.method.later else (1, 0)
        lines.append(Line(name, c.x, c.y, c.error, colour, dash))
    return lines


def figure(panels: list[Panel]) -> alt.VConcatChart:
    """One row of panels for the paper's models and one for the hard ones; columns by family."""
    rows = []
    for shown in panels:
        base = next(c for c in shown.curves if c.method.name == BASE)
        budget = float(base.x[-1])
        axes = Axes("factors examined", "error of marginal", (5, budget), RANGES[shown.key])
        row = []
        for family, words in FAMILIES:
            curves = [c for c in shown.curves if c.method.family == family and c is not base]
            lines = [Line(BASE, base.x, base.y, base.error, BLACK, width=2.6)]
            row.append(panel([shown.title, words], lines + _look(family, curves), axes))
        rows.append(alt.hconcat(*row, spacing=24))
    title = alt.TitleParams(
        "MCMCMC Figure 2: error of marginals on star models",
        subtitle="mean over models, bands of one standard error; errors of 0 are off the axis",
        fontSize=16,
        anchor="start",
    )
    return alt.vconcat(*rows, spacing=28).properties(title=title, background="white")
