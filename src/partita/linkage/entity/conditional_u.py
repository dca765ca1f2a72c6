"""Values that are alike because the rest of their records agrees.

Two strangers of one name have e-mail addresses that are alike, for both are made of the name. So
that their addresses are alike says little once their names agree. Of pairs that agree in one or two
columns A, strangers show level l of another column with a probability v(l) of its own, which EM
finds without labels, from random pairs that agree in A: with S' the score of a pair without what
that column says,

    P(stranger) = 1 / (1 + e^S' m(l) / v(l)),    v(l) = the mean of P(stranger) at level l.

The lift log(v / u) comes off the evidence of two alike values whose records mostly agree in A. Of
several A the largest counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from partita.data import Column
from partita.kernel import Floats, Ints, Rng, generators
from partita.linkage.pairwise.dependence import random_equal
from partita.linkage.pairwise.scored_pairs import ScoredPairs

__all__ = ["Lifts", "lifts_of"]

DRAWN, STEPS = 4_000, 30
"""Pairs drawn for each A, and the steps of EM."""
LEAST_SEEN = 5.0
"""A level needs so many strangers among them for a lift of its own."""
SMOOTHED = 5.0
"""Random pairs that are added to those drawn."""
LEAST_LIFT = 1.0
"""Smaller lifts (nats) are left to chance."""
ALIKE = 3
"""Columns with fewer levels know no alike values."""


class Lifts(NamedTuple):
    """What comes off the evidence of alike values, where their records agree in other columns."""

    columns: Sequence[Column]
    found: dict[int, dict[tuple[int, ...], Floats]]
    """By column, and by those that agree: the lift of each level."""

    def of(self, q: int, values: Ints, levels: Ints) -> Floats:
        """The lift of each pair of alike values of a column."""
        most = np.zeros(len(values))
        for others, lift in self.found.get(q, {}).items():
            agree = np.ones(len(values), bool)
            for other in others:
                usual = usual_values(self.columns[q], self.columns[other])[values]
                agree &= (usual[:, 0] == usual[:, 1]) & (usual[:, 0] >= 0)
            most = np.maximum(most, np.where(agree, lift[levels], 0.0))
        return most


def usual_values(column: Column, other: Column) -> Ints:
    """By value of a column: the value of another that most of its records show, or -1."""
    both = (column.codes >= 0) & (other.codes >= 0)
    many = max(len(other.values), 1)
    keys, count = np.unique(
        column.codes[both].astype(np.int64) * many + other.codes[both], return_counts=True
    )
    found = np.full(len(column.values), -1, np.int64)
    order = np.argsort(count, kind="stable")
    # of several entries for one value the last counts, which is the most frequent
    found[keys[order] // many] = keys[order] % many
    return found


def lifts_of(columns: Sequence[Column], scored: ScoredPairs, seed: int) -> Lifts:
    """The lifts of all columns that have alike values."""
    fuzzy = [q for q, m in enumerate(scored.model.m) if len(m) >= ALIKE]
    found: dict[int, dict[tuple[int, ...], Floats]] = {q: {} for q in fuzzy}
    every = range(len(columns))
    sets = [*combinations(every, 1), *combinations(every, 2)]
    for others, rng in zip(sets, generators(seed, len(sets)), strict=True):
        pairs = _agreeing([columns[q] for q in others], rng)
        if len(pairs) < LEAST_SEEN:
            continue
        for q, lift in _lifts(scored, pairs, [q for q in fuzzy if q not in others]).items():
            found[q][others] = lift
    return Lifts(columns, found)


def _agreeing(columns: Sequence[Column], rng: Rng) -> Ints:
    """Random pairs of records that agree in some columns; each once."""
    shown = np.flatnonzero(np.logical_and.reduce([column.codes >= 0 for column in columns]))
    key = np.zeros(shown.size, np.int64)
    for column in columns:
        key = np.unique(key * len(column.values) + column.codes[shown], return_inverse=True)[1]
    if np.bincount(key, minlength=1).max() < 2:
        return np.zeros((0, 2), np.int64)
    one, two = random_equal(key, DRAWN, rng)
    return np.unique(np.sort(np.stack([shown[one], shown[two]], 1), axis=1), axis=0)


def _lifts(scored: ScoredPairs, pairs: Ints, some: Sequence[int]) -> dict[int, Floats]:
    """The lifts of some columns in pairs that agree in others."""
    model, scores = scored.model, scored.model.score(scored.comparisons, pairs)
    found = {}
    for q in some:
        level = scores.levels[:, q].astype(np.int64)
        rest = scores.total - scores.columns[:, q] - scores.rarity[:, q]
        shown = level >= 0
        count, v = _strangers(model.m[q], model.u[q], level[shown], rest[shown])
        lift = np.log(v / model.u[q])
        lift[(lift < LEAST_LIFT) | (count < LEAST_SEEN)] = 0.0
        lift[0] = lift[-1] = 0.0
        if lift.any():
            found[q] = lift
    return found


def _strangers(m: Floats, u: Floats, level: Ints, rest: Floats) -> tuple[Floats, Floats]:
    """How many strangers show each level, and how often they do, by EM."""
    count, v = np.zeros(u.size), u.copy()
    for _ in range(STEPS):
        odds = np.clip(rest + np.log(m / v)[level], -60.0, 60.0)
        count[:] = np.bincount(level, 1.0 / (1.0 + np.exp(odds)), minlength=u.size)
        v = (count + SMOOTHED * u) / (count.sum() + SMOOTHED)
    return count, v
