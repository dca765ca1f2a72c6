"""Quantified predicates as functions of one row per entity: histogram, sum, distinct values.

Every quantifier of MLNAGG is a function of a histogram whose edges are all thresholds in use: for
all and exists, counts and fractions, the bucket of the minimum and of the maximum. Values can be
added to and removed from a histogram but not from a minimum, so no move rescans an entity.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Partition, Regroup

__all__ = ["KINDS", "SCRATCH", "Kept", "add_value", "build_kernels", "find_bucket", "new_rows"]

KINDS = ("every", "some", "count", "fraction", "lowest", "highest", "average", "distinct")
EVERY, SOME, COUNT, FRACTION, LOWEST, HIGHEST, AVERAGE, DISTINCT = range(len(KINDS))
KIND, LOW, HIGH, FIRST, CUT, LAST, MEMBERS = range(7)
"""Columns of a rule: quantifier, bucket range, first feature, cuts, scale."""
SCRATCH = 3
"""Scratch rows after the entities: source after a move, target after a move, block."""
GRID = 2.0**20
"""Steps per unit of a value; sums on this grid are exact in float64."""


class Kept(NamedTuple):
    """The rules of the predicates, and the statistics of every entity."""

    rule: Ints
    cut: Floats
    edge: Floats
    """Ascending thresholds between buckets."""
    row: Floats
    """For each entity: counts by bucket, sum, and number of distinct values."""


def new_rows(kept: Kept, n: int) -> Kept:
    """Allocate empty rows for n entities."""
    return kept._replace(row=np.zeros((n + SCRATCH, kept.edge.size + 3)))


@kernel
def find_bucket(kept: Kept, value: float) -> int:
    """Return the number of edges at or below a value."""
    bucket = 0
    while bucket < kept.edge.size and kept.edge[bucket] <= value:
        bucket += 1
    return bucket


@kernel
def add_value(kept: Kept, row: int, value: float, times: float) -> None:
    """Add a value to a row or remove it; skip a missing value (NaN)."""
    if value == value:
        kept.row[row, find_bucket(kept, value)] += times
        # sums on a grid are exact, so removing a value restores the sum
        kept.row[row, kept.edge.size + 1] += times * math.floor(value * GRID + 0.5) / GRID


@kernel(inline=False)
def evaluate(kept: Kept, row: int, rule: int) -> float:
    """Evaluate a rule on a row; NaN if all values are missing."""
    low, high = kept.rule[rule, LOW], kept.rule[rule, HIGH]
    known, held, first, last = 0.0, 0.0, -1, -1
    for bucket in range(kept.edge.size + 1):
        here = kept.row[row, bucket]
        known += here
        if low <= bucket < high:
            held += here
        if here > 0.0:
            last = bucket
            if first < 0:
                first = bucket
    if known == 0.0:
        return math.nan
    kind = kept.rule[rule, KIND]
    if kind == EVERY:
        return 1.0 if held == known else 0.0
    if kind == SOME:
        return 1.0 if held > 0.0 else 0.0
    if kind == COUNT:
        return held
    if kind == FRACTION:
        return held / known
    if kind == AVERAGE:
        return kept.row[row, kept.edge.size + 1] / known
    if kind == DISTINCT:
        return kept.row[row, kept.edge.size + 2]
    bucket = first if kind == LOWEST else last
    return kept.edge[bucket - 1] if bucket > 0 else -math.inf


@kernel(inline=False)
def push_value(kept: Kept, row: int, size: int, rule: int, sign: float, delta: Delta) -> float:
    """Push the feature that holds for an entity; push nothing if all values are missing."""
    value = evaluate(kept, row, rule)
    if value != value:
        return 0.0
    scale = sign * (size - 1.0) if kept.rule[rule, MEMBERS] == 1 else sign
    first, cut, last = kept.rule[rule, FIRST], kept.rule[rule, CUT], kept.rule[rule, LAST]
    if cut == last:
        return push(delta, first, scale * value)
    for k in range(cut, last):
        if kept.cut[k] <= value:
            first += 1
    return push(delta, first, scale)


@kernel
def keep_nothing(table: Any, state: Partition, move: Regroup) -> None:
    """Do nothing: the table stores rows only."""


@cache
def build_kernels(after: Any, keep: Any = keep_nothing) -> tuple[Any, Any]:
    """Compile `emit` and `commit` from a kernel that computes both entities after a move.

    `after(table, state, move)` fills the first two scratch rows and may be called before or after
    the move is applied; `keep(table, state, move)` updates other parts of the table. Templates
    with the same two kernels share machine code.
    """

    @kernel
    def emit(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        after(table, state, move)
        kept, n = table.kept, state.size.size
        source, target = state.size[move.source], state.size[move.target]
        score = 0.0
        for rule in range(kept.rule.shape[0]):
            score += push_value(kept, n, source - move.many, rule, 1.0, delta)
            score += push_value(kept, move.source, source, rule, -1.0, delta)
            score += push_value(kept, n + 1, target + move.many, rule, 1.0, delta)
            score += push_value(kept, move.target, target, rule, -1.0, delta)
        return score

    @kernel
    def commit(table: Any, state: Partition, move: Regroup) -> None:
        after(table, state, move)
        row, n = table.kept.row, state.size.size
        for k in range(row.shape[1]):
            row[move.source, k] = row[n, k]
            row[move.target, k] = row[n + 1, k]
        keep(table, state, move)

    return emit, commit
