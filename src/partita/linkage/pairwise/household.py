"""The household class: pairs that share much without being one entity, as a third latent class.

Members of a household are such pairs, and papers of the same authors. Where they are many, the
most likely two classes are "household" and "random", and EM takes the first for matches. So the
matches of EM are split in two: pairs that agree throughout (m), and pairs that disagree in some
columns as random pairs do, or agree only fuzzily in a column that is like a key (r). If the second
group exists and is large,

    S = log lam + sum_q log(m_q / u_q) - log(1 + rho prod_q r_q / u_q) + term frequency

compares a match with both other classes; rho is the odds of a household pair against a random one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, entry
from partita.linkage.pairwise.em import iterate_em
from partita.linkage.pairwise.level_rates import (
    PRIOR_PAIRS,
    limit_disagreement,
    make_decreasing,
    shrink_rates,
)
from partita.linkage.pairwise.patterns import (
    Patterns,
    merge_patterns,
    pattern_score,
    sum_columns,
    weight_table,
)

__all__ = [
    "HouseholdClass",
    "are_apart",
    "find_separating",
    "fit_household_class",
    "household_terms",
]

MAX_STEPS = 60
"""Steps of EM at most. A limit of CPU seconds."""
TOLERANCE = 1e-3
"""Change of the expected counts, as a share of all pairs, at which EM has converged.
Origin: 0.1."""
NO_RANDOM_PAIRS = 200.0
"""Log-odds (nats) added to both classes so that no pair is random."""
MIN_DISAGREEMENT = 0.8
"""A column separates the classes if household pairs disagree in it at least this many times as
often as random pairs do. Origin: 0.1."""
MIN_COLUMN_WEIGHT = 0.5
"""Weight of a column from which it can separate the classes; random pairs and all others agree
equally often in a column of little relevance. Origin: a choice."""
MIN_SEPARATING_COLUMNS = 2
"""Separating columns that are required. Origin: 0.1."""
MIN_RANDOM_DISAGREEMENT = 0.5
"""Share of random pairs that must disagree in a separating column. Origin: 0.1."""
MOVABLE = frozenset({"address", "postcode", "phone", "email", "category"})
"""Column types that all change when a person moves: they alone do not separate households."""
MAX_KEY_AGREEMENT = 1e-3
"""Share of random pairs that may agree closely in a column that is like a key. Origin: 0.1; without
it lines of text that are compared by groups of words lose .03 of F1."""
MIN_KEY_AGREEMENT_OF_MATCHES = 0.75
"""Share of matches that must agree closely in a key column. Origin: 0.1."""
MAX_KEY_AGREEMENT_OF_HOUSEHOLDS = 0.25
"""Share of household pairs that may agree closely in a key column. Origin: 0.1."""
MIN_KEY_FILLED = 0.5
"""Share of pairs that must have values in a key column. Origin: 0.1."""
CLOSE_LEVELS = 2
"""Levels that are close agreement: exact, and the next. Origin: 0.1."""
MIN_WEIGHT_LACKING = 0.3
"""Share of the weight of all other columns that household pairs must lack. Origin: 0.1."""
MIN_HOUSEHOLD_PAIRS = 0.3
"""Household pairs per match that make the class worthwhile. Origin: 0.1."""
MIN_HOUSEHOLD_PAIRS_IF_CLEAR = 0.05
"""The same where more than the required number of columns separate. Origin: 0.1; generated people
with few households need it."""
FEW_DISAGREE = 0.2
"""Share of disagreeing columns below which a pair starts as a match. Origin: 0.1."""
SOME_DISAGREE = 0.34
"""Share of disagreeing columns below which a pair starts as either. Origin: 0.1."""


class HouseholdClass(NamedTuple):
    """Level rates of household pairs, by column, and their odds against random pairs."""

    r: list[Floats]
    odds: float


class Split(NamedTuple):
    """Level rates of matches and of household pairs, by column, and the number of each."""

    m: list[Floats]
    r: list[Floats]
    matches: float
    household: float


@entry
def _expect_classes(
    patterns: Patterns, match: Floats, household: Floats, priors: Floats, expected: Floats
) -> None:
    """Expected counts of levels among matches (0) and household pairs (1); totals stand at -1."""
    for k in range(patterns.pairs.size):
        a = priors[0] + pattern_score(patterns, match, k)
        b = priors[1] + pattern_score(patterns, household, k)
        top = max(a, b, 0.0)
        x, y, z = math.exp(a - top), math.exp(b - top), math.exp(-top)
        for c in range(2):
            share = patterns.pairs[k] * (x if c == 0 else y) / (x + y + z)
            for q in range(match.shape[0]):
                expected[c, q, patterns.levels[k, q] + 1] += share
            expected[c, match.shape[0], 0] += share


def household_terms(
    household: HouseholdClass, u: Sequence[Floats], levels: NDArray[np.int8], term_frequency: Floats
) -> Floats:
    """The adjustment -log(1 + rho prod r / u) of each pair for agreement within households."""
    score = sum_columns(weight_table(household.r, u), levels)
    return -np.logaddexp(0.0, math.log(household.odds) + term_frequency + score)


def fit_household_class(
    patterns: Patterns,
    m: Sequence[Floats],
    u: Sequence[Floats],
    lam: float,
    everything: float,
    column_types: Sequence[str],
    column_weights: Sequence[float] | None = None,
) -> tuple[list[Floats], float, HouseholdClass] | None:
    """Fit m, lam and the household class; None where the matches are one class.

    The matches of EM are split first, without all other pairs. Only if that shows a household
    class are all pairs split into matches, household pairs and random pairs.
    `column_weights` temper the evidence of the columns.
    """
    strength = column_weights or [1.0] * len(u)
    # without random pairs, the term frequency of a pattern is the same in both classes
    taken = merge_patterns(
        _keep_matches(patterns, weight_table(m, u), lam), [len(rates) for rates in u]
    )
    for first in (
        _start_by_columns(taken, u, strength),
        _start_by_key(taken, u, column_types),
    ):
        if first is None:
            continue
        counts = _count_levels(taken, first, u)
        expected = _fit_split(taken, u, everything, counts, NO_RANDOM_PAIRS, strength)
        if _accept_split(expected, u, column_types, strength) is None:
            continue
        expected = _fit_split(patterns, u, everything, expected, 0.0, strength)
        split = _accept_split(expected, u, column_types, strength)
        if split is not None:
            household = HouseholdClass(split.r, split.household / everything)
            return split.m, split.matches / everything, household
    return None


def _keep_matches(patterns: Patterns, table: Floats, lam: float) -> Patterns:
    """The patterns, each with the expected number of its pairs that are matches by EM."""
    score = math.log(lam / (1 - lam)) + patterns.offset + sum_columns(table, patterns.levels)
    return patterns._replace(pairs=patterns.pairs / (1.0 + np.exp(-np.clip(score, -60, 60))))


def _fit_split(
    patterns: Patterns,
    u: Sequence[Floats],
    everything: float,
    expected: Floats,
    boost: float,
    column_weights: Sequence[float],
) -> Floats:
    """Expected counts of both classes by EM; a large boost excludes random pairs."""

    def update(before: Floats) -> Floats:
        now = _split(before, u, column_weights)
        priors = np.log(np.maximum([now.matches, now.household], 1e-3) / everything) + boost
        after = np.zeros_like(before)
        _expect_classes(patterns, weight_table(now.m, u), weight_table(now.r, u), priors, after)
        return after

    def has_converged(before: Floats, after: Floats) -> bool:
        total = max(1.0, float(after[:, -1, 0].sum()))
        return bool(np.abs(after - before).max() < TOLERANCE * total)

    expected, _, _ = iterate_em(update, expected, has_converged, MAX_STEPS)
    return expected


def _accept_split(
    expected: Floats,
    u: Sequence[Floats],
    column_types: Sequence[str],
    column_weights: Sequence[float],
) -> Split | None:
    """The split, if household pairs are many and some columns separate them from matches."""
    split = _split(expected, u, column_weights)
    separating = [q for q in find_separating(split.r, u) if column_weights[q] > MIN_COLUMN_WEIGHT]
    is_clear = len(separating) > MIN_SEPARATING_COLUMNS
    least = MIN_HOUSEHOLD_PAIRS_IF_CLEAR if is_clear else MIN_HOUSEHOLD_PAIRS
    if split.household < least * split.matches:
        return None
    apart = are_apart(separating, column_types)
    return split if apart or _separated_by_key(expected, split, u, column_types) else None


def find_separating(r: Sequence[Floats], u: Sequence[Floats]) -> list[int]:
    """The columns in which household pairs disagree as often as random pairs do."""
    return [
        q
        for q, (household, random) in enumerate(zip(r, u, strict=True))
        if random[-1] >= MIN_RANDOM_DISAGREEMENT and household[-1] >= MIN_DISAGREEMENT * random[-1]
    ]


def are_apart(separating: Sequence[int], column_types: Sequence[str]) -> bool:
    """Whether the separating columns separate household pairs from matches."""
    types = {column_types[q] for q in separating}
    return len(separating) >= MIN_SEPARATING_COLUMNS and not types <= MOVABLE


def _separated_by_key(
    expected: Floats, split: Split, u: Sequence[Floats], column_types: Sequence[str]
) -> bool:
    """Whether a column that is like a key separates the classes, such as the title of a paper.

    Papers of the same authors may agree fuzzily in every column, titles included. But matches that
    merely disagree in a key, such as a second address, agree in all other columns like others.
    """
    keys, own, lost = 0, 0.0, 0.0
    for q, (a, b, other) in enumerate(zip(split.m, split.r, u, strict=True)):
        filled = 1.0 - float(expected[:, q, 0].sum() / max(expected[:, -1, 0].sum(), 1e-9))
        if (
            float(a[:CLOSE_LEVELS].sum()) >= MIN_KEY_AGREEMENT_OF_MATCHES
            and float(b[:CLOSE_LEVELS].sum()) <= MAX_KEY_AGREEMENT_OF_HOUSEHOLDS
            and float(other[:CLOSE_LEVELS].sum()) <= MAX_KEY_AGREEMENT
            and filled >= MIN_KEY_FILLED
            and column_types[q] not in MOVABLE
        ):
            keys += 1
            continue
        own += filled * float(a @ np.log(a / other))
        lost += filled * float((a - b) @ np.log(a / other))
    return keys > 0 and lost >= MIN_WEIGHT_LACKING * own


def _split(expected: Floats, u: Sequence[Floats], column_weights: Sequence[float]) -> Split:
    """Level rates of matches and household pairs from expected counts."""
    m, r = [], []
    for q, rates in enumerate(u):
        shares = expected[:, q, 1 : 1 + len(rates)] + PRIOR_PAIRS / len(rates)
        shares /= shares.sum(1, keepdims=True)
        own = limit_disagreement(shares[0])
        m.append(shrink_rates(own, rates, column_weights[q]))
        r.append(shrink_rates(_make_ratio_decreasing(shares[1], own), rates, column_weights[q]))
    return Split(m, r, float(expected[0, -1, 0]), float(expected[1, -1, 0]))


def _make_ratio_decreasing(r: Floats, m: Floats) -> Floats:
    """The nearest rates of household pairs for which log(m / r) decreases from level to level."""
    rates = m * np.exp(-make_decreasing(np.log(m / r), m + r))
    return np.asarray(rates / rates.sum(), float)


def _start_by_columns(
    matches: Patterns, u: Sequence[Floats], column_weights: Sequence[float]
) -> Floats:
    """Initial P(match) of each pattern, by the share of its columns that disagree."""
    last = np.array([len(rates) - 1 for rates in u])
    weight = np.array(column_weights)
    filled = np.maximum((matches.levels >= 0) @ weight, weight.min())
    differ = ((matches.levels == last) @ weight) / filled
    return np.where(differ < FEW_DISAGREE, 0.95, np.where(differ < SOME_DISAGREE, 0.5, 0.05))


def _start_by_key(
    matches: Patterns, u: Sequence[Floats], column_types: Sequence[str]
) -> Floats | None:
    """Initial P(match) by close agreement in the column most like a key; None without one."""
    rare = [float(rates[:CLOSE_LEVELS].sum()) for rates in u]
    filled = matches.pairs @ (matches.levels >= 0) / max(float(matches.pairs.sum()), 1e-9)
    keys = [
        q
        for q, column_type in enumerate(column_types)
        if rare[q] <= MAX_KEY_AGREEMENT
        and filled[q] >= MIN_KEY_FILLED
        and column_type not in MOVABLE
    ]
    if not keys:
        return None
    level = matches.levels[:, min(keys, key=lambda q: rare[q])]
    return np.where(level < 0, 0.5, np.where(level < CLOSE_LEVELS, 0.95, 0.05))


def _count_levels(matches: Patterns, match: Floats, u: Sequence[Floats]) -> Floats:
    """Expected counts among matches and household pairs, given P(match) of each pattern."""
    levels, weight = matches.levels, matches.pairs
    width = 1 + max(map(len, u))
    expected = np.zeros((2, levels.shape[1] + 1, width))
    for c, share in enumerate((match, 1.0 - match)):
        for q in range(levels.shape[1]):
            expected[c, q] = np.bincount(levels[:, q] + 1, weight * share, minlength=width)
        expected[c, -1, 0] = (weight * share).sum()
    return expected
