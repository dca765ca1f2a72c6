"""Term-frequency adjustment: agreement on a rare value weighs more than on a common one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints

__all__ = [
    "TermFrequency",
    "adjust_by_shares",
    "count_term_frequency",
    "exact_agreement",
    "no_adjustment",
    "term_frequency_terms",
]

FUZZY_SHARE = 0.5
"""Share of the adjustment at fuzzy levels: the true spelling, and the number of values near it,
are unknown. Origin: 0.1."""
MAX_FUZZY = 3.0
"""Limit (nats) of the adjustment at fuzzy levels, before it is multiplied. Origin: 0.1."""
LEAST_AGREEMENT = 1e-9
"""Share of record pairs that agree exactly, at least, so that its logarithm is finite."""


class TermFrequency(NamedTuple):
    """The adjustment (nats) that each value adds to the weight of its column.

    Exact agreement: log(u_0 / phi(v)). Fuzzy agreement: half of log(sum phi^2 / phi(v)), clipped.
    Of two values the more frequent one decides.
    """

    equal: Floats
    """At exact agreement."""
    fuzzy: Floats
    """At fuzzy agreement."""

    def tempered(self, weight: float) -> TermFrequency:
        """The adjustment times the weight of the column."""
        return self if weight == 1.0 else TermFrequency(weight * self.equal, weight * self.fuzzy)


def count_term_frequency(codes: NDArray[np.int32], many: int, common: float) -> TermFrequency:
    """The adjustment of each value, by its share among the records that have one."""
    count = np.bincount(codes[codes >= 0], minlength=many).astype(np.float64)
    share = np.maximum(count, 1.0) / max(count.sum(), 1.0)
    return adjust_by_shares(share, float((share**2).sum()), common)


def adjust_by_shares(share: Floats, squares: float, common: float) -> TermFrequency:
    """The adjustment of values by their shares; `squares` is the sum over all values of a file."""
    fuzzy = FUZZY_SHARE * np.clip(np.log(squares / share), -MAX_FUZZY, MAX_FUZZY)
    return TermFrequency(np.log(common / share), fuzzy)


def no_adjustment(many: int) -> TermFrequency:
    """The adjustment of a column without term-frequency adjustment: 0 for each value."""
    return TermFrequency(np.zeros(many), np.zeros(many))


def exact_agreement(codes: NDArray[np.int32], clean_sources: bool = False) -> float:
    """The share of record pairs that agree exactly, from counts of values.

    Between clean sources a value that occurs twice is mostly a match. The share is then that of
    two independent draws, and a rare value of a nearly unique column has no adjustment.
    """
    count = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = count.sum()
    if clean_sources:
        return max(float((count**2).sum() / max(n * n, 1.0)), LEAST_AGREEMENT)
    return max(float((count * (count - 1)).sum() / max(n * (n - 1), 1.0)), LEAST_AGREEMENT)


def term_frequency_terms(
    codes: NDArray[np.int32],
    frequency: TermFrequency,
    pairs: Ints,
    level: NDArray[np.int8],
    last: int,
) -> Floats:
    """The adjustment of each pair; 0 where values disagree or are missing."""
    weights = np.zeros(len(pairs))
    for some, add in (
        (np.flatnonzero(level == 0), frequency.equal),
        (np.flatnonzero((level > 0) & (level < last)), frequency.fuzzy),
    ):
        weights[some] = np.minimum(add[codes[pairs[some, 0]]], add[codes[pairs[some, 1]]])
    return weights
