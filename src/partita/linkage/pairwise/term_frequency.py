"""Rare agreement counts more than common agreement, exact or fuzzy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints

__all__ = ["Rarity", "expected_agreement", "no_rarity", "rarity_of", "rarity_terms"]

FUZZY = 0.5
MOST = 3.0
"""Fuzzy agreement counts by half, and by no more than this either way before halving: which of
the two spellings is the true one, and how many others are near it, is not known."""


class Rarity(NamedTuple):
    """What the rarity of each value adds to the evidence of its column.

    Equal: log(u_0 / phi(v)). Alike: half of log(sum phi^2 / phi(v)), clipped. Of two values the
    commoner one counts.
    """

    equal: Floats
    alike: Floats


def rarity_of(codes: NDArray[np.int32], many: int, common: float) -> Rarity:
    """The rarity of each value, by its share among the records that have one."""
    count = np.bincount(codes[codes >= 0], minlength=many).astype(np.float64)
    share = np.maximum(count, 1.0) / max(count.sum(), 1.0)
    alike = FUZZY * np.clip(np.log((share**2).sum() / share), -MOST, MOST)
    return Rarity(np.log(common / share), alike)


def no_rarity(many: int) -> Rarity:
    """The adjustment of a column without term-frequency adjustment: 0 for each value."""
    return Rarity(np.zeros(many), np.zeros(many))


def expected_agreement(codes: NDArray[np.int32]) -> float:
    """The share of record pairs that agree exactly, from counts of values."""
    count = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = count.sum()
    return max(float((count * (count - 1)).sum() / max(n * (n - 1), 1.0)), 1e-9)


def rarity_terms(
    codes: NDArray[np.int32], rarity: Rarity, pairs: Ints, level: NDArray[np.int8], last: int
) -> Floats:
    """What rarity adds to the evidence of one column; 0 where values differ or are missing."""
    found = np.zeros(len(pairs))
    for some, add in (
        (np.flatnonzero(level == 0), rarity.equal),
        (np.flatnonzero((level > 0) & (level < last)), rarity.alike),
    ):
        found[some] = np.minimum(add[codes[pairs[some, 0]]], add[codes[pairs[some, 1]]])
    return found
