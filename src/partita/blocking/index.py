"""An inverted index over integer features, and the search for the nearest neighbours of records.

A record is a row of value numbers, a value is a list of features (itself, or its character
n-grams), a feature has a posting list of records. A record takes no memory beside its row of values
and its postings. Similarity is the cosine of binary vectors weighted by idf,

    s(i, j) = sum over shared features f of idf_f^2 / (|i| |j|),   idf_f = log(n / df_f) + 0.05,

so a posting list needs no weights. Features are numbered from the rarest to the commonest. A search
reads lists in that order until its budget of postings is spent: its cost does not depend on n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.ngrams import MULTIPLIER, PRIME, Int32s, ValueFeatures
from partita.kernel import Floats, Ints, entry, kernel

__all__ = [
    "Index",
    "Scratch",
    "build_index",
    "count_features",
    "list_postings",
    "make_scratch",
    "measure_reach",
    "renumber_features",
    "search",
]

Singles = NDArray[np.float32]

IDF_FLOOR = 0.05
"""Added to every idf, so that a feature of all records has a small weight. Origin: 0.1."""
REACH_RECORDS = 500
"""Records, about, that `measure_reach` samples. A limit of CPU seconds."""
BUDGET_FACTOR = 4
"""A search that finds fewer than k neighbours may spend its budget this many times. A limit of
CPU seconds."""


class Index(NamedTuple):
    """Records by feature, features numbered from the rarest to the commonest."""

    rows: Int32s
    """Value numbers of each record, -1 where missing."""
    start: Ints
    feature: Int32s
    """Features of each value that at least two records have."""
    first: Ints
    record: Int32s
    """Records with feature f: record[first[f]:first[f + 1]], ascending."""
    weight: Singles
    """Squared idf of each feature."""
    scale: Singles
    """One over the length of each record's vector."""
    widest: int
    """The largest number of features of a record, summed over its values."""


class Scratch(NamedTuple):
    """Working memory of one thread; never shared."""

    sum: Singles
    """The weight that each record shares with the query record; 0 between searches."""
    touched: Int32s
    seen: Int32s
    heap: Int32s
    score: Singles
    tie: Ints


def count_features(rows: Int32s, features: ValueFeatures) -> tuple[Ints, int]:
    """Count the records of each feature, and the features of the widest record."""
    times = np.zeros(features.total, np.int64)
    seen = np.full(features.total, -1, np.int32)
    return times, _count(rows, features.start, features.feature, seen, times)


