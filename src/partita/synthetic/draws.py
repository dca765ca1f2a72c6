"""Random numbers by name and index: every draw is a function of the seed, never of the order.

A generator that hands out numbers one after another ties a row to all rows before it. Here the
draw `name` of the thing `index` is the output number `index` of SplitMix64 (Steele, Lea & Flood
2014) with a key of its own, so that any batch, of any size, finds the same person twice.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Draws", "Floats", "Ints", "Mask", "ranked", "zipf"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Bits = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
ROUNDS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
LAST = np.uint64(31)


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
        found = index.astype(np.uint64)
        found += np.uint64(1)
        found *= STEP
        found += self._key(name)
        for shift, factor in ROUNDS:
            found ^= found >> shift
            found *= factor
        found ^= found >> LAST
        return found

    def unit(self, name: str, index: NDArray[Any]) -> Floats:
        """Numbers between 0 and 1, without both ends."""
        # the half keeps logarithms finite
        return ((self.bits(name, index) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    def below(self, name: str, index: NDArray[Any], bound: int | NDArray[Any]) -> Ints:
        """Whole numbers from 0 to `bound` - 1."""
        return (self.unit(name, index) * bound).astype(np.int64)

    def happens(self, name: str, index: NDArray[Any], rate: float) -> Mask:
        """Whether something of the given rate happens, for each index."""
        return np.asarray(self.unit(name, index) < rate)


def zipf(count: int, skew: float, shift: float = 0.0) -> Floats:
    """Cumulative probabilities of `count` ranks, p(r) ~ 1 / (r + shift)^skew (Mandelbrot)."""
    found = np.cumsum(1.0 / (np.arange(1, count + 1) + shift) ** skew)
    return found / found[-1]


def ranked(cumulative: Floats, unit: Floats) -> Ints:
    """The rank, from 0, that each number between 0 and 1 stands for."""
    return np.minimum(np.searchsorted(cumulative, unit, side="right"), cumulative.size - 1)
