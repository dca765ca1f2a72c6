"""Level patterns: distinct rows of comparison levels with their counts, which EM runs on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, kernel, runs_of

__all__ = [
    "Patterns",
    "group_patterns",
    "merge_patterns",
    "pattern_score",
    "sum_columns",
    "weight_table",
]

MAX_KEY = 1 << 61
"""Largest key that fits 64 bits with room for one more column."""
OFFSET_STEP = 0.25
"""Width (nats) of the bins of offsets in a pattern; EM uses their mean, scores are not rounded.
Origin: 0.1."""


class Patterns(NamedTuple):
    """Distinct rows of levels, each with its mean offset and the number of pairs that show it."""

    levels: NDArray[np.int8]
    offset: Floats
    pairs: Floats
    place: NDArray[np.int32]
    """The pattern of each pair."""


@kernel
def pattern_score(patterns: Patterns, weight: Floats, k: int) -> float:
    """The offset of a pattern plus the weights of its levels, from `weight_table`."""
    total = patterns.offset[k]
    for q in range(weight.shape[0]):
        total += weight[q, patterns.levels[k, q] + 1]
    return total


def weight_table(m: Sequence[Floats], u: Sequence[Floats]) -> Floats:
    """log(m / u) by column and level; level l is at l + 1, and 0 is a missing value."""
    table = np.zeros((len(m), 1 + max(map(len, m), default=0)))
    for q, (own, other) in enumerate(zip(m, u, strict=True)):
        table[q, 1 : 1 + len(own)] = np.log(own / other)
    return table


def sum_columns(table: Floats, levels: NDArray[np.int8]) -> Floats:
    """The sum over columns of the weights of each row of levels, from `weight_table`."""
    total = np.zeros(len(levels))
    for q in range(levels.shape[1]):
        total += table[q, levels[:, q] + 1]
    return total


def _packed(levels: NDArray[np.int8], sizes: Sequence[int], last: Ints) -> Ints:
    """One key a row of levels; keys are renumbered where they would not fit 64 bits."""
    key, room = last, int(last.max(initial=0)) + 1
    for k, size in enumerate(sizes):
        if room > MAX_KEY // (size + 1):
            distinct, key = np.unique(key, return_inverse=True)
            room = len(distinct)
        key = key * (size + 1) + (levels[:, k] + 1)
        room *= size + 1
    return key


def merge_patterns(patterns: Patterns, sizes: Sequence[int]) -> Patterns:
    """Merge the patterns that differ only in their offset."""
    key = _packed(patterns.levels, sizes, np.zeros(len(patterns.levels), np.int64))
    order = np.argsort(key, kind="stable")
    first = runs_of(key[order])
    pairs = np.add.reduceat(patterns.pairs[order], first) if first.size else patterns.pairs
    levels = np.ascontiguousarray(patterns.levels[order[first]])
    return Patterns(levels, np.zeros(first.size), pairs, patterns.place[:0])


def group_patterns(levels: NDArray[np.int8], sizes: Sequence[int], offset: Floats) -> Patterns:
    """Group pairs by their levels and by their offset in steps of `OFFSET_STEP`."""
    step = np.floor(offset / OFFSET_STEP).astype(np.int64)
    step -= step.min(initial=0)
    key = _packed(levels, sizes, step)
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    new = np.ones(len(key), bool)
    new[1:] = ranked[1:] != ranked[:-1]
    place = np.empty(len(key), np.int32)
    place[order] = np.cumsum(new) - 1
    count = np.bincount(place).astype(np.float64)
    mean = np.bincount(place, offset) / count
    return Patterns(np.ascontiguousarray(levels[order[new]]), mean, count, place)
