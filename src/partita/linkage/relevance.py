"""Relevance of each column by the others: how far similar records agree in it, beyond random ones.

The nearest neighbour of a record by the n-grams of all other columns is often a record of the same
entity. A column that describes entities is more similar in these pairs than in random pairs of the
same sources; a note, a time stamp or a key is not. The relevance is the standardised area under the
curve (Mann and Whitney 1947) of the two similarities: about normal for a column without relation
to the others. It depends on the content of the records alone, not on the order of rows and columns
or on the names of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.features import encode_values
from partita.blocking.index import build_index, count_features, make_scratch, search
from partita.blocking.ngrams import Int32s, ValueFeatures, extract_ngrams
from partita.comparison.strings import Strings
from partita.data import Column
from partita.data.arrow import from_numpy
from partita.data.row_order import Hashes, hash_rows
from partita.kernel import Ints, distinct_of

__all__ = [
    "CLEAR_RELEVANCE",
    "NeighbourPairs",
    "NeighbourSearch",
    "measure_relevance",
    "standardise_auc",
]

SAMPLE_QUERIES = 1_200
"""Distinct records whose nearest neighbours are found. A limit of CPU seconds."""
MAX_LETTERS = 1_000_000
"""Letters of the records among which neighbours are searched, about. A limit of CPU seconds."""
POOL_LIMITS = (4_000, 20_000)
"""Records among which neighbours are searched, at least and at most. A limit of CPU seconds."""
RARE_RECORDS = 20
"""Records that share a value up to which it leads to neighbours in a large file. A limit of CPU
seconds."""
RANDOM_SHARE = 0.3
"""Share of a pool that is random, so that common n-grams of the file are common in it.
Origin: a choice."""
NGRAM_LENGTH = 3
"""Characters of an n-gram."""
BUDGET = 5_000
"""Postings that the search of a record reads. A limit of CPU seconds."""
COMPARED_LETTERS = 200
"""Letters of a value that are compared. A limit of CPU seconds."""
CLEAR_RELEVANCE = 3.0
"""Relevance (standard errors) from which a column describes the entities. Origin: 181 of 183 idle
columns of 16 labelled sets are below 2.5."""
MIN_PAIRS = 30
"""Neighbours with both values filled from which the relevance is measured. Origin: a choice."""
SEED = 1
"""The seed of random partners; a fixed one, so that the result depends on the records alone."""


class Sample(NamedTuple):
    """Distinct records of a file in an order by content; the first ones are queries."""

    rows: Ints
    """A row of each distinct record."""
    queries: int
    source: Int32s
    """The source of each distinct record; empty without sources."""
    parts: list[Hashes]
    """A hash of the value of each distinct record, by column."""


class NeighbourPairs(NamedTuple):
    """Places in a sample: records, their neighbours, and random records of the same source."""

    left: Ints
    near: Ints
    random: Ints


def measure_relevance(columns: Sequence[Column], search: NeighbourSearch) -> dict[str, float]:
    """The relevance of each column; nan where the other columns cannot show it.

    Columns without a clear relevance are judged again by those that have one: idle columns among
    the others lead to neighbours that are of no entity.
    """
    first = [_measure_column(column, search, q) for q, column in enumerate(columns)]
    clear = [q for q, z in enumerate(first) if z >= CLEAR_RELEVANCE]
    return {
        column.name: z
        if not clear or z >= CLEAR_RELEVANCE
        else _measure_column(column, search, q, clear)
        for q, (column, z) in enumerate(zip(columns, first, strict=True))
    }


def _sample_records(columns: Sequence[Column], sources: NDArray[np.integer] | None) -> Sample:
    """The distinct records, in an order that depends on their content alone."""
    parts = [_hash_column(column) for column in columns]
    keys = sum(parts, np.zeros(columns[0].codes.size, np.uint64))
    if sources is not None:
        keys = keys + hash_rows([sources.astype(np.int64)], sources.size)
    _, rows = np.unique(keys, return_index=True)
    own = np.empty(0, np.int32)
    if sources is not None and distinct_of(sources.astype(np.int64)).size > 1:
        own = np.ascontiguousarray(sources[rows], np.int32)
    parts = [part[rows] for part in parts]
    return Sample(rows.astype(np.int64), min(SAMPLE_QUERIES, rows.size), own, parts)


def _hash_column(column: Column) -> Hashes:
    """Hash the values of a column; sums of columns do not depend on their order and names."""
    n = column.codes.size
    return hash_rows([np.full(n, len(column.values)), column.codes], n)


class NeighbourSearch:
    """Search for the nearest neighbours of sampled records by all columns but one.

    Parameters
    ----------
    columns
        Two columns at least.
    sources
        The source of each record, if there are several.
    """

    def __init__(
        self, columns: Sequence[Column], sources: NDArray[np.integer] | None = None
    ) -> None:
        self.sample = sample = _sample_records(columns, sources)
        self.codes = [column.codes[sample.rows] for column in columns]
        # sums of 32-bit weights depend on the order of the columns, so that content decides it
        order = sorted(range(len(columns)), key=lambda q: _describe(columns[q]))
        self.place = {q: at for at, q in enumerate(order)}
        letters = np.array([_count_letters(column) for column in columns])
        mean = max(float(letters.sum()) / columns[0].codes.size, 1.0)
        self.limit = int(np.clip(MAX_LETTERS / mean, *POOL_LIMITS))
        self.linked: list[Ints] = []
        pool = np.arange(sample.rows.size)
        if pool.size > self.limit:
            self.linked = [_link_by_rare_values(codes, sample.queries) for codes in self.codes]
            pool = self._choose_pool(sum(self.linked, np.zeros(pool.size, np.int64)))
        self.pool = pool
        some = {str(at): _select(columns[q], sample.rows[pool]) for at, q in enumerate(order)}
        self.values, texts, ends = encode_values(some)
        self.features: ValueFeatures = extract_ngrams(texts, ends, NGRAM_LENGTH)

    def _choose_pool(self, links: Ints) -> Ints:
        """The queries, records that share rare values with them, and random records."""
        own, random = self.sample.queries, int(RANDOM_SHARE * self.limit)
        linked = np.flatnonzero(links[own:] > 0)[: self.limit - own - random] + own
        return np.union1d(np.arange(own + random), linked)

    def find(
        self, q: int, by: Sequence[int] | None = None, queries: int | None = None
    ) -> NeighbourPairs:
        """Neighbours of the queries by other columns than the one of number q, and random records.

        `by` are the columns, by default all. Of records that agree in all of them one takes part:
        copies of whole records agree in every column, and rows that differ in one column alone
        would all differ in that one.
        `queries` replaces the number of queries of the sample: all searched records of a smaller
        place are queries.
        """
        pool = self.pool
        used = [k for k in range(len(self.codes)) if k != q and (by is None or k in by)]
        if self.linked:
            # records that only share a value of the column itself would agree in it by selection
            others = sum(
                (self.linked[k] for k in used),
                np.zeros(self.sample.rows.size, np.int64),
            )
            is_random = pool < self.sample.queries + int(RANDOM_SHARE * self.limit)
            chosen = np.flatnonzero(is_random | (others[pool] > 0))
        else:
            chosen = np.arange(pool.size)
        keys = sum((self.sample.parts[k] for k in used), np.zeros(self.codes[0].size, np.uint64))
        if self.sample.source.size:
            keys = keys + hash_rows([self.sample.source], keys.size)
        _, distinct = np.unique(keys[pool[chosen]], return_index=True)
        chosen = chosen[np.sort(distinct)]
        places = sorted(self.place[k] for k in used)
        values = np.ascontiguousarray(self.values[np.ix_(chosen, np.array(places))])
        sample = self.sample if queries is None else self.sample._replace(queries=queries)
        return _find_pairs(values, self.features, sample, pool[chosen], self.codes[q])


def _find_pairs(
    values: Int32s,
    features: ValueFeatures,
    sample: Sample,
    pool: Ints,
    codes: NDArray[np.int32],
) -> NeighbourPairs:
    """Nearest neighbours of the queries in a pool, where both have a value of a column.

    With sources, a record has its nearest neighbour and the nearest one of another source.
    """
    index = build_index(values, features, *count_features(values, features))
    scratch, common = make_scratch(index, 1, BUDGET), values.shape[0]
    queries = int(np.searchsorted(pool, sample.queries))
    source = np.ascontiguousarray(sample.source[pool]) if sample.source.size else sample.source
    left, near = [], []
    for own in (np.empty(0, np.int32), source)[: 1 + bool(source.size)]:
        best = np.full((values.shape[0], 1), -1, np.int32)
        search(index, scratch, own, best, 0, queries, BUDGET, common, SEED)
        answered = np.flatnonzero(best[:queries, 0] >= 0)
        left.append(pool[answered])
        near.append(pool[best[answered, 0]])
    first, second = np.concatenate(left), np.concatenate(near)
    both = (codes[first] >= 0) & (codes[second] >= 0)
    first, second = first[both], second[both]
    random = _draw_partners(first, second, sample, codes)
    known = (random >= 0) & (random != first)
    return NeighbourPairs(first, second, np.where(known, random, -1))


def _draw_partners(first: Ints, second: Ints, sample: Sample, codes: NDArray[np.int32]) -> Ints:
    """A random record for each query, filled and of the source of its neighbour."""
    rng = np.random.default_rng(SEED)
    filled = np.flatnonzero(codes >= 0)
    random = np.full(first.size, -1, np.int64)
    if not sample.source.size:
        return filled[rng.integers(filled.size, size=first.size)] if first.size else random
    for source in distinct_of(sample.source[second].astype(np.int64)).tolist():
        places = np.flatnonzero(sample.source[second] == source)
        own = filled[sample.source[filled] == source]
        random[places] = own[rng.integers(own.size, size=places.size)]
    return random


def _measure_column(
    column: Column, search: NeighbourSearch, q: int, by: Sequence[int] | None = None
) -> float:
    """The standardised area under the curve of a column's similarity in neighbours."""
    pairs, sample = search.find(q, by), search.sample
    known = pairs.random >= 0
    if known.sum() < MIN_PAIRS:
        return float("nan")
    codes = column.codes[sample.rows]
    used = distinct_of(
        np.concatenate([codes[pairs.left], codes[pairs.near], codes[pairs.random[known]]]).astype(
            np.int64
        )
    )
    text = Strings([value[:COMPARED_LETTERS] for value in column.texts(used)])
    left, near = (np.searchsorted(used, codes[side]) for side in (pairs.left, pairs.near))
    random = np.searchsorted(used, codes[pairs.random[known]])
    return standardise_auc(
        text.jaro_winkler(left, near, 0.0), text.jaro_winkler(left[known], random, 0.0)
    )


