"""Random pairs: their number, and the rates at which they show each level (u)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, Rng, generators
from partita.linkage.pairwise.level_rates import count_rates

__all__ = ["RandomPairs", "count_all_pairs", "estimate_u", "replace_exact"]

RANDOM_PAIRS = 300_000
"""Pairs drawn at most; all pairs where there are fewer. A limit of CPU seconds."""
HALF_PAIR = 0.5
"""Pairs added to each level of random pairs (Jeffreys prior)."""
MAX_EXACT = 0.999
"""Share of random pairs that agree exactly, at most. Origin: 0.1."""
Levels = NDArray[np.int8]


def count_all_pairs(n: int, source: Ints | None) -> float:
    """The number of pairs that could match: all of them, or those across sources."""
    if source is None:
        return n * (n - 1) / 2
    size = np.unique(source, return_counts=True)[1].astype(np.float64)
    return float((n * n - (size**2).sum()) / 2)


def _draw_pairs(n: int, source: Ints | None, rng: Rng) -> Ints:
    """Draw pairs uniformly; list every pair once where there are few."""
    if n * (n - 1) // 2 <= RANDOM_PAIRS:
        pairs = np.stack(np.triu_indices(n, 1), axis=1)
    else:
        pairs = rng.integers(0, n, (RANDOM_PAIRS, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs if source is None else pairs[source[pairs[:, 0]] != source[pairs[:, 1]]]


def _correct_exact_agreement(
    share: Floats, level: Levels, codes: NDArray[np.int32], pairs: Ints, common: float
) -> Floats:
    """The rates with the share of equal values from counts of values, without sampling error.

    Equal values that are written differently, such as dates, are counted in the sample only.
    """
    filled = level >= 0
    other = codes[pairs[:, 0]] != codes[pairs[:, 1]]
    equal = min(common + float(((level == 0) & other).sum()) / max(int(filled.sum()), 1), MAX_EXACT)
    return replace_exact(share, equal)


def replace_exact(share: Floats, equal: float) -> Floats:
    """The rates with another rate of exact agreement."""
    return np.append(equal, share[1:] / share[1:].sum() * (1 - equal))


class RandomPairs(NamedTuple):
    """Pairs drawn from all pairs, with their levels."""

    pairs: Ints
    levels: Levels

    @classmethod
    def draw(cls, comparisons: Comparisons, source: Ints | None, seed: int) -> RandomPairs:
        """Draw pairs of compared records; with `source`, pairs across sources."""
        pairs = _draw_pairs(comparisons.n, source, generators(seed, 1)[0])
        return cls(pairs, comparisons.levels(pairs))


def estimate_u(
    comparisons: Comparisons, common: Sequence[float], source: Ints | None, random: RandomPairs
) -> list[Floats]:
    """Estimate the rate of each level among random pairs, by column."""
    (pairs, levels), parts = random, []
    for q, column in enumerate(comparisons.columns):
        share = count_rates(levels[:, q], len(comparisons.level_names[q]), HALF_PAIR)
        if source is None:
            share = _correct_exact_agreement(share, levels[:, q], column.codes, pairs, common[q])
        else:
            # equal values across sources are mostly matches if a column is nearly unique
            share = replace_exact(share, min(share[0], _count_equal_within(column.codes, source)))
        parts.append(share)
    return parts


def _count_equal_within(codes: NDArray[np.int32], source: Ints) -> float:
    """The share of pairs within sources that agree exactly: non-matches if sources are clean."""
    filled = np.flatnonzero(codes >= 0)
    size = np.bincount(source[filled]).astype(np.float64)
    keys = codes[filled].astype(np.int64) * size.size + source[filled]
    count = np.unique(keys, return_counts=True)[1].astype(np.float64)
    pairs = (size * (size - 1)).sum()
    return float(((count * (count - 1)).sum() + 1.0) / (pairs + 1.0))
