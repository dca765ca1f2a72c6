"""Results of the experiments of SDDS: tables, verdicts on the paper's claims, and figures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
from rich.console import Console
from rich.table import Table

from papers.plots import OKABE_ITO, Axes, Line, panel
from papers.sdds.dpmm import METHODS as DPMM_METHODS
from papers.sdds.dpmm import Course, reached
from papers.sdds.emm import METHODS, Curve

__all__ = [
    "claims_dpmm",
    "claims_emm",
    "emm_rows",
    "figure_dpmm",
    "figure_emm",
    "show_claims",
    "show_dpmm",
    "show_emm",
]

COLOURS = dict(zip([m.name for m in METHODS], OKABE_ITO, strict=True))
DPMM_COLOURS = dict(zip(DPMM_METHODS, OKABE_ITO, strict=False))
CLOSE = 0.5
"""A chain is at the posterior when its mean of K is this near to that of the ramped chains."""


def emm_rows(measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each method, number of mentions and start."""
    rows = []
    for row in measured:
        curve: Curve = row["curve"]
        rows.append(
            {
                "mentions": curve.n,
                "k0": curve.k0,
                "method": curve.method.name,
                "iterations": int(curve.iterations[-1]),
                "burn_in": curve.burned,
                "k": [round(float(k), 3) for k in curve.second_half],
                **{key: row[key] for key in ("splits", "merges", "proposed", "microseconds")},
            }
        )
    return rows


def show_emm(console: Console, rows: list[dict[str, Any]]) -> None:
    """Figures 3-5 as a table."""
    grid = Table(title="Entity/mention model", title_justify="left", header_style="bold")
    grid.add_column("method")
    for name in (
        *("mentions", "K0", "iterations\n(burn-in)", "mean of K, 2nd half\nby chain"),
        *("accepted\nsplits", "accepted\nmerges", "of\nproposals", "µs per\niteration"),
    ):
        grid.add_column(name, justify="right")
    last = None
    for row in rows:
        if last not in (None, (row["mentions"], row["method"])):
            grid.add_section()
        last = row["mentions"], row["method"]
        burned = f" ({row['burn_in']:,})" if row["burn_in"] else ""
        grid.add_row(
            row["method"],
            str(row["mentions"]),
            str(row["k0"]),
            f"{row['iterations']:,}{burned}",
            " ".join(f"{k:.2f}" for k in row["k"]),
            f"{row['splits']:.3%}",
            f"{row['merges']:.3%}",
            f"{row['proposed']:,}",
            f"{row['microseconds']:.1f}",
        )
    console.print(grid)


