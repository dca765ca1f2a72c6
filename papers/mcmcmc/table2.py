"""Table 2 of MCMCMC: factors examined until the B-cubed F1 of author mentions reaches 80%.

Generated author mentions replace DBLP with the labels of REXA, of which all are labelled.
The model is pairwise, every factor computed when a move touches it; weights are learned by
SampleRank from mentions of another seed. The sampler is that of the paper: two mentions of
a canopy, from singletons. The last rows need no sampling: the same
model, exact, with aggregated sums.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from papers.hcoref.data import SCORED, Case, development, made
from papers.hcoref.lazy import lazy_pairwise, paper_moves
from partita.estimators import Estimator, confidence, exact, uniform
from partita.metrics import bcubed
from partita.scale import Method, aggregated_pairwise, local, plan, scratch
from partita.scale.fitting import train_weights
from partita.walks import start_chain

__all__ = ["NOTES", "QUICK", "Size", "claims", "run", "show", "show_claims"]

GOAL = 0.8
STALLED = 24
"""Records without a better F1 after which a chain stops."""
BASE, AGGREGATED = "all factors", "all factors, aggregated"

PAPER = {
    BASE: 1.0,
    **{f"p = {p:g}": x for p, x in ((0.5, 2.02), (0.2, 4.26), (0.1, 6.77))},
    **{f"p = {p:g}": x for p, x in ((0.05, 9.17), (0.02, 9.78))},
    **{f"i = {i:g}": x for i, x in ((1e-5, 0.96), (1e-4, 0.98), (1e-3, 1.01))},
    **{f"i = {i:g}": x for i, x in ((0.1, 1.38), (1.0, 5.26), (10.0, 7.76), (100.0, 13.16))},
}
"""Speedups in factors, by the paper."""

NOTES = """\
Generated mentions stand for DBLP and REXA; weights by SampleRank on another seed. Factors are those
examined until B-cubed F1 is 80% for the first time, looked at four times by step and mention; CPU
seconds are those of the walk, without compilation and evaluation. best: the highest F1 seen."""


@dataclass(frozen=True)
class Size:
    """Mentions, those to learn from, and the most CPU seconds of a chain."""

    mentions: int = 145_000
    learned: int = 100_000
    most: float = 120.0


QUICK = Size(3_000, 3_000, 2.0)


def estimators() -> dict[str, Callable[[], Estimator]]:
    """The rows of the paper."""
    makers: dict[str, Callable[[], Estimator]] = {BASE: exact}
    for name in PAPER:
        kind, _, value = name.partition(" = ")
        if value:
            make = uniform if kind == "p" else confidence
            makers[name] = lambda make=make, value=value: make(float(value))  # type: ignore[misc]
    return makers


def run(size: Size, seed: int) -> list[dict[str, Any]]:
    """One row for each estimator, and one for exact aggregated scores."""
    labelled = development(size.mentions, seed, size.learned)
    weights, cost = train_weights(labelled.mentions, labelled.truth, seed=seed)
    case = made(size.mentions, SCORED + seed)
    words = case.mentions.vocabulary
    lazy = lazy_pairwise(words, weights, cost)
    summed = aggregated_pairwise(words, weights, cost=cost, proposal=paper_moves)
    rows = [_row(name, case, lazy, make(), size, seed) for name, make in estimators().items()]
    rows.append(_row(AGGREGATED, case, summed, exact(), size, seed))
    base = rows[0]
    for row in rows:
        for unit in ("factors", "seconds"):
            both = base[unit] is not None and row[unit] is not None
            row[f"{unit}_speedup"] = base[unit] / row[unit] if both else None
        row["paper"] = PAPER.get(row["method"])
    # an aggregated factor replaces all pairs of an entity
    rows[-1]["factors_speedup"] = None
    return rows


def _row(
    name: str, case: Case, method: Method, estimator: Estimator, size: Size, seed: int
) -> dict[str, Any]:
    """Run one chain to the goal."""
    n = case.mentions.size
    (everything,) = plan(case.mentions, n + 1)
    chunk = local(case.mentions, everything, scratch(case.mentions))
    model, proposal = method.model(chunk), method.proposal(chunk)
    chain = start_chain(model, method.start(chunk), proposal, rng=seed, estimator=estimator)
    chain.compile()
    labels, best, since, spent = np.arange(n), 0.0, 0, 0.0
    while best < GOAL and since < STALLED and spent < size.most:
        began = time.thread_time()
        chain.run(max(1, n // 4))
        spent += time.thread_time() - began
        labels[chunk.rows] = n + method.labels(chain.state)
        f1 = bcubed(labels, case.truth).f1
        since = 0 if f1 > best else since + 1
        best = max(best, f1)
    there = best >= GOAL
    return {
        "method": name,
        "factors": chain.examined if there else None,
        "seconds": spent if there else None,
        "steps_per_mention": chain.steps / n,
        "best": best,
    }


def claims(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims of the paper about its table, and whether ours agrees."""
    by_name = {row["method"]: row for row in rows}

    def most(kind: str) -> float:
        speeds = [row["factors_speedup"] or 0.0 for row in rows if row["method"].startswith(kind)]
        return max(speeds, default=0.0)

    summed, base = by_name[AGGREGATED]["seconds"], by_name[BASE]["seconds"]
    quickest = min((row["seconds"] for row in rows[:-1] if row["seconds"]), default=None)
    return [
        _claim("uniform sampling saves factors (paper: up to 9.78x)", most("p"), 1.0),
        _claim("sampling by variance saves factors (paper: up to 13.16x)", most("i"), 1.0),
        _claim("variance saves more factors than uniform", most("i"), most("p")),
        _claim("aggregated exact scores take less CPU than any sampling", quickest, summed),
        _claim("and less than all factors", base, summed),
    ]


def _claim(words: str, value: float | None, than: float | None) -> dict[str, Any]:
    holds = value is not None and than is not None and value > than
    return {"claim": words, "value": value, "than": than, "holds": "yes" if holds else "no"}


def show(console: Console, size: Size, rows: Sequence[dict[str, Any]]) -> None:
    """Print the table with the paper's column."""
    title = f"to 80% B-cubed F1 on {size.mentions:,} mentions (paper: 5 million of DBLP)"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for head in ("factors", "speedup", "paper", "CPU s", "speedup", "steps/mention", "best F1"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row["method"],
            _number(row["factors"], ",d"),
            _number(row["factors_speedup"], ".2f"),
            _number(row["paper"], ".2f"),
            _number(row["seconds"], ".2f"),
            _number(row["seconds_speedup"], ".2f"),
            f"{row['steps_per_mention']:.1f}",
            f"{row['best']:.3f}",
        )
    console.print(table)


def show_claims(console: Console, verdicts: Sequence[dict[str, Any]]) -> None:
    """Print the claims."""
    for verdict in verdicts:
        numbers = f"{_number(verdict['value'], '.4g')} against {_number(verdict['than'], '.4g')}"
        console.print(f"{verdict['holds']}: {verdict['claim']} ({numbers})", highlight=False)


def _number(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)
