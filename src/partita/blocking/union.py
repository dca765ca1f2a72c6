"""The union of lists of pairs: each pair once, in order, with a bit for every list that has it.

Two counting sorts, by the higher record and then by the lower, bring equal pairs together in linear
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.blocking.ngrams import Int32s
from partita.kernel import Ints, entry

__all__ = ["Flags", "PairList", "merge_pairs"]

PairList = tuple[Int32s, Int32s]
"""Records, and for each a row of the records that it is paired with, -1 for none."""
Flags = NDArray[np.unsignedinteger[Any]]


def merge_pairs(lists: Sequence[PairList], n: int) -> tuple[Int32s, Flags, Int32s]:
    """Merge lists to pairs (i, j) with i < j, a bit for each list, and pair counts of records."""
    dtype = next(t for t in (np.uint8, np.uint16, np.uint32) if len(lists) <= 8 * t().itemsize)
    by_high, by_low = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for left, right in lists:
        _count(left, right, by_high[1:], by_low[1:])
    np.cumsum(by_high, out=by_high)
    np.cumsum(by_low, out=by_low)
    low, flags = np.empty(by_high[-1], np.int32), np.empty(by_high[-1], dtype)
    free = by_high[:-1].copy()
    for bit, (left, right) in enumerate(lists):
        _scatter(left, right, dtype(1 << bit), free, low, flags)
    high, marks = np.empty_like(low), np.empty_like(flags)
    _regroup(low, flags, by_high, by_low[:-1].copy(), high, marks)
    del low, flags
    distinct = _merge(by_low, high, marks)
    pairs, merged = np.empty((distinct, 2), np.int32), np.empty(distinct, dtype)
    counts = np.zeros(n, np.int32)
    _write(by_low, high, marks, pairs, merged, counts)
    return pairs, merged, counts


@entry
def _count(left: Int32s, right: Int32s, by_high: Ints, by_low: Ints) -> None:
    for r in range(left.size):
        for c in range(right.shape[1]):
            i, j = left[r], right[r, c]
            if j >= 0:
                by_high[max(i, j)] += 1
                by_low[min(i, j)] += 1


@entry
def _scatter(
    left: Int32s, right: Int32s, flag: np.uint8, free: Ints, low: Int32s, flags: Flags
) -> None:
    for r in range(left.size):
        for c in range(right.shape[1]):
            i, j = left[r], right[r, c]
            if j >= 0:
                at = free[max(i, j)]
                low[at] = min(i, j)
                flags[at] = flag
                free[max(i, j)] += 1


@entry
def _regroup(
    low: Int32s, flags: Flags, by_high: Ints, free: Ints, high: Int32s, marks: Flags
) -> None:
    """Sort pairs by the lower record that are sorted by the higher one."""
    for j in range(by_high.size - 1):
        for p in range(by_high[j], by_high[j + 1]):
            at = free[low[p]]
            high[at] = j
            marks[at] = flags[p]
            free[low[p]] += 1


@entry
def _merge(by_low: Ints, high: Int32s, marks: Flags) -> int:
    """Merge equal pairs, mark all but the first with -1 and return the number of distinct pairs."""
    distinct = 0
    for i in range(by_low.size - 1):
        last = -1
        for p in range(by_low[i], by_low[i + 1]):
            if last >= 0 and high[p] == high[last]:
                marks[last] |= marks[p]
                high[p] = -1
            else:
                last = p
                distinct += 1
    return distinct


@entry
def _write(
    by_low: Ints, high: Int32s, marks: Flags, pairs: Int32s, flags: Flags, counts: Int32s
) -> None:
    top = 0
    for i in range(by_low.size - 1):
        for p in range(by_low[i], by_low[i + 1]):
            if high[p] >= 0:
                pairs[top, 0] = i
                pairs[top, 1] = high[p]
                flags[top] = marks[p]
                counts[i] += 1
                counts[high[p]] += 1
                top += 1