def claims_emm(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The paper's sentences on Figures 3-5 against the rows."""
    most = max(row["mentions"] for row in rows)
    here = [row for row in rows if row["mentions"] == most]
    goal = float(np.median([k for r in here if "ramped" in r["method"] for k in r["k"]]))

    def arrived(name: str) -> list[str]:
        return [
            f"{row['k0']}: {sum(abs(k - goal) < CLOSE for k in row['k'])}/{len(row['k'])}"
            for row in here
            if row["method"] == name
        ]

    def all_there(name: str) -> bool:
        own = [row for row in here if row["method"] == name]
        return all(abs(k - goal) < CLOSE for row in own for k in row["k"])

    micro = {row["method"]: row["microseconds"] for row in here}
    ratio = micro["RGSM (5,1,1)"] / micro["SDDS"]
    claims = []
    for name, claim in (
        ("SDDS", "SDDS converges 'to the true posterior regardless of the initial value'"),
        ("SDDS, ramped burn-in", "(ours) the same, with K^-N ramped from 0 to 1 in the burn-in"),
    ):
        measured = f"chains at K = {goal:.2f}, by K0: {', '.join(arrived(name))}"
        claims.append({"paper": claim, "measured": measured, "holds": _yes(all_there(name))})
    stuck = f"chains at K = {goal:.2f}, by K0: {', '.join(arrived('RGSM (5,1,1)'))}"
    claim = f"at N = {most}, 'RGSM sampler is always trapped in initial K0'"
    away = [r for r in here if r["method"] == "RGSM (5,1,1)" and abs(r["k0"] - goal) > CLOSE]
    trapped = all(abs(k - row["k0"]) < CLOSE for row in away for k in row["k"])
    claims.append({"paper": claim, "measured": stuck, "holds": _yes(trapped)})
    measured = f"{micro['SDDS']:.2f} against {micro['RGSM (5,1,1)']:.1f} µs: {ratio:.0f}x; "
    measured += f"with one Gibbs step each {micro['RGSM, one Gibbs step'] / micro['SDDS']:.0f}x"
    claim = "SDDS 10.02 ms and RGSM 488.63 ms per step (49x)"
    claims.append({"paper": claim, "measured": measured, "holds": _yes(ratio >= 10)})
    return claims


def claims_dpmm(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The paper's sentence on Figure 6 against the rows."""
    by = {(row["mentions"], row["method"]): row["median_seconds"] for row in rows}
    sizes = sorted({row["mentions"] for row in rows})
    claims = []
    for baseline in ("RGSM (5,1,1)", "Gibbs"):
        gains, ratios, parts = [], [], []
        for n in sizes:
            ours, theirs = (
                np.inf if seconds is None else seconds
                for seconds in (by[n, "SDDS"], by[n, baseline])
            )
            gains.append(theirs - ours if theirs < np.inf else np.inf)
            ratios.append(theirs / ours if theirs < np.inf else np.inf)
            parts.append(f"{n:,}: {_seconds(ours)} / {_seconds(theirs)}")
        claim = (
            f"'the advantage of SDDS over {baseline.split(' ')[0]} increases with data set size'"
        )
        holds = f"in seconds {_growing(sizes, gains, 0.0)}, by ratio {_growing(sizes, ratios, 1.0)}"
        claims.append({"paper": claim, "measured": "; ".join(parts), "holds": holds})
    return claims


def _growing(sizes: list[int], gains: list[float], least: float) -> str:
    """From which size on the gains are above the least, and grow with every step."""
    for k in range(len(sizes) - 1):
        if gains[k] > least and all(a < b for a, b in pairwise(gains[k:])):
            return "yes" if k == 0 else f"from {sizes[k]:,} on"
    return "no"


def _ends(values: list[float | None]) -> str:
    known = sorted(np.inf if value is None else value for value in values)
    return " - ".join("never" if s == np.inf else f"{s:.3g}" for s in (known[0], known[-1]))


def _seconds(value: float | None) -> str:
    return "never" if value is None or value == np.inf else f"{value:.2g} s"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def show_claims(console: Console, rows: list[dict[str, str]]) -> None:
    """The claims with the measured figures."""
    grid = Table(title="What the paper says (section 5)", title_justify="left")
    grid.add_column("the paper", ratio=2)
    grid.add_column("measured here", ratio=3)
    grid.add_column("holds")
    for row in rows:
        grid.add_row(row["paper"], row["measured"], row["holds"])
    console.print(grid)


def show_dpmm(console: Console, rows: list[dict[str, Any]]) -> None:
    """Figure 6 as a table."""
    grid = Table(title="Dirichlet-process mixture of Bernoulli columns", title_justify="left")
    grid.add_column("method")
    for name in (
        *("mentions", "CPU seconds to the region,\nfirst to last chain", "median"),
        *("over\nSDDS", "score at the end\n(components = 1)", "clusters", "chains"),
    ):
        grid.add_column(name, justify="right")
    for k, row in enumerate(rows):
        if k and row["mentions"] != rows[k - 1]["mentions"]:
            grid.add_section()
        over = "-" if row["over_sdds"] is None else f"{row['over_sdds']:.1f}x"
        grid.add_row(
            row["method"],
            f"{row['mentions']:,}",
            _ends(row["seconds"]),
            _seconds(row["median_seconds"]),
            over,
            f"{row['end']:.4f}",
            f"{min(row['clusters'])}-{max(row['clusters'])}",
            str(len(row["seconds"])),
        )
    console.print(grid)


def figure_emm(measured: list[dict[str, Any]]) -> alt.VConcatChart:
    """Figures 3 and 4, the mean of K by number of mentions and by start, and Figure 5."""
    curves: list[Curve] = [row["curve"] for row in measured]
    rows = []
    sizes = sorted({c.n for c in curves})
    starts = sorted({c.k0 for c in curves})
    middle = starts[len(starts) // 2 - 1]
    first = [
        (f"N = {n}, K0 = {middle}", [c for c in curves if (c.n, c.k0) == (n, middle)])
        for n in sizes
    ]
    second = [
        (f"N = {sizes[-1]}, K0 = {k}", [c for c in curves if (c.n, c.k0) == (sizes[-1], k)])
        for k in starts
    ]
    for shown in (first, second):
        parts = []
        for title, own in shown:
            top = max(c.iterations[-1] for c in own)
            low = min(c.iterations[0] for c in own)
            axes = Axes("iterations", "mean of K", (low, top), (0.9, 60.0), width=250, height=240)
            parts.append(panel(title, [_line(c) for c in own], axes))
        rows.append(alt.hconcat(*parts, spacing=20))
    rows.append(alt.hconcat(*_by_size(measured, sizes), spacing=20))
    return _titled(rows, "SDDS Figures 3 and 4 (mean of K so far, over chains) and 5")


def _by_size(rows: list[dict[str, Any]], sizes: list[int]) -> list[alt.LayerChart]:
    """Time per iteration and accepted splits and merges over the number of mentions (Figure 5)."""
    parts = []
    for key, title, span in (
        ("microseconds", "µs per iteration", (0.5, 1000.0)),
        ("splits", "accepted splits, share of proposals", (1e-4, 0.2)),
        ("merges", "accepted merges, share of proposals", (1e-4, 0.2)),
    ):
        lines = []
        for method in METHODS:
            by = {row["curve"].n: row[key] for row in rows if row["curve"].method is method}
            zeros, colour = [0.0] * len(sizes), COLOURS[method.name]
            lines.append(Line(method.name, sizes, [by[n] for n in sizes], zeros, colour))
        axes = Axes("mentions", title, (sizes[0], sizes[-1]), span, width=330, height=240)
        parts.append(panel(f"{title} (none is off the axis)", lines, axes))
    return parts


def _line(curve: Curve) -> Line:
    colour, ramped = COLOURS[curve.method.name], curve.method.ramp
    zeros = np.zeros(curve.iterations.size)
    dash = (5, 3) if ramped else (1, 0)
    return Line(curve.method.name, curve.iterations, curve.running, zeros, colour, dash)


def figure_dpmm(courses: dict[int, list[Course]]) -> alt.VConcatChart:
    """Figure 6: how much of the score is still missing over CPU seconds, for the median chains."""
    parts = []
    for n, runs in courses.items():
        lines, shown = [], [_middle(runs, method) for method in DPMM_METHODS]
        for run in shown:
            every = slice(1, None, max(1, run.seconds.size // 400))
            y = np.maximum(1e-9, 1.0 - run.score[every])
            colour, zeros = DPMM_COLOURS[run.method], np.zeros(y.size)
            lines.append(Line(run.method, run.seconds[every], y, zeros, colour))
        low = min(float(run.seconds[1]) for run in shown)
        top = max(float(run.seconds[-1]) for run in shown)
        axes = Axes("CPU seconds", "share of the score missing", (low, top), (1e-3, 1.0), 300, 260)
        parts.append(panel(f"N = {n:,}", lines, axes))
    rows = [alt.hconcat(*parts[k : k + 2], spacing=20) for k in range(0, len(parts), 2)]
    return _titled(
        rows, "SDDS Figure 6: the way to the high-probability region (0.01), median chains"
    )


def _middle(courses: list[Course], method: str) -> Course:
    """The chain of a method that reached the region as the middle one."""
    own = [course for course in courses if course.method == method]
    times = [reached(course) for course in own]
    order = np.argsort([np.inf if time is None else time for time in times], kind="stable")
    return own[order[len(own) // 2]]


def _titled(rows: list[Any], text: str) -> alt.VConcatChart:
    title = alt.TitleParams(text, fontSize=16, anchor="start")
    return alt.vconcat(*rows, spacing=24).properties(title=title, background="white")
