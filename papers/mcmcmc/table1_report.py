"""Results of the experiment of Table 1: the paper's table beside ours, folds, verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from papers.mcmcmc.table1 import BASE, GOAL, Fold, Row

__all__ = ["NOTES", "claims", "show", "show_claims"]

NOTES = """\
The paper's protocol: weights are learned by SampleRank on all citations, which are then resolved,
since inference is what is measured. Chains start with every citation alone and move a random
citation to a random entity; the temperature falls from .3 to .03 with the share of all steps.
Reached: chains that got to 90% within the steps, of those run; medians of these, fewest and most in
brackets. CPU is that of the walk alone. Best: the largest F1 of any chain on its way.
Stays: F1 of a chain that starts at the truth, after many steps at the lowest temperature.
Words have weights of their own, as in Poon and Domingos (2007), whose exact features are not known.
What a venue is (thesis, report, conference, journal) comes from a list of words, which was written
with these citations in view; settings were chosen with one seed on all citations.
Scheduled: all factors from a quarter of the steps on. Aggregated: the same model and weights,
scored from sums of the entities, two factors for each step whatever their size. To candidates: the
same, with moves to the entity of a citation whose title has a cosine of at least .3.
Why few factors fail here: a citation in a wrong entity makes its neighbours leave. A neighbour
whose sampled factor is with that citation moves to any proposed entity, because |F| times that
score dominates; there it does the same to others. A citation returns only when a proposal names its
own entity, one proposal in the number of entities. See the column Stays."""


def speedup(row: Row, base: Row, cost: str = "factors") -> float | None:
    """How many times less than the regular chain."""
    mine, theirs = getattr(row, cost), getattr(base, cost)
    return None if not mine or not theirs else float(theirs / mine)


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def show(console: Console, rows: list[Row], folds: list[Fold]) -> None:
    """Print the paper's table beside ours, then the folds."""
    grid = Table(title="Table 1: factors examined until 90% B-cubed F1", title_justify="left")
    grid.add_column("method")
    titles = (
        "paper's factors|speedup|ours: reached|factors|speedup|steps|CPU s|CPU ratio|best|stays"
    )
    for title in titles.split("|"):
        grid.add_column(title, justify="right")
    base = rows[0]
    for before, row in zip([rows[0], *rows], rows, strict=False):
        if row.family != before.family:
            grid.add_section()
        grid.add_row(*_cells(row, base))
    console.print(grid)
    grid = Table(title="Three folds: weights of two resolve the third", title_justify="left")
    for title in ("citations", "entities", "found", "precision", "recall", "B-cubed F1"):
        grid.add_column(title, justify="right")
    for fold in folds:
        scores = (f"{value:.3f}" for value in (fold.precision, fold.recall, fold.f1))
        grid.add_row(str(fold.citations), str(fold.entities), str(fold.clusters), *scores)
    console.print(grid)
    console.print(f"mean F1 of the folds: {np.mean([fold.f1 for fold in folds]):.3f}")
    console.print(NOTES, highlight=False)


def _cells(row: Row, base: Row) -> list[str]:
    theirs = ["", ""]
    if row.paper is not None and base.paper is not None:
        theirs = [f"{row.paper:,}", f"{base.paper / row.paper:.2f}x"]
    mine = ["never", "-", "-", "-", "-"]
    if row.factors is not None:
        spread = f"{row.factors:,.0f} ({row.least:,.0f}-{row.most:,.0f})"
        ratio = _times(speedup(row, base, "seconds"))
        mine = [
            spread,
            _times(speedup(row, base)),
            f"{row.steps:,.0f}",
            f"{row.seconds:.2f}",
            ratio,
        ]
    ends = [f"{row.best:.3f}", f"{row.kept:.3f}"]
    return [row.method, *theirs, f"{row.reached} of {row.runs}", *mine, *ends]


def claims(rows: list[Row], folds: list[Fold]) -> list[dict[str, Any]]:
    """The claims of this table, from its own rows."""
    by = {row.method: row for row in rows}
    base = by[BASE]
    verdicts = [
        _claim(f"{GOAL:.0%} B-cubed F1 by regular MCMC", f"best {base.best:.3f}", base.reached)
    ]
    for name in ("p = 0.1", "i = 20"):
        row = by[name]
        assert row.paper is not None and base.paper is not None
        theirs, mine = base.paper / row.paper, speedup(row, base)
        text = f"never; best F1 {row.best:.3f}, from the truth {row.kept:.3f}"
        text = text if mine is None else _times(mine)
        claim = f"{theirs:.2f}x fewer factors at {name}"
        verdicts.append(_claim(claim, text, mine is not None and mine >= theirs))
    ways = [(speedup(row, base) or 0.0, row) for row in rows]
    most, row = max(ways, key=lambda way: way[0])
    text = f"{row.method}: {most:.2f}x fewer factors, {_times(speedup(row, base, 'seconds'))} CPU"
    verdicts.append(_claim("as many times fewer (7.29x) by some way of ours", text, most >= 7.29))
    mean = float(np.mean([fold.f1 for fold in folds]))
    verdicts.append(_claim("90% on folds that were not learned from", f"{mean:.3f}", mean >= GOAL))
    return verdicts


def _claim(claim: str, measured: str, holds: Any) -> dict[str, Any]:
    return {"claim": claim, "measured": measured, "holds": bool(holds)}


def show_claims(console: Console, verdicts: list[dict[str, Any]]) -> None:
    """The claims with the measured figures."""
    for verdict in verdicts:
        mark = "yes" if verdict["holds"] else "NO "
        console.print(f"{mark}  {verdict['claim']}: {verdict['measured']}", highlight=False)
