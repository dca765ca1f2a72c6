"""Tables 1 and 2 of MLNAGG: one set is tested, the others of its kind are learned from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from papers.mlnagg import data
from papers.mlnagg.data import Problem
from papers.mlnagg.models import METHODS, WALK, Method, merged, pieces_of, walked
from partita.learning import Trained, piecewise
from partita.metrics import pairwise
from partita.states import Partition

__all__ = ["COUNTED", "QUICK", "Row", "Size", "run"]

STRENGTHS, BASE = (1.0, 10.0, 100.0), 1.0
"""Strengths of L2 to choose from, and that of a base to which another method is pulled."""

INNER = 3
"""How many of the training sets are left out in turn to choose a strength."""


@dataclass(frozen=True)
class Size:
    """How much is run."""

    records: int | None = None
    """The most records of a set."""
    strengths: tuple[float, ...] = STRENGTHS


QUICK = Size(records=60, strengths=(1.0,))


@dataclass(frozen=True)
class Row:
    """The result of one method on one set."""

    kind: str
    data: str
    method: str
    records: int
    entities: int
    precision: float
    recall: float
    f1: float
    strength: float
    training: float
    """CPU seconds of sampling pieces and of L-BFGS, with the choice of its L2."""
    inference: float
    """CPU seconds of greedy merging, or of the walk that continues it."""
    gain: float = 0.0
    """Gain of the walk over the model's score of the greedy result."""


COUNTED = ("citeseer", "dblp")
"""The kinds of data of which the paper's seven sets are."""
KINDS: dict[str, tuple[Callable[[int | None], list[Problem]], int]] = {
    "citeseer": (data.citeseer, len(data.SECTIONS)),
    "dblp": (data.dblp, data.NAMES),
    "cora": (data.cora, data.FOLDS),
}
"""How each kind is read, and how many of its sets are tested."""


class Course:
    """One method on the sets of one kind: its training pieces, and its weights by set."""

    def __init__(self, method: Method, problems: list[Problem], size: Size, seed: int) -> None:
        self.method, self.problems, self.size = method, problems, size
        began = time.process_time()
        self.pieces = [pieces_of(method, problem, seed) for problem in problems]
        self.sampling = (time.process_time() - began) / len(problems)
        self.base = Course(method.base, problems, size, seed) if method.base else None
        self.known: dict[tuple[tuple[int, ...], float], Trained] = {}

    def learned(self, sets: Sequence[int], l2: float) -> Trained:
        """The weights from some sets; L2 pulls to those of the base, learned from the same."""
        key = tuple(sets), l2
        if key not in self.known:
            self.known[key] = self._learn(sets, l2)
        return self.known[key]

    def _learn(self, sets: Sequence[int], l2: float) -> Trained:
        own = [self.pieces[k] for k in sets]
        toward = self.base.learned(sets, BASE).named() if self.base else None
        return piecewise(own, l2=l2, toward=toward)

    def strength(self, sets: Sequence[int]) -> float:
        """The strength of L2 with the best mean F1 when some of the sets in turn are left out."""
        strengths = self.size.strengths
        if len(strengths) == 1 or len(sets) == 1:
            return strengths[0]

        def mean(l2: float) -> float:
            scores = []
            for k in sets[:INNER]:
                weights = self.learned([q for q in sets if q != k], l2)
                problem = self.problems[k]
                state = merged(self.method, problem, weights).state
                scores.append(pairwise(state.entity, problem.truth).f1)
            return float(np.mean(scores))

        return max(strengths, key=mean)

    def test(self, kind: str, k: int, seed: int) -> list[Row]:
        """Test one set with weights from all others; Objects also by a walk from its result."""
        rest = [q for q in range(len(self.problems)) if q != k]
        began = time.process_time()
        l2 = self.strength(rest)
        weights = self.learned(rest, l2)
        training = time.process_time() - began + self.sampling * len(rest)
        problem, began = self.problems[k], time.process_time()
        greedy = merged(self.method, problem, weights)
        inference = time.process_time() - began

        def row(name: str, state: Partition, seconds: float, gain: float = 0.0) -> Row:
            sizes = problem.n, len(set(problem.truth.tolist()))
            score = pairwise(state.entity, problem.truth)
            shares = score.precision, score.recall, score.f1
            return Row(kind, problem.name, name, *sizes, *shares, l2, training, seconds, gain)

        rows = [row(self.method.name, greedy.state, inference)]
        if self.method.objects:
            began = time.process_time()
            state, gain = walked(self.method, problem, weights, greedy, seed)
            rows.append(row(WALK, state, time.process_time() - began, gain))
        return rows


def run(kinds: Sequence[str], size: Size, seed: int) -> list[Row]:
    """All methods on all sets of some kinds of data."""
    rows = []
    for kind in kinds:
        problems = KINDS[kind][0](size.records)
        for method in METHODS:
            course = Course(method, problems, size, seed)
            for k in range(KINDS[kind][1]):
                rows += course.test(kind, k, seed)
    return rows
