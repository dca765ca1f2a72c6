"""An order of rows by content, so that no result depends on the order of the input."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints, runs_of

__all__ = ["find_tied", "hash_rows"]

Hashes = NDArray[np.uint64]

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and close to 2**64 over the golden ratio: spreads codes over all bits of a hash."""


def hash_rows(columns: Iterable[NDArray[np.signedinteger]], n: int) -> Hashes:
    """Hash the codes of each row; sorted by their hashes, rows are in a pseudo-random order."""
    hashes = np.zeros(n, np.uint64)
    for codes in columns:
        hashes = (hashes ^ (codes + 1).astype(np.uint64)) * HASH_MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes


def find_tied(ordered: Hashes) -> Ints:
    """Return the places of sorted hashes that occur more than once."""
    starts = runs_of(ordered)
    sizes = np.diff(starts, append=ordered.size)
    return np.flatnonzero(np.repeat(sizes > 1, sizes))
