"""Conditional dependence: columns that agree together among non-matches, and by how much.

Street and telephone of two non-matches agree together far more often than independence predicts,
because they share a house; adding both weights counts one agreement twice. Duplicates also make
columns agree together, and there both must count. Third columns separate the two cases: among
pairs equal on A and B they agree as often as in matches, or as rarely as in non-matches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, Rng, runs_of
from partita.linkage.pairwise.level_rates import initial_m

__all__ = [
    "Edge",
    "agreement",
    "dependence",
    "dependence_adjustment",
    "draw_equal_pairs",
    "spanning_forest",
]

MIN_LIFT = 2.0
"""Lift (nats) below which two columns count as independent. Origin: 0.1."""
MAX_SHARE_OF_MATCHES = 0.25
"""Share of matches among pairs equal on both columns above which duplicates explain the lift.
Origin: 0.1."""
MIN_PAIRS_FILLED = 200
"""Drawn pairs in which a third column must be filled. Origin: 0.1; without it F1 of
chicago_early_childhood falls from .95 to .82."""
MAX_RANDOM_AGREEMENT = 0.3
"""A third column agrees down to the last level that at most this share of random pairs reaches.
Origin: 0.1."""
AGREEMENT_OF_MATCHES = 0.8
"""Assumed share of matches that reach that level. Origin: 0.1."""
QUANTILE_OF_COLUMNS = 0.25
"""Quantile over third columns that decides: in a household most columns agree, but not all; among
matches an unreliable column disagrees, but not a quarter of them. Origin: 0.1."""
MIN_RECORDS = 50
"""Records that fill both columns, at least. Origin: 0.1; small samples of a store need it."""
MAX_COLUMNS = 200
"""Columns of which every two are tested; of more, the fullest. Twice the columns take four times
as long, and 200 take a second or two."""
MAX_PAIRS_DRAWN = 5_000
"""Pairs drawn for two columns at most. A limit of CPU seconds."""
MIN_PAIRS_DRAWN = 1_000
"""Pairs drawn for two columns at least. A limit of CPU seconds."""
COMPARISON_BUDGET = 3_000_000
"""Comparisons of values, which decides between the two limits. A limit of CPU seconds."""
MAX_RECORDS_SORTED = 200_000
"""Records that are sorted to find pairs with equal values. A limit of CPU seconds."""
PAIRS_DRAWN_FOR_LEVELS = 20_000
"""Pairs drawn for the lifts of single levels. A limit of CPU seconds."""
RANDOM_PAIRS_ADDED = 2.0
"""Random pairs added to those, so that no level has a rate of 0. Origin: 0.1."""


class Edge(NamedTuple):
    """Two columns that depend on each other in non-matches."""

    left: int
    right: int
    lift: float
    """log P(both equal) / (P(left equal) P(right equal)) among non-matches."""
    matches: float
    """The estimated share of matches among pairs equal on both."""
    left_lifts: tuple[float, ...] = ()
    """The largest adjustment at each level of the left column; the lift where values are equal."""
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
    if len(key) > MAX_RECORDS_SORTED:
        some = np.sort(rng.choice(len(key), MAX_RECORDS_SORTED, replace=False))
        groups = _grouped(key[some])
        if groups.ends[-1] >= 2 * many:
            return groups._replace(order=some[groups.order])
    return _grouped(key)


def draw_equal_pairs(key: Ints, many: int, rng: Rng) -> tuple[Ints, Ints]:
    """Random pairs of places with equal keys, each such pair as likely as any other."""
    order, first, size, ends = _some_grouped(key, many, rng)
    # the place of a pair in the running count of pairs determines its group
    group = np.searchsorted(ends, (rng.random(many) * ends[-1]).astype(np.int64), side="right")
    place = (rng.random(many) * size[group]).astype(np.int64)
    step = 1 + (rng.random(many) * (size[group] - 1)).astype(np.int64)
    return order[first[group] + place], order[first[group] + (place + step) % size[group]]


def _list_dependent_columns(codes: Sequence[Ints]) -> list[tuple[int, int, float, Ints, Ints]]:
    """Pairs of columns with a large lift, the records that fill both, and their joint codes."""
    edges = []
    filled = np.array([int((own >= 0).sum()) for own in codes])
    tested = np.flatnonzero(filled >= MIN_RECORDS)
    if len(tested) > MAX_COLUMNS:
        tested = np.sort(tested[np.argsort(-filled[tested], kind="stable")[:MAX_COLUMNS]])
    for place, a in enumerate(tested.tolist()):
        for b in tested[place + 1 :].tolist():
            both = np.flatnonzero((codes[a] >= 0) & (codes[b] >= 0))
            if len(both) < MIN_RECORDS:
                continue
            own, other = codes[a][both], codes[b][both]
            key = own * (int(other.max()) + 1) + other
            joint, apart = agreement(key), agreement(own) * agreement(other)
            if joint > 0 and math.log(joint / apart) >= MIN_LIFT:
                edges.append((a, b, math.log(joint / apart), both, key))
    return edges


def _share_of_matches(
    levels: NDArray[np.int8],
    random: Sequence[Floats],
    skip: set[int],
    column_weights: Sequence[float],
) -> float:
    """How far third columns agree beyond chance, as a share of how matches would."""
    shares, strength = [], []
    for q, u in enumerate(random):
        level = levels[:, q][levels[:, q] >= 0]
        reach = np.cumsum(u)[:-1]
        usable = int((reach <= MAX_RANDOM_AGREEMENT).sum())
        if q in skip or len(level) < MIN_PAIRS_FILLED or usable == 0:
            continue
        chance = float(reach[usable - 1])
        shares.append((float((level < usable).mean()) - chance) / (AGREEMENT_OF_MATCHES - chance))
        strength.append(column_weights[q] if column_weights else 1.0)
    # without a usable third column, duplicates are the likelier reason for agreement on both
    if not shares:
        return 1.0
    return float(np.clip(_find_quantile(np.array(shares), np.array(strength)), 0.0, 1.0))


def _find_quantile(values: Floats, weight: Floats) -> float:
    """The quantile of columns, of which those of little relevance count less."""
    order = np.argsort(values, kind="stable")
    values, weight = values[order], weight[order]
    middle = np.cumsum(weight) - weight / 2
    place = (middle - middle[0]) / max(float(middle[-1] - middle[0]), 1e-12)
    return float(np.interp(QUANTILE_OF_COLUMNS, place, values))


def _lifts(
    comparisons: Comparisons,
    random: Sequence[Floats],
    condition: int,
    column: int,
    most: float,
    rng: Rng,
    column_weights: Sequence[float],
) -> tuple[float, ...]:
    """The lift (nats) of each level of `column` among non-matches that are equal on `condition`.

    The rates of random pairs are compared with those of pairs equal on `condition`, after the
    estimated matches among these are removed.
    """
    codes = comparisons.columns[condition].codes.astype(np.int64)
    filled = np.flatnonzero((codes >= 0) & (comparisons.columns[column].codes >= 0))
    left, right = draw_equal_pairs(codes[filled], PAIRS_DRAWN_FOR_LEVELS, rng)
    levels = comparisons.levels(np.stack([filled[left], filled[right]], axis=1))
    share = _share_of_matches(levels, random, {condition, column}, column_weights)
    matches = min(share, 0.98)
    u, seen = random[column], levels[:, column][levels[:, column] >= 0]
    rates = np.bincount(seen, minlength=len(u)) + RANDOM_PAIRS_ADDED * u
    rates = rates / rates.sum()
    non_matches = np.maximum(rates - matches * initial_m(len(u)), 0.02 * rates) / (1 - matches)
    lifts = np.clip(np.log(non_matches / u), 0.0, most)
    lifts[0], lifts[-1] = most, 0.0
    # closer agreement cannot depend less
    lifts = np.maximum.accumulate(lifts[::-1])[::-1]
    return tuple(lifts.tolist())


def spanning_forest(edges: Sequence[Edge], many: int) -> list[Edge]:
    """The edges of largest lift that close no circle, so that nothing is taken off twice."""
    root, forest = list(range(many)), []
    for edge in sorted(
        edges, key=lambda candidate: (-candidate.lift, candidate.left, candidate.right)
    ):
        a, b = edge.left, edge.right
        while root[a] != a:
            a = root[a]
        while root[b] != b:
            b = root[b]
        if a != b:
            root[a] = b
            forest.append(edge)
    return forest


def dependence(
    comparisons: Comparisons,
    random: Sequence[Floats],
    rng: Rng,
    column_weights: Sequence[float] = (),
) -> list[Edge]:
    """The forest of dependent columns; `random` is how often random pairs show each level.

    A third column counts by its weight.
    """
    codes = [column.codes.astype(np.int64) for column in comparisons.columns]
    suspects = _list_dependent_columns(codes)
    room = COMPARISON_BUDGET // max(len(suspects) * len(codes), 1)
    many = min(max(room, MIN_PAIRS_DRAWN), MAX_PAIRS_DRAWN)
    edges = []
    for a, b, lift, both, key in suspects:
        left, right = draw_equal_pairs(key, many, rng)
        levels = comparisons.levels(np.stack([both[left], both[right]], axis=1))
        matches = _share_of_matches(levels, random, {a, b}, column_weights)
        if matches <= MAX_SHARE_OF_MATCHES and lift + math.log(1 - matches) >= MIN_LIFT:
            edges.append(Edge(a, b, lift + math.log(1 - matches), matches))
    return [
        edge._replace(
            left_lifts=_lifts(
                comparisons, random, edge.right, edge.left, edge.lift, rng, column_weights
            ),
            right_lifts=_lifts(
                comparisons, random, edge.left, edge.right, edge.lift, rng, column_weights
            ),
        )
        for edge in spanning_forest(edges, len(codes))
    ]


def dependence_adjustment(
    edges: Sequence[Edge], levels: NDArray[np.int8], columns: Floats
) -> Floats:
    """The negative adjustment of each pair for dependent columns that agree together.

    It is the lift of the two levels, and at most the smaller weight of the two columns;
    `columns` is log(m / u) of each pair and column.
    """
    correction = np.zeros(len(levels))
    for edge in edges:
        left = np.append(edge.left_lifts, 0.0)[levels[:, edge.left]]
        right = np.append(edge.right_lifts, 0.0)[levels[:, edge.right]]
        weaker = np.minimum(columns[:, edge.left], columns[:, edge.right])
        correction -= np.clip(weaker, 0.0, np.minimum(left, right))
    return correction
