"""Columns that agree together in different entities: which ones, and by how much.

Street and telephone of two strangers agree together far more often than chance says, because
they share a house; counting both is counting twice. Duplicates also make columns agree together,
and there both must count. Third columns tell the two apart: among pairs equal on A and B they
agree as matches do, or as strangers do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, Rng, runs_of
from partita.linkage.pairwise.level_rates import first_m

__all__ = [
    "Edge",
    "agreement",
    "dependence",
    "dependence_terms",
    "random_equal",
    "spanning_forest",
]

LEAST_LIFT = 2.0
"""Lifts (nats) below this are left to the independence assumption."""
MOST_MATCHES = 0.25
"""With a larger share of matches among pairs equal on both, the lift comes from duplicates."""
LEAST_FILLED, MOST_COMMON, MATCHES_AGREE = 200, 0.3, 0.8
"""A third column needs that many pairs. It agrees down to the last level that random pairs reach
no more often than the second figure; matches are taken to reach it as often as the third."""
QUARTILE = 0.25
"""Which of the third columns speaks: in a household most columns agree, but not all; among
matches an unreliable one disagrees, but not a quarter of them."""
LEAST_RECORDS = 50
DRAWN, LEAST_DRAWN, COMPARED = 5_000, 1_000, 3_000_000
"""Pairs drawn for two columns, fewer where that would be more comparisons than the last figure."""
MOST_SORTED = 200_000
"""Records that are sorted to find pairs with equal values."""
DRAWN_FOR_LEVELS, SMOOTHED = 20_000, 2.0
"""Pairs drawn for the lifts of single levels, and how many random pairs are added to them."""


class Edge(NamedTuple):
    """Two columns that depend on each other in non-matches."""

    left: int
    right: int
    lift: float
    """log P(both equal) / (P(left equal) P(right equal)) among non-matches."""
    matches: float
    """The estimated share of matches among pairs equal on both."""
    left_lifts: tuple[float, ...] = ()
    """The most that comes off at each level of the left column: the lift where it is equal."""
    right_lifts: tuple[float, ...] = ()


def agreement(codes: Ints) -> float:
    """The share of record pairs with equal codes, which are numbers from 0 on."""
    n = float(len(codes))
    if codes.max(initial=0) <= len(codes):
        count = np.bincount(codes).astype(np.float64)
    else:
        first = runs_of(np.sort(codes))
        count = np.diff(first, append=len(codes)).astype(np.float64)
    return float((count * (count - 1)).sum() / max(n * (n - 1), 1.0))


class Grouped(NamedTuple):
    """Places ordered by their key; where each group of equal keys begins, and its size."""

    order: Ints
    first: Ints
    size: Ints
    ends: Ints
    """Ordered pairs of two in one group, counted up over the groups."""


def _grouped(key: Ints) -> Grouped:
    order = np.argsort(key, kind="stable")
    first = runs_of(key[order])
    size = np.diff(first, append=len(key))
    return Grouped(order, first, size, np.cumsum(size * (size - 1)))


def _some_grouped(key: Ints, many: int, rng: Rng) -> Grouped:
    """The same of fewer places where there are very many, if these have enough equal pairs."""
    if len(key) > MOST_SORTED:
        some = np.sort(rng.choice(len(key), MOST_SORTED, replace=False))
        found = _grouped(key[some])
        if found.ends[-1] >= 2 * many:
            return found._replace(order=some[found.order])
    return _grouped(key)


def random_equal(key: Ints, many: int, rng: Rng) -> tuple[Ints, Ints]:
    """Random pairs of places with equal keys, each such pair as likely as any other."""
    order, first, size, ends = _some_grouped(key, many, rng)
    # where a pair falls in the running count of pairs tells its group
    group = np.searchsorted(ends, (rng.random(many) * ends[-1]).astype(np.int64), side="right")
    one = (rng.random(many) * size[group]).astype(np.int64)
    step = 1 + (rng.random(many) * (size[group] - 1)).astype(np.int64)
    return order[first[group] + one], order[first[group] + (one + step) % size[group]]


def _suspects(codes: Sequence[Ints]) -> list[tuple[int, int, float, Ints, Ints]]:
    """Pairs of columns with a large lift, the records that fill both, and their joint codes."""
    found = []
    for a in range(len(codes)):
        for b in range(a + 1, len(codes)):
            both = np.flatnonzero((codes[a] >= 0) & (codes[b] >= 0))
            if len(both) < LEAST_RECORDS:
                continue
            own, other = codes[a][both], codes[b][both]
            key = own * (int(other.max()) + 1) + other
            joint, apart = agreement(key), agreement(own) * agreement(other)
            if joint > 0 and math.log(joint / apart) >= LEAST_LIFT:
                found.append((a, b, math.log(joint / apart), both, key))
    return found


def _share_of_matches(levels: NDArray[np.int8], random: Sequence[Floats], skip: set[int]) -> float:
    """How far third columns agree beyond chance, as a share of how matches would."""
    shares = []
    for q, u in enumerate(random):
        level = levels[:, q][levels[:, q] >= 0]
        reach = np.cumsum(u)[:-1]
        usable = int((reach <= MOST_COMMON).sum())
        if q in skip or len(level) < LEAST_FILLED or usable == 0:
            continue
        chance = float(reach[usable - 1])
        shares.append((float((level < usable).mean()) - chance) / (MATCHES_AGREE - chance))
    # where no third column can tell, duplicates are the likelier reason to agree on both
    return float(np.clip(np.quantile(shares, QUARTILE), 0.0, 1.0)) if shares else 1.0


def _lifts(
    comparisons: Comparisons,
    random: Sequence[Floats],
    given: int,
    column: int,
    most: float,
    rng: Rng,
) -> tuple[float, ...]:
    """How much likelier strangers equal on `given` show each level of `column`, in nats.

    What random pairs show is compared with pairs equal on `given`, less the matches among them.
    """
    codes = comparisons.columns[given].codes.astype(np.int64)
    filled = np.flatnonzero((codes >= 0) & (comparisons.columns[column].codes >= 0))
    one, two = random_equal(codes[filled], DRAWN_FOR_LEVELS, rng)
    levels = comparisons.levels(np.stack([filled[one], filled[two]], axis=1))
    matches = min(_share_of_matches(levels, random, {given, column}), 0.98)
    u, seen = random[column], levels[:, column][levels[:, column] >= 0]
    shown = np.bincount(seen, minlength=len(u)) + SMOOTHED * u
    shown = shown / shown.sum()
    strangers = np.maximum(shown - matches * first_m(len(u)), 0.02 * shown) / (1 - matches)
    lifts = np.clip(np.log(strangers / u), 0.0, most)
    lifts[0], lifts[-1] = most, 0.0
    # a level that is more alike cannot depend less
    falling = np.maximum.accumulate(lifts[::-1])[::-1]
    return tuple(falling.tolist())


def spanning_forest(edges: Sequence[Edge], many: int) -> list[Edge]:
    """The edges of largest lift that close no circle, so that nothing is taken off twice."""
    root, kept = list(range(many)), []
    for edge in sorted(edges, key=lambda one: (-one.lift, one.left, one.right)):
        a, b = edge.left, edge.right
        while root[a] != a:
            a = root[a]
        while root[b] != b:
            b = root[b]
        if a != b:
            root[a] = b
            kept.append(edge)
    return kept


def dependence(comparisons: Comparisons, random: Sequence[Floats], rng: Rng) -> list[Edge]:
    """The forest of dependent columns; `random` is how often random pairs show each level."""
    codes = [column.codes.astype(np.int64) for column in comparisons.columns]
    suspects = _suspects(codes)
    room = COMPARED // max(len(suspects) * len(codes), 1)
    many = min(max(room, LEAST_DRAWN), DRAWN)
    found = []
    for a, b, lift, both, key in suspects:
        one, two = random_equal(key, many, rng)
        levels = comparisons.levels(np.stack([both[one], both[two]], axis=1))
        matches = _share_of_matches(levels, random, {a, b})
        if matches <= MOST_MATCHES and lift + math.log(1 - matches) >= LEAST_LIFT:
            found.append(Edge(a, b, lift + math.log(1 - matches), matches))
    return [
        edge._replace(
            left_lifts=_lifts(comparisons, random, edge.right, edge.left, edge.lift, rng),
            right_lifts=_lifts(comparisons, random, edge.left, edge.right, edge.lift, rng),
        )
        for edge in spanning_forest(found, len(codes))
    ]


def dependence_terms(edges: Sequence[Edge], levels: NDArray[np.int8], columns: Floats) -> Floats:
    """What comes off the score of each pair because dependent columns agree together.

    The lift where both are equal, what was measured where they are alike, and never more than
    the evidence of the weaker column: `columns` is log(m / u) of each pair and column.
    """
    found = np.zeros(len(levels))
    for edge in edges:
        left = np.append(edge.left_lifts, 0.0)[levels[:, edge.left]]
        right = np.append(edge.right_lifts, 0.0)[levels[:, edge.right]]
        weaker = np.minimum(columns[:, edge.left], columns[:, edge.right])
        found -= np.clip(weaker, 0.0, np.minimum(left, right))
    return found
