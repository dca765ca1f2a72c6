"""EM: one loop for every model of the package, and the pairwise model over level patterns.

The pairwise model estimates m on candidate pairs and lam over all pairs; u comes from random pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from partita.kernel import Floats, Ints, entry, kernel
from partita.linkage.pairwise.dependence import Edge
from partita.linkage.pairwise.level_rates import (
    initial_m,
    remove_matches,
    shrink_rates,
    update_rates,
)
from partita.linkage.pairwise.patterns import Patterns, pattern_score, weight_table

__all__ = ["LEAST_LAM", "LEAST_MATCHES", "Fit", "em", "iterate_em"]

MAX_STEPS = 100
"""Steps of EM at most. A limit of CPU seconds."""
TOLERANCE = 1e-3
"""Change of m at which EM has converged; of log lam, ten times as much. Origin: 0.1."""
LEAST_LAM = 1e-12
"""Smallest lam. A numerical limit."""
MOST_LAM = 0.5
"""Largest lam. A numerical limit."""
LEAST_MATCHES = 1.0
"""Expected matches at least: lam is at least this over the number of pairs. Origin: 0.1."""

State = TypeVar("State")


def iterate_em(
    update: Callable[[State], State],
    start: State,
    has_converged: Callable[[State, State], bool],
    max_steps: int,
) -> tuple[State, bool, int]:
    """Repeat an EM update; return the last state, whether it converged, and the steps."""
    state = start
    for step in range(1, max_steps + 1):
        before, state = state, update(state)
        if has_converged(before, state):
            return state, True, step
    return state, False, max_steps


class DependentColumns(NamedTuple):
    """Edges of dependence as arrays; the lift of level l is at l + 1, and 0 for a missing value."""

    left: Ints
    right: Ints
    left_lifts: Floats
    right_lifts: Floats


class Fit(NamedTuple):
    """The estimates of EM."""

    m: list[Floats]
    u: list[Floats]
    lam: float
    converged: bool
    steps: int


@kernel
def _score(patterns: Patterns, weight: Floats, dependent: DependentColumns, k: int) -> float:
    """The log-odds of a pattern without the prior; `weight` comes from `weight_table`."""
    total = pattern_score(patterns, weight, k)
    for e in range(dependent.left.size):
        a, b = dependent.left[e], dependent.right[e]
        x, y = patterns.levels[k, a] + 1, patterns.levels[k, b] + 1
        weaker = min(weight[a, x], weight[b, y])
        total -= min(max(weaker, 0.0), dependent.left_lifts[e, x], dependent.right_lifts[e, y])
    return total


@kernel
def _odds(score: float) -> float:
    return math.exp(min(max(score, -60.0), 60.0))


@entry
def _expect_independent(
    patterns: Patterns, weight: Floats, dependent: DependentColumns, prior: float, share: Floats
) -> None:
    """The expected number of matches with each pattern, for independent pairs."""
    for k in range(patterns.pairs.size):
        odds = _odds(prior + _score(patterns, weight, dependent, k))
        share[k] = patterns.pairs[k] * odds / (1.0 + odds)


@entry
def _expect_competing(
    patterns: Patterns,
    weight: Floats,
    dependent: DependentColumns,
    prior: float,
    share: Floats,
    pairs: Ints,
    odds: Floats,
    competing_pairs: Floats,
) -> None:
    """The same where a record matches at most one other: its pairs share one probability.

    `pairs` are the records of each pair that match at most one other: one column, or both.
    """
    for k in range(patterns.pairs.size):
        odds[k] = _odds(prior + _score(patterns, weight, dependent, k))
        share[k] = 0.0
    competing_pairs[:] = 1.0
    for p in range(pairs.shape[0]):
        for c in range(pairs.shape[1]):
            competing_pairs[pairs[p, c]] += odds[patterns.place[p]]
    for p in range(pairs.shape[0]):
        most = competing_pairs[pairs[p, 0]]
        for c in range(1, pairs.shape[1]):
            most = max(most, competing_pairs[pairs[p, c]])
        share[patterns.place[p]] += odds[patterns.place[p]] / most


@entry
def _tally(patterns: Patterns, share: Floats, expected: Floats) -> float:
    """Add up the counts of each level among matches; return the expected number of matches."""
    total = 0.0
    for k in range(share.size):
        total += share[k]
        for q in range(expected.shape[0]):
            expected[q, patterns.levels[k, q] + 1] += share[k]
    return total


def _pack_edges(edges: Sequence[Edge]) -> DependentColumns:
    width = 1 + max((len(side) for edge in edges for side in edge[-2:]), default=0)
    lifts = np.zeros((2, len(edges), width))
    for e, edge in enumerate(edges):
        lifts[0, e, 1 : 1 + len(edge.left_lifts)] = edge.left_lifts
        lifts[1, e, 1 : 1 + len(edge.right_lifts)] = edge.right_lifts
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    return DependentColumns(ends[:, 0].copy(), ends[:, 1].copy(), lifts[0], lifts[1])


class _Expectation:
    """The E step, with its scratch arrays."""

    def __init__(
        self, patterns: Patterns, edges: Sequence[Edge], competing_pairs: Ints | None, n: int
    ) -> None:
        self.patterns, self.competing_pairs = patterns, competing_pairs
        self.dependent = _pack_edges(edges)
        self.share = np.zeros(len(patterns.pairs))
        self.odds, self.crowd = np.zeros(len(patterns.pairs)), np.zeros(n)

    def __call__(self, weight: Floats, lam: float) -> tuple[Floats, float]:
        """Expected counts of levels among matches, and the expected number of matches."""
        arguments = (self.patterns, weight, self.dependent, math.log(lam / (1 - lam)), self.share)
        if self.competing_pairs is None:
            _expect_independent(*arguments)
        else:
            _expect_competing(*arguments, self.competing_pairs, self.odds, self.crowd)
        expected = np.zeros_like(weight)
        return expected, _tally(self.patterns, self.share, expected)


def em(
    patterns: Patterns,
    random: Sequence[Floats],
    lam: float,
    everything: float,
    *,
    edges: Sequence[Edge] = (),
    competing_pairs: Ints | None = None,
    n: int = 0,
    column_weights: Sequence[float] | None = None,
) -> Fit:
    """Fit m, u and lam; `everything` is the number of all pairs, candidates or not.

    `competing_pairs`: the records of each pair that match one other of the n records at most.
    `column_weights` temper the evidence of the columns.
    """
    strength = column_weights or [1.0] * len(random)
    expect = _Expectation(patterns, edges, competing_pairs, n)
    start_m = [initial_m(len(rates)) for rates in random]
    # random pairs contain matches, and in a small table not few
    start_u = [remove_matches(rates, m, lam) for rates, m in zip(random, start_m, strict=True)]
    start_m = [shrink_rates(*parts) for parts in zip(start_m, start_u, strength, strict=True)]

    def update(fit: Fit) -> Fit:
        expected, matches = expect(weight_table(fit.m, fit.u), fit.lam)
        lam = min(max(matches / everything, LEAST_LAM, LEAST_MATCHES / everything), MOST_LAM)
        rates = [update_rates(expected[q, 1 : 1 + len(u)], u, lam) for q, u in enumerate(random)]
        m = [shrink_rates(*both, weight) for both, weight in zip(rates, strength, strict=True)]
        return Fit(m, [u for _, u in rates], lam, False, 0)

    def has_converged(before: Fit, after: Fit) -> bool:
        changes = (np.abs(a - b).max() for a, b in zip(after.m, before.m, strict=True))
        steady = abs(math.log(after.lam / before.lam)) < 10 * TOLERANCE
        return bool(max(changes, default=0.0) < TOLERANCE and steady)

    start = Fit(start_m, start_u, lam, False, 0)
    fit, converged, steps = iterate_em(update, start, has_converged, MAX_STEPS)
    return fit._replace(converged=converged, steps=steps)