def standardise_auc(first: NDArray[np.floating], second: NDArray[np.floating]) -> float:
    """(AUC - 1/2) over its standard error without relation; ties count half."""
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, "left") + np.searchsorted(ordered, first, "right")
    a, b = first.size, second.size
    auc = float(below.sum()) / (2 * a * b)
    return float((auc - 0.5) / np.sqrt((a + b + 1) / (12 * a * b)))


def _describe(column: Column) -> tuple[int, int, str]:
    """A key that orders columns by content: distinct values, filled records and the first value."""
    first = column.texts(np.zeros(1, np.int64))[0] if len(column.values) else ""
    return len(column.values), int(column.counts.sum()), first


def _count_letters(column: Column) -> float:
    """The bytes of all values of a column, by the records that have them."""
    if not len(column.values):
        return 0.0
    offsets = np.frombuffer(column.values.buffers()[1], np.int32)
    ends = offsets[column.values.offset : column.values.offset + len(column.values) + 1]
    return float(np.diff(ends).astype(np.float64) @ column.counts)


def _link_by_rare_values(codes: NDArray[np.int32], queries: int) -> Ints:
    """1 for the records that share a rare value with a query, else 0."""
    counts = np.append(np.bincount(codes[codes >= 0], minlength=1), 0)
    is_link = np.zeros(counts.size, np.int64)
    is_link[codes[:queries]] = 1
    is_link[(counts < 2) | (counts > RARE_RECORDS)] = 0
    return is_link[codes]


def _select(column: Column, rows: Ints) -> Column:
    """The values of some rows; values that none of them has stay away."""
    codes = column.codes[rows]
    used = distinct_of(codes[codes >= 0].astype(np.int64))
    place = np.full(len(column.values) + 1, -1, np.int32)
    place[used] = np.arange(used.size, dtype=np.int32)
    counts = np.bincount(place[codes][codes >= 0], minlength=used.size).astype(np.int64)
    return Column(column.name, place[codes], column.values.take(from_numpy(used)), counts)
