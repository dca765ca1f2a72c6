"""Features of records as keys: a key is the same in every file, so that a table can hold it.

A value of a column and an n-gram each have a key of 63 bits. A store appends the inverted lists of
new records to its index; a search reads the lists of the queried records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita.blocking.features import encode_values
from partita.blocking.index import list_postings
from partita.blocking.ngrams import Int32s, ValueFeatures, extract_ngrams, hash_values
from partita.data import Column
from partita.kernel import Ints

__all__ = ["FeatureLists", "digest_records", "hash_column", "list_ngrams", "list_values"]

VALUE_SPACE = 1 << 62
"""Added to the keys of values, so that they differ from those of n-grams."""
ODD = 0x9E3779B97F4A7C15
"""Odd multiplier of the digest of a record, close to 2**64 over the golden ratio."""
DIGEST_SHIFT = 29
"""Bits by which a digest is shifted onto itself."""
SIGN = np.uint64(2**63 - 1)
"""Mask that makes a digest a positive number of 63 bits."""


class FeatureLists(NamedTuple):
    """Inverted lists: the records of feature f are record[first[f]:first[f + 1]], ascending."""

    keys: Ints
    first: Ints
    record: Int32s

    @property
    def counts(self) -> Ints:
        """The number of records of each feature."""
        return np.diff(self.first)

    def by_record(self, n: int) -> tuple[Ints, Ints]:
        """The features of each of n records: those of i are feature[start[i]:start[i + 1]]."""
        feature = np.repeat(np.arange(self.keys.size), self.counts)
        order = np.argsort(self.record, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(self.record, minlength=n))])
        return start.astype(np.int64), feature[order]


def hash_column(column: Column, seed: int) -> Ints:
    """The key of each distinct value of a column; the seed is the place of the column."""
    _, texts, ends = encode_values({column.name: column})
    return hash_values(texts, ends, np.full(ends.size, seed + 1)) + VALUE_SPACE


def list_values(columns: Sequence[Column]) -> FeatureLists:
    """The inverted lists of whole values; the seed of a column is its place."""
    rows, _, ends = encode_values({str(c): column for c, column in enumerate(columns)})
    keys = np.concatenate([hash_column(column, c) for c, column in enumerate(columns)])
    values = ValueFeatures(
        np.arange(ends.size + 1), np.arange(ends.size, dtype=np.int32), ends.size
    )
    first, record = list_postings(rows, values)
    return FeatureLists(keys, first, record)


def list_ngrams(columns: Sequence[Column], length: int) -> FeatureLists:
    """The inverted lists of the character n-grams of all columns pooled."""
    rows, texts, ends = encode_values({str(c): column for c, column in enumerate(columns)})
    features = extract_ngrams(texts, ends, length)
    first, record = list_postings(rows, features)
    return FeatureLists(features.keys, first, record)


def digest_records(columns: Sequence[Column]) -> Ints:
    """A digest of all values of each record; records without any value have the digest 0."""
    n = columns[0].codes.size
    digest, is_empty = np.zeros(n, np.uint64), np.ones(n, bool)
    for c, column in enumerate(columns):
        keys = np.append(hash_column(column, c), 0).astype(np.uint64)[column.codes]
        digest = (digest ^ keys) * np.uint64(ODD)
        digest ^= digest >> np.uint64(DIGEST_SHIFT)
        is_empty &= column.codes < 0
    return np.where(is_empty, 0, (digest & SIGN).astype(np.int64))
