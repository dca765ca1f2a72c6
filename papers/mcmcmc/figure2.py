"""Figure 2 of MCMCMC: error of marginals on star models against factors examined.

The paper's section 4.1: "star-shaped models with a single unobserved variable", 100 variables of
100 factors each, scores from N(0.5, 1) for the positive label and N(-0.5, 1) for the negative;
Gibbs sampling; L1 error to the true marginals, with standard errors over 100 models. The error
here is |P^(label 1) - P(label 1)|, half of the sum over both labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from papers.mcmcmc.stars import PER_OCTAVE, Stars, Track, draw_stars, grid, track
from partita.estimators import Estimator, confidence, exact, minibatch, scheduled, uniform
from partita.estimators.sampled import Z_95
from partita.kernel import Floats
from partita.proposals import Proposal, flip, gibbs_label

__all__ = [
    "BASE",
    "PAPER_I",
    "PAPER_P",
    "QUICK",
    "TOLERANCES",
    "Curve",
    "Method",
    "Panel",
    "Size",
    "expected_sample",
    "intervals",
    "methods",
    "run",
    "table",
]

TOLERANCES = (0.1, 0.05, 0.02, 0.01, 0.001)

PAPER_P = (0.75, 0.5, 0.2, 0.1)
PAPER_I = (0.001, 0.005, 0.01, 0.05, 0.1)
OUR_I = (0.5, 1.0, 2.0, 5.0)
"""Intervals beyond those of the paper's Figure 2 (its Tables 1 and 2 use such)."""

BASE = "p = 1"
FLIP = "p = 1, flip"
LATER = "p = 1, 2nd half"


@dataclass(frozen=True)
class Size:
    """How much is run: models, factors of each, and factors examined in each model's chain."""

    models: int = 100
    factors: int = 100
    budget: int = 1_000_000


QUICK = Size(models=16, budget=16_000)


@dataclass(frozen=True)
class Method:
    """A row of the table: an estimator and the proposal it decides.

    `setting` is the p or i of the paper's estimators. `later` uses only the states since half of
    the factors (the earlier are burn-in), and `reference` names the row that differs in the
    estimator alone.
    """

    name: str
    family: str
    estimator: Estimator
    proposal: Proposal
    setting: float = 1.0
    ours: bool = False
    later: bool = False
    reference: str = BASE


@dataclass(frozen=True)
class Curve:
    """Mean error over models and its standard error, by mean number of factors examined."""

    method: Method
    per_step: float
    x: Floats
    y: Floats
    error: Floats


@dataclass(frozen=True)
class Panel:
    """One set of stars and the curves of every method."""

    key: str
    title: str
    stars: Stars
    curves: list[Curve]


def methods() -> list[Method]:
    """The paper's estimators, and ours."""
    gibbs, turn = gibbs_label(), flip()
    rows = [Method(BASE, "uniform", exact(), gibbs)]
    rows += [Method(f"p = {p:g}", "uniform", uniform(p), gibbs, p) for p in PAPER_P]
    for i in (*PAPER_I, *OUR_I):
        added = i in OUR_I
        rows.append(Method(f"i = {i:g}", "confidence", confidence(i), gibbs, i, ours=added))
    ours = [
        Method("scheduled .1 to 1", "ours", scheduled(), gibbs),
        Method(LATER, "ours", exact(), gibbs, later=True, reference=LATER),
        Method("scheduled, 2nd half", "ours", scheduled(), gibbs, later=True, reference=LATER),
        Method(FLIP, "ours", exact(), turn, reference=FLIP),
        Method("minibatch χ = 0", "ours", minibatch(0.0), turn, reference=FLIP),
        Method("minibatch χ = .03", "ours", minibatch(0.03), turn, reference=FLIP),
    ]
    return rows + [replace(row, ours=True) for row in ours]


def run(size: Size, seed: int, rows: Sequence[Method] | None = None) -> list[Panel]:
    """Both panels: the paper's stars, and stars with marginals away from 0 and 1 (ours).

    The hard stars have scores divided by ten, without the labels' difference of means: with it
    the scores of 100 factors would still sum to about 10, and the marginals to 0.9999.
    """
    chosen = list(rows) if rows is not None else methods()
    paper = draw_stars(seed, size.models, size.factors, mean=0.5, deviation=1.0)
    hard = draw_stars(seed + 1, size.models, size.factors, 0.0, 0.1, within=(0.05, 0.95))
    return [
        Panel("paper", "The paper's models", paper, curves(paper, chosen, size, seed)),
        Panel("hard", "Hard models (not in the paper)", hard, curves(hard, chosen, size, seed)),
    ]


def curves(stars: Stars, rows: Sequence[Method], size: Size, seed: int) -> list[Curve]:
    """Run the chains of the rows, each once."""
    points = grid(size.budget)
    tracks: dict[tuple[str, str], Track] = {}
    curves = []
    for number, row in enumerate(rows):
        key = row.estimator.name, row.proposal.name
        if key not in tracks:
            own = seed + 1000 * (number + 1)
            tracks[key] = track(stars, row.proposal, row.estimator, points, own)
        curves.append(curve(row, tracks[key], stars.marginals))
    return curves


