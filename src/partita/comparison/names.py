"""Names word by word: words in another order, nicknames, initials, omitted words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.nicknames import formal_names
from partita.kernel import Ints, entry, kernel

__all__ = ["INITIALS", "NICKNAMES", "NO_AGREEMENT", "REORDERED", "Words", "align_names", "words_of"]

NO_AGREEMENT = 0
REORDERED = 1
"""The names consist of the same words."""
NICKNAMES = 2
"""Some words agree as forms of one name."""
INITIALS = 3
"""Some words agree by their initial, or one name omits words."""
MAX_FORMS = 6
"""Formal names per word; the list of nicknames has at most this number."""
MAX_WORDS = 60
"""Words per name; a mask of 64 bits holds one bit for each."""


class Words(NamedTuple):
    """The words of each name as numbers (CSR), and the properties of each word."""

    start: Ints
    word: NDArray[np.int32]
    first: Ints
    """The code point of the first letter of each distinct word."""
    short: NDArray[np.bool_]
    """Whether the word is a single letter."""
    forms: NDArray[np.int32]
    """The formal names of which the word is a form, padded with -1."""


def words_of(values: Sequence[str], nicknames: bool) -> Words:
    """Split names at blanks and find the properties of each distinct word."""
    number: dict[str, int] = {}
    split = [value.split() for value in values]
    code = [number.setdefault(word, len(number)) for name in split for word in name]
    start = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.array([len(name) for name in split], np.int64), out=start[1:])
    first = np.fromiter((ord(word[0]) for word in number), np.int64, len(number))
    short = np.fromiter((len(word) == 1 for word in number), bool, len(number))
    forms = np.full((len(number), MAX_FORMS), -1, np.int32)
    known = formal_names() if nicknames else {}
    for k, word in enumerate(number):
        numbers = known.get(word, ())[:MAX_FORMS]
        forms[k, : len(numbers)] = numbers
    return Words(start, np.asarray(code, np.int32), first, short, forms)


@kernel
def _same_name(forms: NDArray[np.int32], first: int, second: int) -> bool:
    for p in range(MAX_FORMS):
        if forms[first, p] < 0:
            return False
        for q in range(MAX_FORMS):
            if forms[first, p] == forms[second, q]:
                return True
    return False


@kernel
def _word_agreement(words: Words, first: int, second: int) -> int:
    """How two words agree: not, by nickname or by initial."""
    if _same_name(words.forms, first, second):
        return NICKNAMES
    if (words.short[first] or words.short[second]) and words.first[first] == words.first[second]:
        return INITIALS
    return NO_AGREEMENT


@kernel
def _agreement(words: Words, left: int, right: int) -> int:
    """How two names agree if every word of the shorter name agrees with one of the longer."""
    p0, p1 = words.start[left], words.start[left + 1]
    q0, q1 = words.start[right], words.start[right + 1]
    if p1 - p0 > q1 - q0:
        p0, p1, q0, q1 = q0, q1, p0, p1
    if p1 == p0 or q1 - q0 > MAX_WORDS:
        return NO_AGREEMENT
    worst, taken, aligned, whole = REORDERED, np.int64(0), np.int64(0), 0
    # equal words first, so that an initial cannot take the place of the word itself
    for p in range(p0, p1):
        for q in range(q0, q1):
            bit = np.int64(1) << np.int64(q - q0)
            if words.word[p] == words.word[q] and not taken & bit:
                taken |= bit
                aligned |= np.int64(1) << np.int64(p - p0)
                if not words.short[words.word[p]]:
                    whole += 1
                break
    for p in range(p0, p1):
        if aligned & (np.int64(1) << np.int64(p - p0)):
            continue
        best, place = NO_AGREEMENT, np.int64(0)
        for q in range(q0, q1):
            bit = np.int64(1) << np.int64(q - q0)
            how = _word_agreement(words, words.word[p], words.word[q])
            if how != NO_AGREEMENT and not taken & bit and (best == NO_AGREEMENT or how < best):
                best, place = how, bit
        if best == NO_AGREEMENT:
            return NO_AGREEMENT
        taken |= place
        worst = max(worst, best)
    if p1 - p0 < q1 - q0:
        worst = INITIALS
    # initials of a longer name are weak evidence: one whole word must agree as well
    if worst == INITIALS and q1 - q0 > 1 and whole == 0:
        return NO_AGREEMENT
    return worst


@entry
def _align(words: Words, left: Ints, right: Ints, agreement: NDArray[np.int8]) -> None:
    for k in range(left.size):
        agreement[k] = _agreement(words, left[k], right[k])


def align_names(words: Words, left: Ints, right: Ints) -> NDArray[np.int8]:
    """How each pair of names agrees: NO_AGREEMENT, REORDERED, NICKNAMES or INITIALS."""
    agreement = np.zeros(len(left), np.int8)
    _align(words, np.ascontiguousarray(left), np.ascontiguousarray(right), agreement)
    return agreement
