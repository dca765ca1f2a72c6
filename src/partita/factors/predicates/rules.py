"""Quantified predicates as functions of one row per entity: a histogram, a sum, a number of kinds.

Every quantifier of MLNAGG is read off a histogram whose edges are all thresholds in use: for all
and there is, counts and fractions, the bucket of the minimum and of the maximum. A histogram can
be added to and taken from, a minimum cannot; so a move never asks for a rescan of an entity.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Partition, Regroup

__all__ = ["KINDS", "SCRATCH", "Kept", "bucket_of", "kept_for", "kernels_with", "note"]

KINDS = ("every", "some", "count", "fraction", "lowest", "highest", "average", "distinct")
EVERY, SOME, COUNT, FRACTION, LOWEST, HIGHEST, AVERAGE, DISTINCT = range(len(KINDS))
KIND, LOW, HIGH, FIRST, CUT, LAST, MEMBERS = range(7)
"""Columns of a rule: what it asks, of which buckets, its first feature, its cuts, its scale."""
SCRATCH = 3
"""Rows after those of the entities: the source after a move, the target after it, and the block."""
GRID = 2.0**20


class Kept(NamedTuple):
    """What predicates ask, and what is kept of every entity to answer."""

    rule: Ints
    cut: Floats
    edge: Floats
    """Ascending thresholds between buckets."""
    row: Floats
    """Of each entity: how many fall into each bucket, their sum, and how many kinds there are."""


def kept_for(kept: Kept, n: int) -> Kept:
    """The same rules with empty rows for n entities."""
    return kept._replace(row=np.zeros((n + SCRATCH, kept.edge.size + 3)))


@kernel
def bucket_of(kept: Kept, value: float) -> int:
    """How many edges a value reaches."""
    bucket = 0
    while bucket < kept.edge.size and kept.edge[bucket] <= value:
        bucket += 1
    return bucket


@kernel
def note(kept: Kept, row: int, value: float, times: float) -> None:
    """Enter a value into a row, or take it out; what is missing (NaN) is not there."""
    if value == value:
        kept.row[row, bucket_of(kept, value)] += times
        # on a grid sums are exact, so that a value taken out leaves no trace
        kept.row[row, kept.edge.size + 1] += times * math.floor(value * GRID + 0.5) / GRID


@kernel(inline=False)
def quantity(kept: Kept, row: int, rule: int) -> float:
    """What a rule says of a row; NaN where nothing is known."""
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
def say(kept: Kept, row: int, size: int, rule: int, sign: float, delta: Delta) -> float:
    """Push the feature that is true of an entity; where nothing is known nothing is said."""
    found = quantity(kept, row, rule)
    if found != found:
        return 0.0
    scale = sign * (size - 1.0) if kept.rule[rule, MEMBERS] == 1 else sign
    first, cut, last = kept.rule[rule, FIRST], kept.rule[rule, CUT], kept.rule[rule, LAST]
    if cut == last:
        return push(delta, first, scale * found)
    for k in range(cut, last):
        if kept.cut[k] <= found:
            first += 1
    return push(delta, first, scale)


@kernel
def one(table: Any, state: Partition, move: Regroup) -> int:
    """One aggregated factor per move."""
    return 1


@kernel
def nothing_else(table: Any, state: Partition, move: Regroup) -> None:
    """The rows are all that a table keeps."""


@cache
def kernels_with(after: Any, keep: Any = nothing_else) -> tuple[Any, Any]:
    """Compile `emit` and `commit` from a kernel that writes both entities after a move.

    `after(table, state, move)` fills the first two scratch rows and may be called before or after
    the move is applied; `keep(table, state, move)` updates what else the table holds. Templates
    with the same two kernels share machine code.
    """

    @kernel
    def emit(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        after(table, state, move)
        kept, n = table.kept, state.size.size
        source, target = state.size[move.source], state.size[move.target]
        score = 0.0
        for rule in range(kept.rule.shape[0]):
            score += say(kept, n, source - move.many, rule, 1.0, delta)
            score += say(kept, move.source, source, rule, -1.0, delta)
            score += say(kept, n + 1, target + move.many, rule, 1.0, delta)
            score += say(kept, move.target, target, rule, -1.0, delta)
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
