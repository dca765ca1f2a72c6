"""Upper bounds on the number of letters that two strings have in common.

Each distinct string gets two words of bits, three bits for each of 42 classes of letters: the
first, second and third occurrence. Common bits count common letters; letters that share a class,
and occurrences after the third, can only raise the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints, entry, kernel

__all__ = ["Letters", "edits_may_suffice", "jaro_may_reach", "letters_of"]

CLASSES = 42
"""Classes of letters: a to z, 0 to 9, and six for all others."""
HALF = 21
"""Classes per word of 64 bits."""
OCCURRENCES = 3
"""Counted occurrences of each class."""


class Letters(NamedTuple):
    """The letters of each string as bits."""

    bits: NDArray[np.uint64]
    """Two words a string."""
    beyond: NDArray[np.int32]
    """Letters after the third occurrence of their class."""
    length: NDArray[np.int32]


@kernel
def _class_of(letter: int) -> int:
    """The class of a letter."""
    if 97 <= letter <= 122:
        return letter - 97
    if 48 <= letter <= 57:
        return letter - 22
    return 36 + letter % 6


@entry
def _mark(letter: NDArray[np.uint32], start: Ints, count: NDArray[np.int8], marks: Letters) -> None:
    for k in range(start.size - 1):
        count[:] = 0
        for at in range(start[k], start[k + 1]):
            group = _class_of(letter[at])
            if count[group] == OCCURRENCES:
                marks.beyond[k] += 1
                continue
            bit = OCCURRENCES * (group % HALF) + count[group]
            marks.bits[k, group // HALF] |= np.uint64(1) << np.uint64(bit)
            count[group] += 1


def letters_of(values: Sequence[str]) -> Letters:
    """Mark the letters of each string."""
    text = "".join(values).encode("utf-32-le", "surrogatepass")
    length = np.fromiter((len(value) for value in values), np.int32, len(values))
    start = np.zeros(len(values) + 1, np.int64)
    np.cumsum(length, out=start[1:])
    bits = np.zeros((len(values), 2), np.uint64)
    marks = Letters(bits, np.zeros(len(values), np.int32), length)
    _mark(np.frombuffer(text, np.uint32), start, np.zeros(CLASSES, np.int8), marks)
    return marks


@kernel
def _ones(word: np.uint64) -> int:
    """The number of set bits, by adding groups of growing length."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    for shift in (8, 16, 32):
        word = word + (word >> np.uint64(shift))
    return int(word & np.uint64(0x7F))


@kernel
def _common(letters: Letters, first: int, second: int) -> int:
    """Upper bound on the letters that two strings have in common, in any place."""
    bits, beyond, length = letters.bits, letters.beyond, letters.length
    same = _ones(bits[first, 0] & bits[second, 0]) + _ones(bits[first, 1] & bits[second, 1])
    return min(same + min(beyond[first], beyond[second]), length[first], length[second])


@entry
def _filter_by_jaro(letters: Letters, left: Ints, right: Ints, least: float, rows: Ints) -> int:
    count = 0
    for k in range(left.size):
        same = _common(letters, left[k], right[k])
        m, n = letters.length[left[k]], letters.length[right[k]]
        # with all common letters in place, same/m + same/n + 1 is three times Jaro's similarity
        reaches = same * (m + n) >= (3.0 * least - 1.0) * m * n
        if reaches and (same > 0 or m + n == 0):
            rows[count] = k
            count += 1
    return count


@entry
def _filter_by_edits(letters: Letters, left: Ints, right: Ints, most: int, rows: Ints) -> int:
    count = 0
    for k in range(left.size):
        longest = max(letters.length[left[k]], letters.length[right[k]])
        # every letter of the longer string that the other lacks costs an edit
        if longest - _common(letters, left[k], right[k]) <= most:
            rows[count] = k
            count += 1
    return count


def jaro_may_reach(letters: Letters, left: Ints, right: Ints, least: float) -> Ints:
    """The pairs whose Jaro similarity may reach `least`."""
    rows = np.empty(len(left), np.int64)
    return rows[: _filter_by_jaro(letters, left, right, least, rows)]


def edits_may_suffice(letters: Letters, left: Ints, right: Ints, most: int) -> Ints:
    """The pairs whose edit distance may be `most` or less."""
    rows = np.empty(len(left), np.int64)
    return rows[: _filter_by_edits(letters, left, right, most, rows)]
