"""Rare agreement counts more than common agreement, exact or fuzzy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints

__all__ = ["expected_agreement", "rarity_terms", "shares"]

FUZZY = 0.5
MOST = 3.0
"""Fuzzy agreement counts by half, and by no more than this either way before halving: which of
the two spellings is the true one, and how many others are near it, is not known."""


def shares(codes: NDArray[np.int32], many: int) -> Floats:
    """The share of each value among the records that have one."""
    count = np.bincount(codes[codes >= 0], minlength=many).astype(np.float64)
    return np.maximum(count, 1.0) / max(count.sum(), 1.0)


def expected_agreement(codes: NDArray[np.int32]) -> float:
    """The share of record pairs that agree exactly, from counts of values."""
    count = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = count.sum()
    return max(float((count * (count - 1)).sum() / max(n * (n - 1), 1.0)), 1e-9)


def rarity_terms(
    codes: NDArray[np.int32],
    share: Floats,
    common: float,
    pairs: Ints,
    level: NDArray[np.int8],
    last: int,
) -> Floats:
    """What the rarity of the values adds to the evidence of one column.

    Equal: log(u_0 / phi(v)). Alike: half of log(sum phi^2 / max(phi_a, phi_b)), clipped.
    Different or missing: 0.
    """
    found = np.zeros(len(pairs))
    some = np.flatnonzero((level >= 0) & (level < last))
    left, right = codes[pairs[some, 0]], codes[pairs[some, 1]]
    top = np.maximum(share[left], share[right])
    fuzzy = FUZZY * np.clip(np.log((share**2).sum() / top), -MOST, MOST)
    found[some] = np.where(level[some] == 0, np.log(common / top), fuzzy)
    return found