def measure_reach(rows: Int32s, features: ValueFeatures, times: Ints, budget: int) -> float:
    """Measure the share of its shared features that a search can read (median over records)."""
    sample = np.ascontiguousarray(rows[:: max(1, rows.shape[0] // REACH_RECORDS)])
    seen, shares = np.full(features.total, -1, np.int32), np.full(len(sample), np.nan)
    width = np.append(np.diff(features.start), 0)[sample].sum(1)
    heap = np.empty(int(width.max(initial=0)), np.int32)
    _measure_readable(sample, features.start, features.feature, seen, heap, times, budget, shares)
    shares = shares[~np.isnan(shares)]
    return float(np.median(shares)) if shares.size else 1.0


def list_postings(rows: Int32s, features: ValueFeatures) -> tuple[Ints, Int32s]:
    """List the records of each feature: those of f are record[first[f]:first[f + 1]]."""
    times, _ = count_features(rows, features)
    first = np.zeros(features.total + 1, np.int64)
    np.cumsum(times, out=first[1:])
    record = np.empty(first[-1], np.int32)
    seen = np.full(features.total, -1, np.int32)
    _fill(rows, features.start, features.feature, seen, first[:-1].copy(), record)
    return first, record


def build_index(
    rows: Int32s,
    features: ValueFeatures,
    times: Ints,
    widest: int,
    min_records: int = 2,
    factors: Floats | None = None,
) -> Index:
    """Build the index of records, which are rows of value numbers, by features of values.

    Features of fewer than `min_records` records are left out: those of a single record match no
    other record of the same table. `factors` multiply the idf of the features.
    """
    n = rows.shape[0]
    idf = np.log(n / np.maximum(times, 1)) + IDF_FLOOR
    if factors is not None:
        idf = idf * factors
    order = np.argsort(times, kind="stable")
    unshared = int(np.searchsorted(times[order], min_records))
    rank = np.empty(features.total, np.int32)
    rank[order] = np.arange(features.total) - unshared
    scale = np.empty(n, np.float32)
    seen = np.full(features.total, -1, np.int32)
    _measure(rows, features.start, features.feature, seen, idf * idf, scale)
    start, feature = np.zeros_like(features.start), np.empty_like(features.feature)
    renumber_features(features.start, features.feature, rank, start, feature)
    first = np.zeros(features.total - unshared + 1, np.int64)
    np.cumsum(times[order[unshared:]], out=first[1:])
    record = np.empty(first[-1], np.int32)
    seen.fill(-1)
    _fill(rows, start, feature, seen, first[:-1].copy(), record)
    weight = (idf[order[unshared:]] ** 2).astype(np.float32)
    return Index(rows, start, feature[: start[-1]].copy(), first, record, weight, scale, widest)


@entry
def _count(rows: Int32s, start: Ints, feature: Int32s, seen: Int32s, times: Ints) -> int:
    widest = 0
    for i in range(rows.shape[0]):
        width = 0
        for c in range(rows.shape[1]):
            value = rows[i, c]
            if value >= 0:
                width += start[value + 1] - start[value]
                for q in range(start[value], start[value + 1]):
                    if seen[feature[q]] != i:
                        seen[feature[q]] = i
                        times[feature[q]] += 1
        widest = max(widest, width)
    return widest


@entry
def _measure(
    rows: Int32s, start: Ints, feature: Int32s, seen: Int32s, weight: Floats, scale: Singles
) -> None:
    for i in range(rows.shape[0]):
        total = 0.0
        for c in range(rows.shape[1]):
            value = rows[i, c]
            if value >= 0:
                for q in range(start[value], start[value + 1]):
                    if seen[feature[q]] != i:
                        seen[feature[q]] = i
                        total += weight[feature[q]]
        scale[i] = 1.0 / np.sqrt(total) if total > 0.0 else 0.0


@entry
def renumber_features(
    start: Ints, feature: Int32s, rank: Int32s, new_start: Ints, new_feature: Int32s
) -> None:
    """Write the features of each value under their new numbers; those below 0 are dropped."""
    top = 0
    for value in range(start.size - 1):
        for q in range(start[value], start[value + 1]):
            if rank[feature[q]] >= 0:
                new_feature[top] = rank[feature[q]]
                top += 1
        new_start[value + 1] = top


@entry
def _fill(
    rows: Int32s, start: Ints, feature: Int32s, seen: Int32s, free: Ints, record: Int32s
) -> None:
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            value = rows[i, c]
            if value >= 0:
                for q in range(start[value], start[value + 1]):
                    f = feature[q]
                    if seen[f] != i:
                        seen[f] = i
                        record[free[f]] = i
                        free[f] += 1


def make_scratch(index: Index, k: int, budget: int) -> Scratch:
    """Working memory of one thread that searches an index."""
    n = index.rows.shape[0]
    return Scratch(
        np.zeros(n, np.float32),
        # above its budget a search reads one more list, and only while it has touched at most k
        np.empty(min(n, budget + k + 1) + 1, np.int32),
        np.full(index.weight.size, -1, np.int32),
        np.empty(index.widest, np.int32),
        np.empty(k, np.float32),
        np.empty(k, np.int64),
    )


@kernel
def _sink(heap: Int32s, at: int, size: int) -> None:
    """Restore a heap, smallest first, whose cell `at` may be too large."""
    moving = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= moving:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moving


@kernel
def _list_features(
    rows: Int32s, start: Ints, feature: Int32s, seen: Int32s, features: Int32s, i: int
) -> int:
    """List the distinct features of a record and return their number."""
    size = 0
    for c in range(rows.shape[1]):
        value = rows[i, c]
        if value >= 0:
            for q in range(start[value], start[value + 1]):
                f = feature[q]
                if seen[f] != i:
                    seen[f] = i
                    features[size] = f
                    size += 1
    return size


@kernel
def _heapify(heap: Int32s, size: int) -> None:
    """Order a heap, smallest first."""
    for at in range(size // 2 - 1, -1, -1):
        _sink(heap, at, size)


@entry
def _measure_readable(
    rows: Int32s,
    start: Ints,
    feature: Int32s,
    seen: Int32s,
    heap: Int32s,
    times: Ints,
    budget: int,
    shares: Floats,
) -> None:
    """Compute the share of each record's shared lists that the budget covers."""
    for i in range(rows.shape[0]):
        size = 0
        for at in range(_list_features(rows, start, feature, seen, heap, i)):
            if times[heap[at]] > 1:
                heap[size] = times[heap[at]]
                size += 1
        if size == 0:
            continue
        _heapify(heap, size)
        remaining, spent = size, 0
        while remaining > 0 and spent + heap[0] <= budget:
            spent += heap[0]
            remaining -= 1
            heap[0] = heap[remaining]
            _sink(heap, 0, remaining)
        shares[i] = (size - remaining) / size


@kernel
def _heap_features(index: Index, scratch: Scratch, i: int) -> int:
    """Put the features of a record into the heap and return their number."""
    size = _list_features(index.rows, index.start, index.feature, scratch.seen, scratch.heap, i)
    for at in range(size):
        scratch.seen[scratch.heap[at]] = -1
    _heapify(scratch.heap, size)
    return size


@kernel
def _find_window(index: Index, f: int, i: int, limit: int) -> tuple[int, int]:
    """Find the part of a list to read: all of it, or `most` postings around the record."""
    low, high = index.first[f], index.first[f + 1]
    if high - low <= limit:
        return low, high
    a, b = low, high
    while a < b:
        mid = (a + b) // 2
        if index.record[mid] < i:
            a = mid + 1
        else:
            b = mid
    low = min(max(low, a - limit // 2), high - limit)
    return low, low + limit


@kernel
def _sum_weights(
    index: Index, scratch: Scratch, source: Int32s, i: int, k: int, budget: int, cap: int
) -> int:
    """Sum the weights of shared features, rarest first; return the number of touched records."""
    size = _heap_features(index, scratch, i)
    touched, spent = 0, 0
    has_sources = source.size > 0
    while size > 0 and spent < BUDGET_FACTOR * budget:
        f = scratch.heap[0]
        length = index.first[f + 1] - index.first[f]
        if spent > 0 and (length > cap or (spent + length > budget and touched > k)):
            break
        low, high = _find_window(index, f, i, budget)
        weight = index.weight[f]
        for q in range(low, high):
            j = index.record[q]
            if has_sources and source[j] == source[i]:
                continue
            # written always and counted if new: processors predict a branch here badly
            scratch.touched[touched] = j
            before = scratch.sum[j]
            touched += before == 0.0
            scratch.sum[j] = before + weight
        spent += high - low
        size -= 1
        scratch.heap[0] = scratch.heap[size]
        _sink(scratch.heap, 0, size)
    return touched


@kernel
def _break_tie(i: int, j: int, seed: int) -> int:
    """A number that decides between equal scores, symmetric in the two records."""
    low, high = int(min(i, j)), int(max(i, j))
    mixed = (low + seed + 1) % PRIME * MULTIPLIER % PRIME
    return (mixed ^ high) % PRIME * MULTIPLIER % PRIME


@entry
def search(
    index: Index,
    scratch: Scratch,
    source: Int32s,
    near: Int32s,
    first: int,
    last: int,
    budget: int,
    cap: int,
    seed: int,
) -> None:
    """Write the nearest records of each i in first..last-1 into near[i], and -1 for the rest."""
    k = near.shape[1]
    for i in range(first, last):
        touched = _sum_weights(index, scratch, source, i, k, budget, cap)
        filled, worst = 0, 0
        for q in range(touched):
            j = scratch.touched[q]
            score = scratch.sum[j] * index.scale[j]
            scratch.sum[j] = 0.0
            if j == i:
                continue
            is_full = filled == k
            if is_full and score < scratch.score[worst]:
                continue
            tie = _break_tie(i, j, seed)
            if is_full and score == scratch.score[worst] and tie <= scratch.tie[worst]:
                continue
            place = worst if is_full else filled
            near[i, place], scratch.score[place], scratch.tie[place] = j, score, tie
            filled += not is_full
            if filled == k:
                worst = 0
                for c in range(1, k):
                    a, b = scratch.score[c], scratch.score[worst]
                    if a < b or (a == b and scratch.tie[c] < scratch.tie[worst]):
                        worst = c
        for c in range(filled, k):
            near[i, c] = -1
