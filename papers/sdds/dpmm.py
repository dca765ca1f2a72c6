"""Section 5.2 and Figure 6 of SDDS: a Dirichlet-process mixture of Bernoulli columns.

Five components with 15 columns of 0 and 1, as in Jain and Neal (2004): here each column of each
component is 1 with probability .95 or .05, drawn by coins. The concentration is 1 and the Beta
prior .1, as in the paper. All chains start with one cluster. RGSM (5,1,1) has one complete Gibbs
scan after a split-merge step; SDDS, whose step is cheaper, a Gibbs step of one row in twenty. Rows
of the table with "one scan" give SDDS the Gibbs steps of RGSM.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita import Model, Partition
from partita.estimators import exact
from partita.factors import bernoulli, conjugate, ewens
from partita.kernel import Floats
from partita.proposals import Proposal, gibbs_mention, mixture, restricted_gibbs, sdds
from partita.walks import compile_chain, start_chain, total_score

__all__ = ["METHODS", "QUICK", "Course", "Size", "draw", "reached", "run", "table"]

COMPONENTS, COLUMNS, SURE = 5, 15, 0.95
METHODS = ("SDDS", "SDDS, one scan", "RGSM (5,1,1)", "Gibbs")
GIBBS = 0.05
"""Gibbs steps after a step of SDDS, in scans."""
NEAR = 0.01
"""The high-probability region: within this share of the gain of the true components over the
start; a chain is stopped at half of that."""


@dataclass(frozen=True)
class Size:
    """Numbers of mentions; and for each the most CPU seconds of a chain, and how many chains."""

    mentions: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    seconds: tuple[float, ...] = (0.5, 2.0, 10.0, 60.0)
    seeds: tuple[int, ...] = (21, 21, 9, 3)


QUICK = Size((100, 1_000), (0.2, 0.5), (3, 2))


@dataclass(frozen=True)
class Course:
    """The share of the components' own gain that one chain has, by CPU seconds."""

    method: str
    seconds: Floats
    score: Floats
    clusters: int


def draw(n: int, seed: int) -> tuple[Any, Any]:
    """Columns of 0 and 1, and the component of each row."""
    rng = np.random.default_rng([seed, n])
    chance = np.where(rng.random((COMPONENTS, COLUMNS)) < 0.5, SURE, 1.0 - SURE)
    kind = rng.integers(0, COMPONENTS, n)
    return (rng.random((n, COLUMNS)) < chance[kind]).astype(np.int64), kind


def proposal(method: str, n: int) -> Proposal:
    """A split-merge step and on average one Gibbs scan; or Gibbs alone."""
    if method == "Gibbs":
        return gibbs_mention()
    smart = method.startswith("SDDS")
    jump = sdds(split="average", sizes=True) if smart else restricted_gibbs(5, sizes=True)
    share = GIBBS if method == "SDDS" else 1.0
    return mixture([jump, gibbs_mention()], [1.0, share * n])


def course(
    model: Model, drawn: Proposal, compiled: Any, kind: Any, seconds: float, seed: int
) -> tuple[Floats, Floats, int]:
    """Run one chain to the region or for at most `seconds` CPU seconds: times, scores, clusters."""
    n = kind.size
    start = Partition.one_entity(n)
    chain = start_chain(model, start, drawn, rng=seed, compiled=compiled)
    chain.compile()
    times, scores, spent, steps = [0.0], [0.0], 0.0, max(1, n // 100)
    goal = total_score(model, exact(), compiled, Partition.of(kind))
    goal -= total_score(model, exact(), compiled, start)
    while spent < seconds and scores[-1] < 1.0 - NEAR / 2.0:
        begin = time.thread_time()
        chain.run(steps)
        spent += time.thread_time() - begin
        times.append(spent)
        scores.append(chain.score / goal)
        if len(times) % 50 == 0:
            steps = int(1.3 * steps)
    return np.array(times), np.array(scores), int(chain.state.live[0])


def run(size: Size, seed: int, methods: Sequence[str] = METHODS) -> dict[int, list[Course]]:
    """All courses by number of mentions; methods take turns."""
    courses: dict[int, list[Course]] = {}
    compiled: dict[str, Any] = {}
    for n, seconds, seeds in zip(size.mentions, size.seconds, size.seeds, strict=True):
        data, kind = draw(n, seed)
        model = Model(conjugate(bernoulli(data, prior=0.1)), ewens(1.0))
        courses[n] = []
        for k in range(seeds):
            for method in methods:
                drawn = proposal(method, n)
                # data and proportions are no code: one compilation serves all sizes
                if drawn.name not in compiled:
                    compiled[drawn.name] = compile_chain(model, drawn, exact())
                ran = course(model, drawn, compiled[drawn.name], kind, seconds, seed + k)
                courses[n].append(Course(method, *ran))
    return courses


def reached(course: Course) -> float | None:
    """CPU seconds to the high-probability region."""
    inside = np.flatnonzero(course.score >= 1.0 - NEAR)
    return float(course.seconds[inside[0]]) if inside.size else None


def table(courses: dict[int, list[Course]]) -> list[dict[str, Any]]:
    """For each number of mentions and method: CPU seconds to the region, and where it ended."""
    rows = []
    for n, own_courses in courses.items():
        times: dict[str, list[float | None]] = {}
        for course in own_courses:
            times.setdefault(course.method, []).append(reached(course))
        base = _median(times["SDDS"]) if "SDDS" in times else None
        for method, seconds in times.items():
            own = [course for course in own_courses if course.method == method]
            middle = _median(seconds)
            rows.append(
                {
                    "mentions": n,
                    "method": method,
                    "seconds": seconds,
                    "median_seconds": middle,
                    "over_sdds": middle / base if middle is not None and base else None,
                    "end": float(np.mean([course.score[-1] for course in own])),
                    "clusters": [course.clusters for course in own],
                    "spent": [round(float(course.seconds[-1]), 3) for course in own],
                }
            )
    return rows


def _median(values: list[float | None]) -> float | None:
    """The median, a chain that never arrived counting as late; None if most never did."""
    known = sorted(np.inf if value is None else value for value in values)
    middle = known[len(known) // 2]
    return None if middle == np.inf else float(middle)
