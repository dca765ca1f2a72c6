"""An index of fixed records, in which records of other tables find their nearest neighbours.

The two searches are those of `nearest.py`, exact values and n-grams of all columns. The index is
built once. A query reads posting lists from the rarest feature on until its budget is spent, so
that its cost does not depend on the number of records.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import local
from typing import NamedTuple

import numpy as np

from partita.blocking.candidates import POSTINGS_READ
from partita.blocking.features import choose_ngrams, encode_values
from partita.blocking.index import (
    Index,
    Scratch,
    build_index,
    count_features,
    make_scratch,
    renumber_features,
    search,
)
from partita.blocking.nearest import limit_common
from partita.blocking.ngrams import (
    Int32s,
    ValueFeatures,
    extract_ngrams,
    hash_values,
    use_whole_values,
)
from partita.blocking.rules import Column
from partita.kernel import Bytes, Ints

__all__ = ["QueryIndex"]

QUERIES_AT_ONCE = 256
"""Queries of one search; the index numbers them below its own records."""


class _Search(NamedTuple):
    """One inverted index, with the keys of its features."""

    inverted: Index
    keys: Ints
    """Keys of the features, ascending."""
    feature: Int32s
    """The feature of each key."""
    length: int
    """Characters of an n-gram; 0 for whole values."""


class QueryIndex:
    """Nearest records of a fixed table by exact values and by TF-IDF weighted n-grams.

    Parameters
    ----------
    columns
        Codes and distinct values of each column of the records.
    k
        Records that each of the two searches returns per query.
    seed
        Decides between equally near records.
    """

    def __init__(
        self, columns: Mapping[str, Column], k: int, seed: int = 0, budget: int = POSTINGS_READ
    ) -> None:
        rows, texts, ends = encode_values(columns)
        self.names, self.k, self.seed, self.budget = tuple(columns), k, seed % 2**31, budget
        self._scratch = local()
        spare = np.full((QUERIES_AT_ONCE, rows.shape[1]), -1, np.int32)
        values = use_whole_values(ends.size)
        keys = hash_values(texts, ends, _list_places(columns))
        length, grams, _ = choose_ngrams(rows, texts, ends, budget)
        rows = np.concatenate([spare, rows])
        self.searches = (
            _build(rows, values._replace(keys=keys), 0),
            _build(rows, grams, length),
        )

    def find(self, columns: Mapping[str, Column]) -> tuple[Ints, Ints]:
        """Find the nearest records of queries: the place of each query, and a record.

        Pairs are distinct and ordered. Queries have the columns of the index, in any order.
        """
        ordered = {name: columns[name] for name in self.names}
        rows, texts, ends = encode_values(ordered)
        near = [self._find(searched, rows, texts, ends, ordered) for searched in self.searches]
        place, at = np.nonzero((both := np.concatenate(near, 1)) >= 0)
        record = both[place, at].astype(np.int64) - QUERIES_AT_ONCE
        pairs = np.unique(np.stack([place, record], 1), axis=0)
        return pairs[:, 0], pairs[:, 1]

    def _find(
        self,
        searched: _Search,
        rows: Int32s,
        texts: Bytes,
        ends: Ints,
        columns: Mapping[str, Column],
    ) -> Int32s:
        """The nearest records of each query by one search; -1 for the rest."""
        if searched.length:
            features = extract_ngrams(texts, ends, searched.length)
        else:
            keys = hash_values(texts, ends, _list_places(columns))
            features = use_whole_values(ends.size)._replace(keys=keys)
        start, feature = _translate(features, searched)
        width = np.append(np.diff(start), 0)[rows].sum(1)
        near = np.full((len(rows), self.k), -1, np.int32)
        scratch = self._get_scratch(searched)
        scratch = scratch._replace(heap=np.empty(int(width.max(initial=1)), np.int32))
        common = limit_common(searched.inverted)
        for at in range(0, len(rows), QUERIES_AT_ONCE):
            part = np.ascontiguousarray(rows[at : at + QUERIES_AT_ONCE])
            index = searched.inverted._replace(rows=part, start=start, feature=feature)
            no_sources = np.empty(0, np.int32)
            target = near[at : at + QUERIES_AT_ONCE]
            search(index, scratch, no_sources, target, 0, len(part), self.budget, common, self.seed)
        return near

    def _get_scratch(self, searched: _Search) -> Scratch:
        """The working memory of this thread for one search."""
        own: dict[str, Scratch] = self._scratch.__dict__
        name = str(searched.length)
        if name not in own:
            own[name] = make_scratch(searched.inverted, self.k, self.budget)
        return own[name]


def _list_places(columns: Mapping[str, Column]) -> Ints:
    """The place of the column of each value."""
    sizes = [len(column.values) for column in columns.values()]
    return np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)


def _build(rows: Int32s, features: ValueFeatures, length: int) -> _Search:
    """Build the index of all features, also of those of a single record."""
    times, widest = count_features(rows, features)
    index = build_index(rows, features, times, widest, min_records=1)
    order = np.argsort(times, kind="stable")
    keys = features.keys[order[times[order] >= 1]]
    sorted_places = np.argsort(keys, kind="stable")
    return _Search(index, keys[sorted_places], sorted_places.astype(np.int32), length)


def _translate(features: ValueFeatures, searched: _Search) -> tuple[Ints, Int32s]:
    """The features of values by the numbers of an index; features that it lacks are dropped."""
    place = np.searchsorted(searched.keys, features.keys)
    place = np.minimum(place, max(searched.keys.size - 1, 0))
    rank = np.full(features.total, -1, np.int32)
    if searched.keys.size:
        is_known = searched.keys[place] == features.keys
        rank[is_known] = searched.feature[place[is_known]]
    start, feature = np.zeros_like(features.start), np.empty_like(features.feature)
    renumber_features(features.start, features.feature, rank, start, feature)
    return start, feature[: start[-1]].copy()
