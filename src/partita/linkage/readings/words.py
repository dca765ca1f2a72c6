"""Words of whole records: the shared and the unmatched words of two records.

The weight of a word is its inverse document frequency, log((1 + n) / (1 + records that have it)).
Unmatched words are paired where they are nearly equal by Jaro-Winkler, the rarest ones first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.ngrams import ValueFeatures
from partita.comparison.strings import count_documents, hash_words
from partita.kernel import Floats, Ints, distinct_of, entry, kernel

__all__ = ["WORD_FEATURES", "Words", "compare_words", "count_words", "split_words"]

RAREST = 6
"""Unmatched words of each record that are paired. Origin: a choice."""
NEARLY_EQUAL = 0.85
"""Least Jaro-Winkler similarity of paired words; an abbreviation counts as much.
Origin: a choice."""
MIN_LETTERS_LEFT_OUT = 2
"""Letters by which an abbreviation is shorter at least; one letter more or less is a typing error
or an ending. Origin: a choice."""
MIN_START = 3
"""Letters of an abbreviation by the start of a word at least; two letters start many
words. Origin: a choice."""
LONGEST_WORD = 40
"""Bytes of a word that are compared. A limit of memory."""
MAX_UNMATCHED = 4096
"""Unmatched words of a record that are kept, at most. A limit of memory."""
NUMERALS = frozenset(["ii", "iii", "iv", "vi", "vii", "viii", "ix"])
"""Roman numerals that distinguish editions, as digits do."""
WORD_FEATURES = (
    *("shared", "smaller", "larger", "soft", "rarest_shared", "unmatched_low", "unmatched_high"),
    *("digits_shared", "digits_low", "digits_high", "same_words"),
)
"""Columns of `compare_words`; `smaller` and `larger` are the total weights of the two records."""


class Words(NamedTuple):
    """Distinct words of each record, and the words themselves."""

    start: Ints
    word: Ints
    """Ascending word numbers of record r: word[start[r]:start[r + 1]]."""
    weight: Floats
    numeric: NDArray[np.int8]
    """0: no digit; 1: digits and letters; 2: a number."""
    letters_start: Ints
    letters: NDArray[np.uint8]
    total: Floats
    """Weight of all words of a record."""


def split_words(values: Sequence[str]) -> tuple[ValueFeatures, list[str]]:
    """The numbers of the words of each value, and the words by number."""
    numbers: dict[str, int] = {}
    words = [value.split() for value in values]
    feature = [
        numbers.setdefault(word, len(numbers)) for list_words in words for word in list_words
    ]
    start = np.zeros(len(words) + 1, np.int64)
    start[1:] = np.cumsum([len(list_words) for list_words in words])
    return ValueFeatures(start, np.array(feature, np.int32), len(numbers)), list(numbers)


def count_words(length: Ints, word: NDArray[np.int32], vocabulary: Sequence[str]) -> Words:
    """Count the words of records; `length` is their number in each, `word` row after row."""
    n, many = length.size, max(len(vocabulary), 1)
    pair = distinct_of(np.repeat(np.arange(n), length) * many + word)
    record, number = pair // many, pair % many
    start = np.zeros(n + 1, np.int64)
    start[1:] = np.cumsum(np.bincount(record, minlength=n))
    count = np.bincount(number, minlength=len(vocabulary))
    count, documents = count_documents(lambda: hash_words(vocabulary), count, n)
    weight = np.log((1 + documents) / (1 + count))
    encoded = [text.encode()[:LONGEST_WORD] for text in vocabulary]
    letters_start = np.zeros(len(encoded) + 1, np.int64)
    letters_start[1:] = np.cumsum([len(letters) for letters in encoded])
    return Words(
        start,
        number,
        weight,
        np.array([_classify_digits(text) for text in vocabulary], np.int8),
        letters_start,
        np.frombuffer(bytearray(b"".join(encoded)), np.uint8),
        np.bincount(record, weight[number], minlength=n).astype(np.float64),
    )


def _classify_digits(word: str) -> int:
    """The class of a word by its digits, as in `Words.numeric`."""
    if word.isdigit() or word in NUMERALS:
        return 2
    return int(not word.isalpha() and any(letter.isdigit() for letter in word))


class Scratch(NamedTuple):
    """Buffers of one call."""

    left: Ints
    right: Ints
    used: NDArray[np.uint8]
    marks_left: NDArray[np.uint8]
    marks_right: NDArray[np.uint8]


def compare_words(words: Words, pairs: Ints) -> Floats:
    """The word features of each pair of records."""
    values = np.zeros((len(pairs), len(WORD_FEATURES)))
    scratch = Scratch(
        np.empty(MAX_UNMATCHED, np.int64),
        np.empty(MAX_UNMATCHED, np.int64),
        np.empty(RAREST, np.uint8),
        np.empty(LONGEST_WORD, np.uint8),
        np.empty(LONGEST_WORD, np.uint8),
    )
    _compare(words, pairs, scratch, values)
    return values


@kernel(inline=False)
def _jaro_winkler(words: Words, left: int, right: int, scratch: Scratch) -> float:
    """Jaro-Winkler similarity of two words."""
    a, b = words.letters_start[left], words.letters_start[right]
    m = words.letters_start[left + 1] - a
    n = words.letters_start[right + 1] - b
    reach = max(max(m, n) // 2 - 1, 0)
    for k in range(m):
        scratch.marks_left[k] = 0
    for k in range(n):
        scratch.marks_right[k] = 0
    common = 0
    for i in range(m):
        for j in range(max(0, i - reach), min(n, i + reach + 1)):
            if not scratch.marks_right[j] and words.letters[a + i] == words.letters[b + j]:
                scratch.marks_left[i], scratch.marks_right[j] = 1, 1
                common += 1
                break
    if common == 0:
        return 0.0
    moved, j = 0, 0
    for i in range(m):
        if scratch.marks_left[i]:
            while not scratch.marks_right[j]:
                j += 1
            if words.letters[a + i] != words.letters[b + j]:
                moved += 1
            j += 1
    jaro = (common / m + common / n + (common - moved / 2) / common) / 3
    prefix = 0
    while prefix < min(4, m, n) and words.letters[a + prefix] == words.letters[b + prefix]:
        prefix += 1
    return jaro + prefix * 0.1 * (1 - jaro) if jaro > 0.7 else jaro


@kernel
def _put_rarest_first(words: Words, unmatched: Ints, count: int) -> int:
    """Bring the rarest words to the front, and return the number of words to compare."""
    length = min(RAREST, count)
    for k in range(length):
        best = k
        for j in range(k + 1, count):
            if words.weight[unmatched[j]] > words.weight[unmatched[best]]:
                best = j
        unmatched[k], unmatched[best] = unmatched[best], unmatched[k]
    return length


@kernel
def _abbreviates(words: Words, a: int, m: int, b: int, n: int) -> bool:
    """Whether the shorter of two words with the same first letter abbreviates the longer.

    An abbreviation is an initial (J for John), the start (corp for corporation), or some letters
    in their order up to the last (ltd for limited).
    """
    if m > n:
        a, m, b, n = b, n, a, m
    if m == 1 or n - m < MIN_LETTERS_LEFT_OUT:
        return m == 1
    same = 1
    while same < m and words.letters[a + same] == words.letters[b + same]:
        same += 1
    if same == m:
        return m >= MIN_START
    if words.letters[a + m - 1] != words.letters[b + n - 1]:
        return False
    for j in range(same, n):
        if same < m and words.letters[a + same] == words.letters[b + j]:
            same += 1
    return same == m


@kernel
def _compare_unmatched(words: Words, left: int, right: int, scratch: Scratch) -> float:
    """Similarity of two unmatched words; numbers match exactly or not at all."""
    if words.numeric[left] == 2 or words.numeric[right] == 2:
        return 0.0
    a, b = words.letters_start[left], words.letters_start[right]
    m = words.letters_start[left + 1] - a
    n = words.letters_start[right + 1] - b
    if words.letters[a] == words.letters[b] and _abbreviates(words, a, m, b, n):
        return NEARLY_EQUAL
    return 0.0 if abs(m - n) > 4 else _jaro_winkler(words, left, right, scratch)


@kernel(inline=False)
def _pair_unmatched(
    words: Words, scratch: Scratch, left: int, right: int
) -> tuple[float, float, float]:
    """Weight of nearly equal unmatched words, and the rarest word left over on each side."""
    soft, rarest_left, rarest_right = 0.0, 0.0, 0.0
    for k in range(right):
        scratch.used[k] = 0
    for k in range(left):
        best, place = 0.0, -1
        for j in range(right):
            if not scratch.used[j]:
                value = _compare_unmatched(words, scratch.left[k], scratch.right[j], scratch)
                if value > best:
                    best, place = value, j
        weight = words.weight[scratch.left[k]]
        if best >= NEARLY_EQUAL:
            soft += best * (weight + words.weight[scratch.right[place]]) / 2
            scratch.used[place] = 1
        else:
            rarest_left = max(rarest_left, weight)
    for j in range(right):
        if not scratch.used[j]:
            rarest_right = max(rarest_right, words.weight[scratch.right[j]])
    return soft, rarest_left, rarest_right


@entry
def _compare(words: Words, pairs: Ints, scratch: Scratch, values: Floats) -> None:
    for row in range(len(pairs)):
        a, b = pairs[row, 0], pairs[row, 1]
        i, j, m, n = words.start[a], words.start[b], 0, 0
        shared, rarest, digits, digits_left, digits_right = 0.0, 0.0, 0.0, 0.0, 0.0
        while i < words.start[a + 1] or j < words.start[b + 1]:
            ended_left, ended_right = i >= words.start[a + 1], j >= words.start[b + 1]
            if ended_right or (not ended_left and words.word[i] < words.word[j]):
                word = words.word[i]
                if m < MAX_UNMATCHED:
                    scratch.left[m] = word
                    m += 1
                if words.numeric[word]:
                    digits_left += words.weight[word]
                i += 1
            elif ended_left or words.word[j] < words.word[i]:
                word = words.word[j]
                if n < MAX_UNMATCHED:
                    scratch.right[n] = word
                    n += 1
                if words.numeric[word]:
                    digits_right += words.weight[word]
                j += 1
            else:
                weight = words.weight[words.word[i]]
                shared += weight
                rarest = max(rarest, weight)
                if words.numeric[words.word[i]]:
                    digits += weight
                i += 1
                j += 1
        same = m == 0 and n == 0
        left = _put_rarest_first(words, scratch.left, m)
        right = _put_rarest_first(words, scratch.right, n)
        soft, rest_left, rest_right = _pair_unmatched(words, scratch, left, right)
        values[row, 0] = shared
        values[row, 1] = min(words.total[a], words.total[b])
        values[row, 2] = max(words.total[a], words.total[b])
        values[row, 3] = soft
        values[row, 4] = rarest
        values[row, 5] = min(rest_left, rest_right)
        values[row, 6] = max(rest_left, rest_right)
        values[row, 7] = digits
        values[row, 8] = min(digits_left, digits_right)
        values[row, 9] = max(digits_left, digits_right)
        values[row, 10] = 1.0 if same else 0.0
