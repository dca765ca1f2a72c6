"""Names word by word: the same words in another order, nicknames, initials, parts left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.nicknames import formal_names
from partita.kernel import Ints, entry, kernel

__all__ = ["APART", "INITIALS", "NICKNAMES", "REORDERED", "Words", "aligned", "words_of"]

APART, REORDERED, NICKNAMES, INITIALS = 0, 1, 2, 3
"""How two names agree: not, as the same words, by nicknames, by initials or with parts left out."""

MOST_FORMS = 6
MOST_WORDS = 60  # one bit of a whole number each


class Words(NamedTuple):
    """The words of each name as numbers (CSR), and what is known of each word."""

    start: Ints
    word: NDArray[np.int32]
    first: Ints
    """The code point of the first letter of each distinct word."""
    short: NDArray[np.bool_]
    """Whether the word is a single letter."""
    forms: NDArray[np.int32]
    """The formal names that the word can stand for, -1 where there are fewer."""


def words_of(values: Sequence[str], nicknames: bool) -> Words:
    """Split names at blanks and look each distinct word up once."""
    number: dict[str, int] = {}
    split = [value.split() for value in values]
    word = [number.setdefault(one, len(number)) for name in split for one in name]
    start = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.array([len(name) for name in split], np.int64), out=start[1:])
    first = np.fromiter((ord(one[0]) for one in number), np.int64, len(number))
    short = np.fromiter((len(one) == 1 for one in number), bool, len(number))
    forms = np.full((len(number), MOST_FORMS), -1, np.int32)
    known = formal_names() if nicknames else {}
    for k, one in enumerate(number):
        meant = known.get(one, ())[:MOST_FORMS]
        forms[k, : len(meant)] = meant
    return Words(start, np.asarray(word, np.int32), first, short, forms)


@kernel
def _same_name(forms: NDArray[np.int32], one: int, other: int) -> bool:
    for p in range(MOST_FORMS):
        if forms[one, p] < 0:
            return False
        for q in range(MOST_FORMS):
            if forms[one, p] == forms[other, q]:
                return True
    return False


@kernel
def _likeness(words: Words, one: int, other: int) -> int:
    """How one word agrees with another one: not at all, by nickname or by initial."""
    if _same_name(words.forms, one, other):
        return NICKNAMES
    if (words.short[one] or words.short[other]) and words.first[one] == words.first[other]:
        return INITIALS
    return APART


@kernel
def _agreement(words: Words, left: int, right: int) -> int:
    """How two names agree when every word of the shorter one finds its own in the longer one."""
    p0, p1 = words.start[left], words.start[left + 1]
    q0, q1 = words.start[right], words.start[right + 1]
    if p1 - p0 > q1 - q0:
        p0, p1, q0, q1 = q0, q1, p0, p1
    if p1 == p0 or q1 - q0 > MOST_WORDS:
        return APART
    worst, taken, met, whole = REORDERED, np.int64(0), np.int64(0), 0
    # equal words first, so that an initial cannot take the place of the word itself
    for p in range(p0, p1):
        for q in range(q0, q1):
            bit = np.int64(1) << np.int64(q - q0)
            if words.word[p] == words.word[q] and not taken & bit:
                taken |= bit
                met |= np.int64(1) << np.int64(p - p0)
                if not words.short[words.word[p]]:
                    whole += 1
                break
    for p in range(p0, p1):
        if met & (np.int64(1) << np.int64(p - p0)):
            continue
        best, place = APART, np.int64(0)
        for q in range(q0, q1):
            bit = np.int64(1) << np.int64(q - q0)
            how = _likeness(words, words.word[p], words.word[q])
            if how != APART and not taken & bit and (best == APART or how < best):
                best, place = how, bit
        if best == APART:
            return APART
        taken |= place
        worst = max(worst, best)
    if p1 - p0 < q1 - q0:
        worst = INITIALS
    # initials alone say little of a longer name: one whole word must agree as well
    if worst == INITIALS and q1 - q0 > 1 and whole == 0:
        return APART
    return worst


@entry
def _align(words: Words, left: Ints, right: Ints, found: NDArray[np.int8]) -> None:
    for k in range(left.size):
        found[k] = _agreement(words, left[k], right[k])


def aligned(words: Words, left: Ints, right: Ints) -> NDArray[np.int8]:
    """How each pair of different names agrees, as APART, REORDERED, NICKNAMES or INITIALS."""
    found = np.zeros(len(left), np.int8)
    _align(words, np.ascontiguousarray(left), np.ascontiguousarray(right), found)
    return found
