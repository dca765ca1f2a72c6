"""Expectation and maximisation for the pair model: m on candidates, u held, lam over all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, entry, kernel
from partita.linkage.pairwise.dependence import Edge
from partita.linkage.pairwise.level_rates import first_m, new_profile, pure_u
from partita.linkage.pairwise.patterns import Patterns, added, table_of

__all__ = ["LEAST_LAM", "LEAST_MATCHES", "Fit", "em"]

STEPS = 100
NEAR = 1e-3
"""EM has converged when no m moves by more and log lam by no more than ten times this."""
LEAST_LAM, MOST_LAM = 1e-12, 0.5
LEAST_MATCHES = 1.0
"""lam stays so large that a match is expected at all."""


class Pulls(NamedTuple):
    """Edges of dependence as arrays; lifts of level l stand at l + 1, and 0 for a missing value."""

    left: Ints
    right: Ints
    left_lifts: Floats
    right_lifts: Floats


class Fit(NamedTuple):
    """What EM found."""

    m: list[Floats]
    u: list[Floats]
    lam: float
    converged: bool
    steps: int


@kernel
def _score(patterns: Patterns, weight: Floats, pulls: Pulls, k: int) -> float:
    """The log-odds of a pattern without the prior; `weight` is what `table_of` makes."""
    total = added(patterns, weight, k)
    for e in range(pulls.left.size):
        a, b = pulls.left[e], pulls.right[e]
        one, two = patterns.levels[k, a] + 1, patterns.levels[k, b] + 1
        weaker = min(weight[a, one], weight[b, two])
        total -= min(max(weaker, 0.0), pulls.left_lifts[e, one], pulls.right_lifts[e, two])
    return total


@kernel
def _odds(score: float) -> float:
    return math.exp(min(max(score, -60.0), 60.0))


@entry
def _independent(
    patterns: Patterns, weight: Floats, pulls: Pulls, prior: float, share: Floats
) -> None:
    """The expected number of matches that show each pattern, pair by pair on its own."""
    for k in range(patterns.pairs.size):
        odds = _odds(prior + _score(patterns, weight, pulls, k))
        share[k] = patterns.pairs[k] * odds / (1.0 + odds)


@entry
def _competing(
    patterns: Patterns,
    weight: Floats,
    pulls: Pulls,
    prior: float,
    share: Floats,
    pairs: Ints,
    odds: Floats,
    rivals: Floats,
) -> None:
    """The same where a record matches one other at most: its pairs share one probability."""
    for k in range(patterns.pairs.size):
        odds[k] = _odds(prior + _score(patterns, weight, pulls, k))
        share[k] = 0.0
    rivals[:] = 1.0
    for p in range(pairs.shape[0]):
        rivals[pairs[p, 0]] += odds[patterns.place[p]]
        rivals[pairs[p, 1]] += odds[patterns.place[p]]
    for p in range(pairs.shape[0]):
        most = max(rivals[pairs[p, 0]], rivals[pairs[p, 1]])
        share[patterns.place[p]] += odds[patterns.place[p]] / most


@entry
def _tally(patterns: Patterns, share: Floats, expected: Floats) -> float:
    """Expected counts of each level among matches, and the expected number of matches."""
    total = 0.0
    for k in range(share.size):
        total += share[k]
        for q in range(expected.shape[0]):
            expected[q, patterns.levels[k, q] + 1] += share[k]
    return total


def _pulls(edges: Sequence[Edge]) -> Pulls:
    width = 1 + max((len(side) for edge in edges for side in edge[-2:]), default=0)
    lifts = np.zeros((2, len(edges), width))
    for e, edge in enumerate(edges):
        lifts[0, e, 1 : 1 + len(edge.left_lifts)] = edge.left_lifts
        lifts[1, e, 1 : 1 + len(edge.right_lifts)] = edge.right_lifts
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    return Pulls(ends[:, 0].copy(), ends[:, 1].copy(), lifts[0], lifts[1])


class _Expectation:
    """The E step, with the room that it works in."""

    def __init__(
        self, patterns: Patterns, edges: Sequence[Edge], rivals: Ints | None, n: int
    ) -> None:
        self.patterns, self.rivals = patterns, rivals
        self.pulls = _pulls(edges)
        self.share = np.zeros(len(patterns.pairs))
        self.odds, self.crowd = np.zeros(len(patterns.pairs)), np.zeros(n)

    def __call__(self, weight: Floats, lam: float) -> tuple[Floats, float]:
        """Expected counts of levels among matches, and the expected number of matches."""
        given = (self.patterns, weight, self.pulls, math.log(lam / (1 - lam)), self.share)
        if self.rivals is None:
            _independent(*given)
        else:
            _competing(*given, self.rivals, self.odds, self.crowd)
        expected = np.zeros_like(weight)
        return expected, _tally(self.patterns, self.share, expected)


def em(
    patterns: Patterns,
    random: Sequence[Floats],
    lam: float,
    everything: float,
    *,
    edges: Sequence[Edge] = (),
    rivals: Ints | None = None,
    n: int = 0,
) -> Fit:
    """Fit m, u and lam; `everything` is the number of all pairs, candidates or not.

    `rivals`: the pairs themselves, if each of the n records matches one other at most.
    """
    expect = _Expectation(patterns, edges, rivals, n)
    m = [first_m(len(one)) for one in random]
    # random pairs hold matches too, and in a small table not few
    u = [pure_u(one, own, lam) for one, own in zip(random, m, strict=True)]
    for step in range(1, STEPS + 1):
        expected, matches = expect(table_of(m, u), lam)
        m_before, lam_before = m, lam
        lam = min(max(matches / everything, LEAST_LAM, LEAST_MATCHES / everything), MOST_LAM)
        both = [
            new_profile(expected[q, 1 : 1 + len(one)], one, lam) for q, one in enumerate(random)
        ]
        m, u = [one for one, _ in both], [one for _, one in both]
        moved = max((np.abs(a - b).max() for a, b in zip(m, m_before, strict=True)), default=0.0)
        if moved < NEAR and abs(math.log(lam / lam_before)) < 10 * NEAR:
            return Fit(m, u, lam, True, step)
    return Fit(m, u, lam, False, STEPS)
