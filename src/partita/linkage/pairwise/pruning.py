"""Pruning by an upper bound: a pair leaves the comparison once it can no longer match.

A column that is not yet compared counts with the best level its two values can reach: codes show
without reading the values whether they are equal (level 0) or missing (weight 0). The adjustments
for dependent columns and households only lower a score, so the bound leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, entry, kernel
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.pairwise.term_frequency import TermFrequency

__all__ = ["SLICE", "score_above"]

SLICE = 1 << 18
"""Pairs compared at once. A limit of memory."""
ROUNDING = 1e-3
"""Bound (nats) on the error of rounding to 32 bits. Derived from float32."""
MAX_SHARE_LEFT = 0.9
"""Pruned pairs are dropped from the arrays once less than this share is left. A limit of memory."""


class _Table(NamedTuple):
    """Per record and column: all that the bound reads."""

    codes: NDArray[np.int32]
    """Of all records (rows) and columns, as are `equal` and `fuzzy`."""
    first: Ints
    """Where the values of each column begin in the next, -1 for those that are not there."""
    meaning: Ints
    """Equal for values of a column that are equal although their codes differ."""
    equal: NDArray[np.float32]
    """The term-frequency adjustment of a record's value at exact agreement."""
    fuzzy: NDArray[np.float32]
    """The same at fuzzy agreement. Stored by record, because those of a pair are read together."""
    weights: Floats
    """By column: the weight of equal values, the best of unequal values, and of no agreement."""


@kernel
def _same(table: _Table, q: int, a: int, b: int) -> bool:
    """Whether two values of a column are equal, by code or by meaning."""
    first = table.first[q]
    return a == b or (first >= 0 and table.meaning[first + a] == table.meaning[first + b])


@kernel
def _best_unequal(table: _Table, q: int, i: int, j: int) -> float:
    """The largest weight of a column for two records with different values."""
    rare = min(table.fuzzy[i, q], table.fuzzy[j, q])
    return max(table.weights[q, 1] + rare, table.weights[q, 2])


@entry
def _bound(table: _Table, pairs: Ints, prior: float, bound: Floats) -> None:
    """The upper bound of each pair's score, with the prior."""
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        total = prior
        for q in range(table.first.size):
            a, b = table.codes[i, q], table.codes[j, q]
            if a >= 0 and b >= 0:
                if _same(table, q, a, b):
                    total += table.weights[q, 0] + min(table.equal[i, q], table.equal[j, q])
                else:
                    total += _best_unequal(table, q, i, j)
        bound[k] = total


class _Column(NamedTuple):
    """One compared column: its number, its weights and the levels of the pairs."""

    q: int
    weights: Floats
    level: NDArray[np.int8]


@entry
def _lower(table: _Table, column: _Column, pairs: Ints, bound: Floats) -> None:
    """Lower the bounds to the weights of a compared column."""
    q, weights = column.q, column.weights
    for k in range(len(pairs)):
        level = column.level[k]
        # equal and missing values were in the bound already
        if level > 0:
            i, j = pairs[k, 0], pairs[k, 1]
            now = weights[level]
            if level < weights.size - 1:
                now += min(table.fuzzy[i, q], table.fuzzy[j, q])
            bound[k] -= max(_best_unequal(table, q, i, j) - now, 0.0)


def _table(
    model: PairModel, comparisons: Comparisons, term_frequencies: Sequence[TermFrequency]
) -> _Table:
    canonical = [column.values.canonical for column in comparisons.columns]
    sizes = np.array([0 if values is None else len(values) for values in canonical])
    first = np.where([values is None for values in canonical], -1, np.cumsum(sizes) - sizes)
    codes = np.stack([column.codes for column in comparisons.columns], 1)
    best = [
        (values[0], values[1:-1].max(initial=values[-1]), values[-1]) for values in model.weights()
    ]
    return _Table(
        codes,
        first,
        np.concatenate(
            [np.zeros(0, np.int64), *(values for values in canonical if values is not None)]
        ),
        _by_record(codes, [values.equal for values in term_frequencies]),
        _by_record(codes, [values.fuzzy for values in term_frequencies]),
        np.array(best),
    )


def _by_record(codes: NDArray[np.int32], values: Sequence[Floats]) -> NDArray[np.float32]:
    """The adjustment of each record (rows) and column; 0 where the value is missing."""
    weights = np.zeros(codes.shape, np.float32)
    for q, column in enumerate(values):
        weights[:, q] = np.append(column, 0.0)[codes[:, q]]
    return weights


def _order_columns(model: PairModel, comparisons: Comparisons) -> Ints:
    """Order columns by how much comparing them is expected to lower the bound, for its cost."""
    gain = []
    for weights, u, column in zip(model.weights(), model.u, comparisons.columns, strict=True):
        best = weights[1:-1].max(initial=weights[-1])
        filled = float((column.codes >= 0).mean())
        gain.append(filled**2 * (best - float(u[1:] @ weights[1:])) / column.comparison.cost)
    return np.argsort(-np.array(gain), kind="stable")


def score_above(
    model: PairModel,
    comparisons: Comparisons,
    pairs: NDArray[np.signedinteger],
    least: float,
    levels: NDArray[np.int8] | None = None,
) -> Iterator[tuple[Ints, PairScores]]:
    """Score the pairs above `least`: yields places and scores, slice by slice.

    With the `levels` of all pairs nothing is compared again.
    """
    term_frequencies = model.term_frequencies(comparisons)
    table, order = _table(model, comparisons, term_frequencies), _order_columns(model, comparisons)
    low = least - ROUNDING
    for at in range(0, max(len(pairs), 1), SLICE):
        some = np.ascontiguousarray(pairs[at : at + SLICE], np.int64)
        known = None if levels is None else levels[at : at + SLICE]
        alive, grid = _compare_while_possible(model, comparisons, table, order, some, known, low)
        scored = model.score(
            comparisons, some[alive], levels=grid, term_frequencies=term_frequencies
        )
        worth = np.flatnonzero(scored.total > least)
        yield at + alive[worth], scored.rows(worth)


def _compare_while_possible(
    model: PairModel,
    comparisons: Comparisons,
    table: _Table,
    order: Ints,
    pairs: Ints,
    known: NDArray[np.int8] | None,
    least: float,
) -> tuple[Ints, NDArray[np.int8]]:
    """The pairs whose bound stays above `least` to the end, and their levels."""
    bound, place = np.empty(len(pairs)), np.arange(len(pairs))
    _bound(table, pairs, model.prior, bound)
    levels = np.empty((len(pairs), len(order)), np.int8, order="F")
    for q in order:
        alive = bound > least
        if alive.sum() < MAX_SHARE_LEFT * len(alive):
            pairs, bound, place = pairs[alive], bound[alive], place[alive]
            levels = np.asfortranarray(levels[alive])
        levels[:, q] = comparisons.columns[q].levels(pairs) if known is None else known[place, q]
        _lower(table, _Column(int(q), model.weights()[q], levels[:, q]), pairs, bound)
    alive = bound > least
    return place[alive], levels[alive]
