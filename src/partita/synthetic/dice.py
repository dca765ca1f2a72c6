"""A stream of random choices for one item: SplitMix64 from the item's own state.

Text of products, companies, places and works is composed value by value. `Draws` supplies the
state of every item, so that a row depends on the seed and its number only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from partita.synthetic.draws import INCREMENT, LAST_SHIFT, ROUNDS

__all__ = ["Dice"]

T = TypeVar("T")

MASK = (1 << 64) - 1
"""Arithmetic is modulo 2^64."""
STEP = int(INCREMENT)
MIX = tuple((int(shift), int(factor)) for shift, factor in ROUNDS)
FINAL = int(LAST_SHIFT)


class Dice:
    """Random choices from a 64-bit state."""

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state

    def unit(self) -> float:
        """Draw a number from 0 to 1, without 1."""
        self.state = bits = (self.state + STEP) & MASK
        for shift, factor in MIX:
            bits = ((bits ^ (bits >> shift)) * factor) & MASK
        return ((bits ^ (bits >> FINAL)) >> 11) * 2.0**-53

    def below(self, bound: int) -> int:
        """Draw a whole number from 0 to `bound` - 1."""
        return int(self.unit() * bound)

    def between(self, low: int, high: int) -> int:
        """Draw a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def happens(self, rate: float) -> bool:
        """Draw an event of probability `rate`."""
        return self.unit() < rate

    def pick(self, options: Sequence[T]) -> T:
        """Draw one option."""
        return options[self.below(len(options))]

    def pick_skewed(self, options: Sequence[T]) -> T:
        """Draw one option; options near the start are more frequent."""
        return options[int(self.unit() ** 2 * len(options))]

    def shuffle(self, options: Sequence[T]) -> list[T]:
        """Return the options in random order."""
        return sorted(options, key=lambda _: self.unit())

    def digits(self, count: int) -> str:
        """Draw a number of `count` digits that does not start with 0."""
        low: int = 10 ** (count - 1)
        return str(self.between(low, 10 * low - 1))

    def letters(self, count: int) -> str:
        """Draw capital letters, without I and O, which look like digits."""
        return "".join(self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(count))