def curve(row: Method, tracked: Track, marginals: Floats) -> Curve:
    """The mean over models of |running marginal - marginal|."""
    steps = tracked.visits[:, -1].sum() - len(marginals)
    used = tracked.later() if row.later else tracked
    x = used.examined.mean(0)
    # a step can examine more than lies between two points: such points occur twice
    fresh = np.concatenate([[True], np.diff(x) > 0]) & (used.visits > 0).all(0)
    errors = np.abs(used.ones[:, fresh] / used.visits[:, fresh] - marginals[:, None])
    spread = errors.std(0, ddof=1) / np.sqrt(len(marginals))
    per_step = float(tracked.examined[:, -1].sum() / steps)
    return Curve(row, per_step, x[fresh], errors.mean(0), spread)


def reached(curve: Curve, tolerance: float) -> float | None:
    """Factors after which the mean error is within the tolerance and stays there, if it does."""
    above = np.flatnonzero(curve.y > tolerance)
    if not above.size:
        return float(curve.x[0])
    last = int(above[-1])
    if last + 1 == curve.y.size:
        return None
    pair = slice(last, last + 2)
    y = np.log(np.maximum(curve.y[pair], 1e-12))
    share = (y[0] - np.log(tolerance)) / (y[0] - y[1])
    x = np.log(curve.x[pair])
    return float(np.exp(x[0] + share * (x[1] - x[0])))


def fall(curve: Curve) -> float | None:
    """Error at the end over error at a quarter of the factors.

    0.25 where the error falls as 1/n (the start's share), 0.5 as 1/sqrt(n), 1 at a floor.
    """
    back = 1 + 2 * PER_OCTAVE
    if curve.y.size < back or curve.y[-back] == 0:
        return None
    return float(curve.y[-1] / curve.y[-back])


def table(panel: Panel) -> list[dict[str, Any]]:
    """The rows of a panel: factors to reach each tolerance, and the error at the end.

    `speedup` is the factors of p = 1 over those of the row, as in the paper's tables;
    `fair_speedup` takes the row's own reference instead, which differs only in the estimator.
    """
    by_name = {c.method.name: c for c in panel.curves}
    rows = []
    for c in panel.curves:
        base, fair = by_name[BASE], by_name.get(c.method.reference, by_name[BASE])
        reach = {f"{t:g}": reached(c, t) for t in TOLERANCES}
        end = float(c.y[-1])
        rows.append(
            {
                "method": c.method.name,
                "family": c.method.family,
                "ours": c.method.ours,
                "reference": c.method.reference,
                "factors_per_step": c.per_step,
                "factors": reach,
                "speedup": {f"{t:g}": _over(reached(base, t), reach[f"{t:g}"]) for t in TOLERANCES},
                "fair_speedup": {
                    f"{t:g}": _over(reached(fair, t), reach[f"{t:g}"]) for t in TOLERANCES
                },
                "end_error": end,
                "end_standard_error": float(c.error[-1]),
                "end_ratio": _over(end, float(base.y[-1])),
                "fall": fall(c),
            }
        )
    return rows


def _over(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else a / b


def expected_sample(i: float, factors: int, spread: float) -> float:
    """Factors that equation 9 requires, if the sample's deviation were the population's.

    2 z s / sqrt(m) sqrt((n - m) / (n - 1)) = i, solved for m; never fewer than 2.
    """
    return max(2.0, factors / (1.0 + (factors - 1) * (i / (2.0 * Z_95 * spread)) ** 2))


def early_stops(i: float, stars: Stars) -> tuple[float, float]:
    """Share of steps that equation 9 ends after two factors, and the error that this causes.

    Two factors that happen to agree have a narrow interval, whatever the other 98 are. All pairs of
    factors are enumerated; the error is the mean over models.
    """
    changes = stars.scores[:, 1] - stars.scores[:, 0]
    n = changes.shape[1]
    left, right = np.triu_indices(n, 1)
    a, b = changes[:, left], changes[:, right]
    # s / sqrt(2) of two values is half of their difference
    stopped = 2.0 * Z_95 * np.abs(a - b) / 2.0 * np.sqrt((n - 2) / (n - 1)) <= i
    guess = expit(n * (a + b) / 2.0)
    moved = (stopped * (guess - stars.marginals[:, None])).mean(1)
    return float(stopped.mean()), float(np.abs(moved).mean())


def intervals(panel: Panel) -> list[dict[str, float]]:
    """For each i: the factors that equation 9 requires, those examined, and the early stops."""
    n = panel.stars.scores.shape[2]
    rows = []
    for c in panel.curves:
        if c.method.family != "confidence":
            continue
        i = c.method.setting
        share, error = early_stops(i, panel.stars)
        rows.append(
            {
                "i": i,
                "expected": expected_sample(i, n, panel.stars.spread),
                "examined": c.per_step,
                "stops_at_two": share,
                "error_of_stops": error,
                "end_error": float(c.y[-1]),
            }
        )
    return rows
