"""Conditional u: fuzzy agreement that follows from agreement in other columns.

Two non-matches of one name have similar e-mail addresses, because both are made of the name. So
fuzzy agreement of addresses weighs little once the names agree. Among pairs that agree in one or
two columns A, non-matches show level l of another column with a probability v(l) of its own. EM
estimates it without labels from random pairs that agree in A: with S' the score of a pair without
that column,

    P(non-match) = 1 / (1 + e^S' m(l) / v(l)),    v(l) = the mean of P(non-match) at level l.

The lift log(v / u) is subtracted from the weight of two fuzzily equal values whose records mostly
agree in A. Of several A the largest lift counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from partita.data import Column
from partita.kernel import Floats, Ints, Rng, generators, logistic
from partita.linkage.pairwise.dependence import draw_equal_pairs
from partita.linkage.pairwise.em import iterate_em
from partita.linkage.pairwise.scored_pairs import ScoredPairs

__all__ = ["ConditionalU", "fit_conditional_u"]

PAIRS_DRAWN = 4_000
"""Pairs drawn for each set A. Origin: 0.1."""
EM_STEPS = 30
"""Steps of EM. Origin: 0.1."""
MIN_NON_MATCHES = 5.0
"""Expected non-matches that a level needs for a lift of its own. Origin: 0.1."""
RANDOM_PAIRS_ADDED = 5.0
"""Random pairs added to the sample, so that no rate is 0. Origin: 0.1."""
MIN_LIFT = 1.0
"""Lift (nats) below which it is ignored. Origin: 0.1."""
MIN_LEVELS = 3
"""Levels of a column with fuzzy agreement: exact, at least one fuzzy, and none."""


class ConditionalU(NamedTuple):
    """Lifts of fuzzily equal values whose records agree in other columns."""

    columns: Sequence[Column]
    lifts: dict[int, dict[tuple[int, ...], Floats]]
    """By column, and by the set of agreeing columns: the lift of each level."""

    def of(self, q: int, values: Ints, levels: Ints) -> Floats:
        """The lift of each pair of fuzzily equal values of a column."""
        most = np.zeros(len(values))
        for others, lift in self.lifts.get(q, {}).items():
            agree = np.ones(len(values), bool)
            for other in others:
                usual = most_frequent_values(self.columns[q], self.columns[other])[values]
                agree &= (usual[:, 0] == usual[:, 1]) & (usual[:, 0] >= 0)
            most = np.maximum(most, np.where(agree, lift[levels], 0.0))
        return most


def most_frequent_values(column: Column, other: Column) -> Ints:
    """For each value of a column: the most frequent value of another in its records, or -1."""
    both = (column.codes >= 0) & (other.codes >= 0)
    many = max(len(other.values), 1)
    keys, count = np.unique(
        column.codes[both].astype(np.int64) * many + other.codes[both], return_counts=True
    )
    numbers = np.full(len(column.values), -1, np.int64)
    order = np.argsort(count, kind="stable")
    # of several assignments to one place the last remains: the most frequent value
    numbers[keys[order] // many] = keys[order] % many
    return numbers


def fit_conditional_u(columns: Sequence[Column], scored: ScoredPairs, seed: int) -> ConditionalU:
    """Estimate the lifts of all columns with fuzzy agreement."""
    fuzzy = [q for q, m in enumerate(scored.model.m) if len(m) >= MIN_LEVELS]
    rates: dict[int, dict[tuple[int, ...], Floats]] = {q: {} for q in fuzzy}
    every = range(len(columns))
    sets = [*combinations(every, 1), *combinations(every, 2)]
    for others, rng in zip(sets, generators(seed, len(sets)), strict=True):
        pairs = _draw_agreeing([columns[q] for q in others], rng)
        if len(pairs) < MIN_NON_MATCHES:
            continue
        for q, lift in _lifts(scored, pairs, [q for q in fuzzy if q not in others]).items():
            rates[q][others] = lift
    return ConditionalU(columns, rates)


def _draw_agreeing(columns: Sequence[Column], rng: Rng) -> Ints:
    """Draw distinct random pairs of records that agree in some columns."""
    filled = np.flatnonzero(np.logical_and.reduce([column.codes >= 0 for column in columns]))
    key = np.zeros(filled.size, np.int64)
    for column in columns:
        key = np.unique(key * len(column.values) + column.codes[filled], return_inverse=True)[1]
    if np.bincount(key, minlength=1).max() < 2:
        return np.zeros((0, 2), np.int64)
    left, right = draw_equal_pairs(key, PAIRS_DRAWN, rng)
    return np.unique(np.sort(np.stack([filled[left], filled[right]], 1), axis=1), axis=0)


def _lifts(scored: ScoredPairs, pairs: Ints, some: Sequence[int]) -> dict[int, Floats]:
    """The lifts of some columns in pairs that agree in others."""
    model, scores = scored.model, scored.model.score(scored.comparisons, pairs)
    rates = {}
    for q in some:
        level = scores.levels[:, q].astype(np.int64)
        rest = scores.total - scores.columns[:, q] - scores.term_frequency[:, q]
        filled = level >= 0
        count, v = _fit_non_matches(model.m[q], model.u[q], level[filled], rest[filled])
        lift = np.log(v / model.u[q])
        lift[(lift < MIN_LIFT) | (count < MIN_NON_MATCHES)] = 0.0
        lift[0] = lift[-1] = 0.0
        if lift.any():
            rates[q] = lift
    return rates


def _fit_non_matches(m: Floats, u: Floats, level: Ints, rest: Floats) -> tuple[Floats, Floats]:
    """The number of non-matches at each level, and the rate of the level, by EM."""

    def update(state: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        odds = np.clip(rest + np.log(m / state[1])[level], -60.0, 60.0)
        weights = logistic(-odds)
        count = np.bincount(level, weights, minlength=u.size).astype(np.float64)
        return count, (count + RANDOM_PAIRS_ADDED * u) / (count.sum() + RANDOM_PAIRS_ADDED)

    start = (np.zeros(u.size), u.copy())
    (count, v), _, _ = iterate_em(update, start, lambda before, after: False, EM_STEPS)
    return count, v
