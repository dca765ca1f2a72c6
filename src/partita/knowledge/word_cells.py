"""Words of rows and records, and the cells in which a word of a record may be a word of a row.

A word of a row may be a word of a record if both are equal, or if one is a spelling of the other:
an initial, a start, an abbreviation by left-out letters, or a typing error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from partita.kernel import Ints, distinct_of

__all__ = ["Cells", "RecordWords", "find_spellings", "list_cells"]

MIN_EDITED = 4
"""Letters of a word from which one edit is a typing error: most shorter words are one edit from
another word. Origin: a choice."""
MIN_TWICE_EDITED = 7
"""Letters of a word from which two edits are a typing error. Origin: a choice."""
SLICE_CELLS = 2_000_000
"""Pairs of words, about, that are examined at once: 16 MB an array. Origin: a choice of
memory; the result does not depend on it."""


class RecordWords(NamedTuple):
    """Distinct words of each record; word numbers of record r: word[start[r]:start[r + 1]]."""

    start: Ints
    word: Ints
    texts: list[str]
    """The words by number."""

    @property
    def lengths(self) -> Ints:
        """The number of words of each record."""
        return np.diff(self.start)

    def pair_keys(self, words: Ints, others: Ints) -> Ints:
        """One number for each pair of words."""
        return words * len(self.texts) + others

    def select_pairs(self, pairs: Ints) -> Ints:
        """The pairs of records that both have words."""
        return pairs[(self.lengths[pairs] > 0).all(1)]

    def of(self, records: Ints) -> Ints:
        """The words of some records, one after another."""
        return self.word[_spread(self.start[records], self.lengths[records])]


class Cells(NamedTuple):
    """Cells of pairs of a row and a record, with the places of both words.

    The words of the records of all pairs stand one after another, as do those of the rows.
    """

    pair: Ints
    in_record: Ints
    in_row: Ints
    key: Ints
    """The place of the two words in the ascending keys of words that may be one."""


def _spread(starts: Ints, counts: Ints) -> Ints:
    """start, start + 1, ... for each of several runs of numbers."""
    first = np.cumsum(counts) - counts
    return np.repeat(starts - first, counts) + np.arange(int(counts.sum()))


def _cross(words: RecordWords, pairs: Ints) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """Yield all pairs of words of slices of the pairs of records.

    Each slice has the pair, the places of the record's and the row's word, and both words.
    """
    rows, records = pairs.T
    counts, at = words.lengths, 0
    sizes = counts[rows] * counts[records]
    last = np.cumsum(sizes)
    in_record = np.cumsum(counts[records]) - counts[records]
    in_row = np.cumsum(counts[rows]) - counts[rows]
    while at < len(pairs):
        limit = (last[at - 1] if at else 0) + SLICE_CELLS
        end = max(at + 1, int(np.searchsorted(last, limit, side="right")))
        pair = np.repeat(np.arange(at, end), sizes[at:end])
        place = _spread(np.zeros(end - at, np.int64), sizes[at:end])
        v, w = np.divmod(place, counts[rows[pair]])
        yield (
            pair,
            in_record[pair] + v,
            in_row[pair] + w,
            words.word[words.start[records[pair]] + v],
            words.word[words.start[rows[pair]] + w],
        )
        at = end


def find_spellings(words: RecordWords, pairs: Ints) -> Ints:
    """The ascending keys of words of records and rows that are equal, or spellings in `pairs`."""
    texts = words.texts
    has_digit = np.array([any(letter.isdigit() for letter in text) for text in texts], bool)
    first = np.unique([text[:1] for text in texts], return_inverse=True)[1].reshape(-1)
    keys = [np.zeros(0, np.int64)]
    for *_, v, w in _cross(words, pairs):
        may_be = (first[v] == first[w]) & ~has_digit[v] & ~has_digit[w] & (v != w)
        keys.append(distinct_of(words.pair_keys(v[may_be], w[may_be])))
    distinct = distinct_of(np.concatenate(keys))
    v, w = np.divmod(distinct, max(len(texts), 1))
    spelt = distinct[_are_spellings([texts[k] for k in v], [texts[k] for k in w])]
    every = np.arange(len(texts))
    return np.sort(np.concatenate([words.pair_keys(every, every), spelt]))


def _are_spellings(left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
    """Whether two different words with the same first letter may be one."""
    length = np.array([max(len(a), len(b)) for a, b in zip(left, right, strict=True)], np.int64)
    allowed = (length >= MIN_EDITED).astype(np.int64) + (length >= MIN_TWICE_EDITED)
    edits = process.cpdist(list(left), list(right), scorer=OSA.distance, dtype=np.int32)
    shortened = [_is_shortened(*sorted(two, key=len)) for two in zip(left, right, strict=True)]
    return np.asarray((edits <= allowed) | np.array(shortened, bool))


def _is_shortened(short: str, long: str) -> bool:
    """Whether all letters of a word occur in another in their order."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def list_cells(words: RecordWords, keys: Ints, pairs: Ints) -> Cells:
    """The cells of pairs of a row and a record whose words have one of the keys."""
    parts = [Cells(*(np.zeros(0, np.int64) for _ in Cells._fields))]
    for pair, in_record, in_row, v, w in _cross(words, pairs):
        key = words.pair_keys(v, w)
        place = np.minimum(np.searchsorted(keys, key), max(keys.size - 1, 0))
        listed = np.flatnonzero(keys[place] == key) if keys.size else np.zeros(0, np.int64)
        parts.append(Cells(pair[listed], in_record[listed], in_row[listed], place[listed]))
    return Cells(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
