"""Random numbers by name and index: every draw is a function of the seed, never of the order.

A sequential generator makes a row depend on all rows before it. Here the draw `name` of item
`index` is output number `index` of SplitMix64 (Steele, Lea & Flood 2014) under a key for `name`,
so that batches of any size contain the same rows.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Draws", "Floats", "Ints", "Mask", "draw_ranks", "zipf"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Bits = NDArray[np.uint64]

INCREMENT = np.uint64(0x9E3779B97F4A7C15)
"""Increment of SplitMix64: 2^64 divided by the golden ratio, made odd."""
ROUNDS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
"""Shift and factor of each mixing round of SplitMix64."""
LAST_SHIFT = np.uint64(31)


class Draws:
    """All random numbers of one seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._keys: dict[str, np.uint64] = {}

    def _key(self, name: str) -> np.uint64:
        if name not in self._keys:
            source = np.random.SeedSequence([self.seed, zlib.crc32(name.encode())])
            self._keys[name] = source.generate_state(1, np.uint64)[0]
        return self._keys[name]

    def bits(self, name: str, index: NDArray[Any]) -> Bits:
        """64 random bits for each index."""
        state = index.astype(np.uint64)
        state += np.uint64(1)
        state *= INCREMENT
        state += self._key(name)
        for shift, factor in ROUNDS:
            state ^= state >> shift
            state *= factor
        state ^= state >> LAST_SHIFT
        return state

    def unit(self, name: str, index: NDArray[Any]) -> Floats:
        """Numbers between 0 and 1, without both ends."""
        # the half keeps logarithms finite
        return ((self.bits(name, index) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    def below(self, name: str, index: NDArray[Any], bound: int | NDArray[Any]) -> Ints:
        """Whole numbers from 0 to `bound` - 1."""
        return (self.unit(name, index) * bound).astype(np.int64)

    def happens(self, name: str, index: NDArray[Any], rate: float) -> Mask:
        """Mask of the indexes at which an event of probability `rate` happens."""
        return np.asarray(self.unit(name, index) < rate)


def zipf(count: int, skew: float, shift: float = 0.0) -> Floats:
    """Cumulative probabilities of `count` ranks, p(r) ~ 1 / (r + shift)^skew (Mandelbrot)."""
    cumulative = np.cumsum(1.0 / (np.arange(1, count + 1) + shift) ** skew)
    return cumulative / cumulative[-1]


def draw_ranks(cumulative: Floats, unit: Floats) -> Ints:
    """Rank, from 0, of each uniform number, by inversion of the cumulative probabilities."""
    return np.minimum(np.searchsorted(cumulative, unit, side="right"), cumulative.size - 1)
