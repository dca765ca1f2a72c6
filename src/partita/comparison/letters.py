"""Which letters strings have in common at most: what tells strings apart without reading them.

Each distinct string gets two words of bits, three for each of 42 kinds of letters: the first,
second and third time that the letter occurs. Bits in common count the letters in common; letters
that share bits, and those that occur more often, can only make that count too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints, entry, kernel

__all__ = ["Letters", "edits_may_suffice", "jaro_may_reach", "letters_of"]

KINDS, HALF, TIMES = 42, 21, 3


class Letters(NamedTuple):
    """The letters of each string, as bits."""

    bits: NDArray[np.uint64]
    """Two words a string."""
    beyond: NDArray[np.int32]
    """Letters that occur more often than the bits can say."""
    length: NDArray[np.int32]


@kernel
def _kind(letter: int) -> int:
    """The place of a letter: a to z, 0 to 9, and six places that all others share."""
    if 97 <= letter <= 122:
        return letter - 97
    if 48 <= letter <= 57:
        return letter - 22
    return 36 + letter % 6


@entry
def _mark(letter: NDArray[np.uint32], start: Ints, count: NDArray[np.int8], found: Letters) -> None:
    for k in range(start.size - 1):
        count[:] = 0
        for at in range(start[k], start[k + 1]):
            kind = _kind(letter[at])
            if count[kind] == TIMES:
                found.beyond[k] += 1
                continue
            bit = TIMES * (kind % HALF) + count[kind]
            found.bits[k, kind // HALF] |= np.uint64(1) << np.uint64(bit)
            count[kind] += 1


def letters_of(values: Sequence[str]) -> Letters:
    """Mark the letters of each string."""
    text = "".join(values).encode("utf-32-le", "surrogatepass")
    length = np.fromiter((len(value) for value in values), np.int32, len(values))
    start = np.zeros(len(values) + 1, np.int64)
    np.cumsum(length, out=start[1:])
    bits = np.zeros((len(values), 2), np.uint64)
    found = Letters(bits, np.zeros(len(values), np.int32), length)
    _mark(np.frombuffer(text, np.uint32), start, np.zeros(KINDS, np.int8), found)
    return found


@kernel
def _ones(word: np.uint64) -> int:
    """The number of bits, by adding ever longer groups of them."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    for shift in (8, 16, 32):
        word = word + (word >> np.uint64(shift))
    return int(word & np.uint64(0x7F))


@kernel
def _common(letters: Letters, one: int, other: int) -> int:
    """At most how many letters two strings have in common, wherever they stand."""
    bits, beyond, length = letters.bits, letters.beyond, letters.length
    same = _ones(bits[one, 0] & bits[other, 0]) + _ones(bits[one, 1] & bits[other, 1])
    return min(same + min(beyond[one], beyond[other]), length[one], length[other])


@entry
def _by_jaro(letters: Letters, left: Ints, right: Ints, least: float, found: Ints) -> int:
    many = 0
    for k in range(left.size):
        same = _common(letters, left[k], right[k])
        one, other = letters.length[left[k]], letters.length[right[k]]
        # with all common letters in place, m/a + m/b + 1 is three times Jaro's similarity
        near = same * (one + other) >= (3.0 * least - 1.0) * one * other
        if near and (same > 0 or one + other == 0):
            found[many] = k
            many += 1
    return many


@entry
def _by_edits(letters: Letters, left: Ints, right: Ints, most: int, found: Ints) -> int:
    many = 0
    for k in range(left.size):
        longest = max(letters.length[left[k]], letters.length[right[k]])
        # every letter of the longer string that the other has not costs an edit
        if longest - _common(letters, left[k], right[k]) <= most:
            found[many] = k
            many += 1
    return many


def jaro_may_reach(letters: Letters, left: Ints, right: Ints, least: float) -> Ints:
    """The pairs whose Jaro similarity may be `least` or more."""
    found = np.empty(len(left), np.int64)
    return found[: _by_jaro(letters, left, right, least, found)]


def edits_may_suffice(letters: Letters, left: Ints, right: Ints, most: int) -> Ints:
    """The pairs that may be no more than `most` edits apart."""
    found = np.empty(len(left), np.int64)
    return found[: _by_edits(letters, left, right, most, found)]
