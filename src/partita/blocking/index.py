"""An inverted index over integer features, and the search for a record's nearest neighbours in it.

A record is a row of value numbers, a value is a list of features (itself, or its character
3-grams), a feature is a list of records. Nothing is kept per record beside its row of values and
its place in the lists. Similarity is the cosine of binary vectors weighted by idf,

    s(i, j) = sum over shared features f of idf_f^2 / (|i| |j|),   idf_f = log(n / df_f) + 0.05,

so a list needs no weights. Features are numbered from the rarest to the commonest, and a search
reads lists in that order until it has spent its postings: its cost does not depend on n.
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
    "make_scratch",
    "measure_reach",
    "search",
]

Singles = NDArray[np.float32]

FLOOR = 0.05
"""Added to every idf, so that a feature of all records still counts a little."""
SAMPLED = 500
"""About how many records `reach` looks at."""
PATIENCE = 4
"""A search that found too few neighbours may spend this many times its postings."""


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
    """Most features of one record, counting those of each value by themselves."""


class Scratch(NamedTuple):
    """What one thread needs for searches; never shared."""

    sum: Singles
    """Weight that each record shares with the one searched for; 0 between searches."""
    touched: Int32s
    seen: Int32s
    heap: Int32s
    score: Singles
    tie: Ints


def count_features(rows: Int32s, traits: ValueFeatures) -> tuple[Ints, int]:
    """In how many records each feature occurs, and the most features of one record."""
    times = np.zeros(traits.total, np.int64)
    seen = np.full(traits.total, -1, np.int32)
    return times, _count(rows, traits.start, traits.feature, seen, times)


def measure_reach(rows: Int32s, traits: ValueFeatures, times: Ints, budget: int) -> float:
    """The share of its shared features that a typical record's search can read (median)."""
    some = np.ascontiguousarray(rows[:: max(1, rows.shape[0] // SAMPLED)])
    seen, shares = np.full(traits.total, -1, np.int32), np.full(len(some), np.nan)
    width = np.append(np.diff(traits.start), 0)[some].sum(1)
    heap = np.empty(int(width.max(initial=0)), np.int32)
    _readable(some, traits.start, traits.feature, seen, heap, times, budget, shares)
    shares = shares[~np.isnan(shares)]
    return float(np.median(shares)) if shares.size else 1.0


def build_index(rows: Int32s, traits: ValueFeatures, times: Ints, widest: int) -> Index:
    """The index of records, given as rows of value numbers, by the features of their values."""
    n = rows.shape[0]
    idf = np.log(n / np.maximum(times, 1)) + FLOOR
    order = np.argsort(times, kind="stable")
    # one record's own features never match and only make lists longer
    lone = int(np.searchsorted(times[order], 2))
    rank = np.empty(traits.total, np.int32)
    rank[order] = np.arange(traits.total) - lone
    scale = np.empty(n, np.float32)
    seen = np.full(traits.total, -1, np.int32)
    _measure(rows, traits.start, traits.feature, seen, idf * idf, scale)
    start, feature = np.zeros_like(traits.start), np.empty_like(traits.feature)
    _renumber(traits.start, traits.feature, rank, start, feature)
    first = np.zeros(traits.total - lone + 1, np.int64)
    np.cumsum(times[order[lone:]], out=first[1:])
    record = np.empty(first[-1], np.int32)
    seen.fill(-1)
    _fill(rows, start, feature, seen, first[:-1].copy(), record)
    weight = (idf[order[lone:]] ** 2).astype(np.float32)
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
def _renumber(
    start: Ints, feature: Int32s, rank: Int32s, new_start: Ints, new_feature: Int32s
) -> None:
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
        # beyond its budget a search reads one list more, and only while it has touched at most k
        np.empty(min(n, budget + k + 1) + 1, np.int32),
        np.full(index.weight.size, -1, np.int32),
        np.empty(index.widest, np.int32),
        np.empty(k, np.float32),
        np.empty(k, np.int64),
    )


@kernel
def _sink(heap: Int32s, at: int, size: int) -> None:
    """Restore the order of a heap, smallest first, whose cell `at` may be too large."""
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
def _listed(rows: Int32s, start: Ints, feature: Int32s, seen: Int32s, found: Int32s, i: int) -> int:
    """List the distinct features of a record; returns how many."""
    size = 0
    for c in range(rows.shape[1]):
        value = rows[i, c]
        if value >= 0:
            for q in range(start[value], start[value + 1]):
                f = feature[q]
                if seen[f] != i:
                    seen[f] = i
                    found[size] = f
                    size += 1
    return size


@kernel
def _heaped(heap: Int32s, size: int) -> None:
    """Bring a heap into order, smallest first."""
    for at in range(size // 2 - 1, -1, -1):
        _sink(heap, at, size)


@entry
def _readable(
    rows: Int32s,
    start: Ints,
    feature: Int32s,
    seen: Int32s,
    heap: Int32s,
    times: Ints,
    budget: int,
    shares: Floats,
) -> None:
    """Of the lists that each record shares with others, how many the budget pays for."""
    for i in range(rows.shape[0]):
        size = 0
        for at in range(_listed(rows, start, feature, seen, heap, i)):
            if times[heap[at]] > 1:
                heap[size] = times[heap[at]]
                size += 1
        if size == 0:
            continue
        _heaped(heap, size)
        left, spent = size, 0
        while left > 0 and spent + heap[0] <= budget:
            spent += heap[0]
            left -= 1
            heap[0] = heap[left]
            _sink(heap, 0, left)
        shares[i] = (size - left) / size


@kernel
def _rarest_first(index: Index, scratch: Scratch, i: int) -> int:
    """Put the features of a record into the heap; return how many."""
    size = _listed(index.rows, index.start, index.feature, scratch.seen, scratch.heap, i)
    for at in range(size):
        scratch.seen[scratch.heap[at]] = -1
    _heaped(scratch.heap, size)
    return size


@kernel
def _window(index: Index, f: int, i: int, most: int) -> tuple[int, int]:
    """The part of a list that is read: all, or `most` of it around the record itself."""
    low, high = index.first[f], index.first[f + 1]
    if high - low <= most:
        return low, high
    a, b = low, high
    while a < b:
        mid = (a + b) // 2
        if index.record[mid] < i:
            a = mid + 1
        else:
            b = mid
    low = min(max(low, a - most // 2), high - most)
    return low, low + most


@kernel
def _touch(
    index: Index, scratch: Scratch, source: Int32s, i: int, k: int, budget: int, cap: int
) -> int:
    """Sum the weights of shared features, rarest first; return how many records were touched."""
    size = _rarest_first(index, scratch, i)
    many, spent = 0, 0
    linked = source.size > 0
    while size > 0 and spent < PATIENCE * budget:
        f = scratch.heap[0]
        length = index.first[f + 1] - index.first[f]
        if spent > 0 and (length > cap or (spent + length > budget and many > k)):
            break
        low, high = _window(index, f, i, budget)
        weight = index.weight[f]
        for q in range(low, high):
            j = index.record[q]
            if linked and source[j] == source[i]:
                continue
            # written always and counted if new: a branch here is hard to foresee
            scratch.touched[many] = j
            before = scratch.sum[j]
            many += before == 0.0
            scratch.sum[j] = before + weight
        spent += high - low
        size -= 1
        scratch.heap[0] = scratch.heap[size]
        _sink(scratch.heap, 0, size)
    return many


@kernel
def _tie(i: int, j: int, seed: int) -> int:
    """A number that decides between equal scores, the same seen from either record."""
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
    """Write into near[i] the nearest records of each i in first..last-1, the rest -1."""
    k = near.shape[1]
    for i in range(first, last):
        many = _touch(index, scratch, source, i, k, budget, cap)
        found, worst = 0, 0
        for q in range(many):
            j = scratch.touched[q]
            score = scratch.sum[j] * index.scale[j]
            scratch.sum[j] = 0.0
            if j == i:
                continue
            full = found == k
            if full and score < scratch.score[worst]:
                continue
            tie = _tie(i, j, seed)
            if full and score == scratch.score[worst] and tie <= scratch.tie[worst]:
                continue
            place = worst if full else found
            near[i, place], scratch.score[place], scratch.tie[place] = j, score, tie
            found += not full
            if found == k:
                worst = 0
                for c in range(1, k):
                    a, b = scratch.score[c], scratch.score[worst]
                    if a < b or (a == b and scratch.tie[c] < scratch.tie[worst]):
                        worst = c
        for c in range(found, k):
            near[i, c] = -1
