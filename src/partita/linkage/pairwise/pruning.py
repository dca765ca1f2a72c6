"""Candidates that can still be a match: columns are compared only while that is open.

A column that was not compared counts with the best level its two values could reach: equal
values are level 0 and missing ones say nothing, which codes show without reading the values. What
comes off for dependent columns or relatives is never below 0, so it may be left out of a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, entry, kernel
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.pairwise.term_frequency import Rarity

__all__ = ["hopeful"]

SLICE = 1 << 18
"""Pairs that are compared at once."""
ROUNDED = 1e-3
"""More than what rounding to 32 bits may take off a bound."""
FEWER = 0.9
"""Pairs that can no longer match are put aside once fewer than this share are left."""


class _Table(NamedTuple):
    """What codes alone say of a column's evidence."""

    codes: NDArray[np.int32]
    """Of all records (rows) and columns, as are `equal` and `alike`."""
    first: Ints
    """Where the values of each column begin in the next, -1 for those that are not there."""
    meaning: Ints
    """Equal for values of a column that are the same though their codes differ."""
    equal: NDArray[np.float32]
    """What the rarity of a record's value adds where values are equal;"""
    alike: NDArray[np.float32]
    """and where they are alike. Kept by record, for those of a pair are read together."""
    weights: Floats
    """By column: of equal values, the best of unequal ones, and of different ones."""


@kernel
def _same(table: _Table, q: int, a: int, b: int) -> bool:
    """Whether two values of a column are equal, by their codes or what they mean."""
    first = table.first[q]
    return a == b or (first >= 0 and table.meaning[first + a] == table.meaning[first + b])


@kernel
def _best_unequal(table: _Table, q: int, one: int, other: int) -> float:
    """The most that a column can say of two records with different values."""
    rare = min(table.alike[one, q], table.alike[other, q])
    return max(table.weights[q, 1] + rare, table.weights[q, 2])


@entry
def _bound(table: _Table, pairs: Ints, prior: float, bound: Floats) -> None:
    """The most that all columns together can say of each pair, with the prior."""
    for k in range(len(pairs)):
        one, other = pairs[k, 0], pairs[k, 1]
        total = prior
        for q in range(table.first.size):
            a, b = table.codes[one, q], table.codes[other, q]
            if a >= 0 and b >= 0:
                if _same(table, q, a, b):
                    total += table.weights[q, 0] + min(table.equal[one, q], table.equal[other, q])
                else:
                    total += _best_unequal(table, q, one, other)
        bound[k] = total


class _Column(NamedTuple):
    """One compared column: its number, its weights and the levels of the pairs."""

    q: int
    weights: Floats
    level: NDArray[np.int8]


@entry
def _lower(table: _Table, column: _Column, pairs: Ints, bound: Floats) -> None:
    """Take what a column lacks to its best off the bounds."""
    q, weights = column.q, column.weights
    for k in range(len(pairs)):
        level = column.level[k]
        # equal and missing values were in the bound already
        if level > 0:
            one, other = pairs[k, 0], pairs[k, 1]
            now = weights[level]
            if level < weights.size - 1:
                now += min(table.alike[one, q], table.alike[other, q])
            bound[k] -= max(_best_unequal(table, q, one, other) - now, 0.0)


def _table(model: PairModel, made: Comparisons, rarities: Sequence[Rarity]) -> _Table:
    meant = [column.values.canonical for column in made.columns]
    sizes = np.array([0 if one is None else len(one) for one in meant])
    first = np.where([one is None for one in meant], -1, np.cumsum(sizes) - sizes)
    codes = np.stack([column.codes for column in made.columns], 1)
    best = [(one[0], one[1:-1].max(initial=one[-1]), one[-1]) for one in model.weights()]
    return _Table(
        codes,
        first,
        np.concatenate([np.zeros(0, np.int64), *(one for one in meant if one is not None)]),
        _by_record(codes, [one.equal for one in rarities]),
        _by_record(codes, [one.alike for one in rarities]),
        np.array(best),
    )


def _by_record(codes: NDArray[np.int32], values: Sequence[Floats]) -> NDArray[np.float32]:
    """What belongs to the value of each record (rows) and column; 0 where it is missing."""
    found = np.zeros(codes.shape, np.float32)
    for q, one in enumerate(values):
        found[:, q] = np.append(one, 0.0)[codes[:, q]]
    return found


def _telling_first(model: PairModel, made: Comparisons) -> Ints:
    """Columns by how much comparing them is expected to take off the bound, for its cost."""
    gain = []
    for one, u, column in zip(model.weights(), model.u, made.columns, strict=True):
        best = one[1:-1].max(initial=one[-1])
        filled = float((column.codes >= 0).mean())
        gain.append(filled**2 * (best - float(u[1:] @ one[1:])) / column.comparison.cost)
    return np.argsort(-np.array(gain), kind="stable")


def hopeful(
    model: PairModel,
    made: Comparisons,
    pairs: NDArray[np.signedinteger],
    least: float,
    levels: NDArray[np.int8] | None = None,
) -> Iterator[tuple[Ints, PairScores]]:
    """Places and scores of all pairs that score above `least`, slice by slice.

    `levels` of all pairs spare comparing again.
    """
    rarities = model.rarities(made)
    table, order = _table(model, made, rarities), _telling_first(model, made)
    low = least - ROUNDED
    for at in range(0, max(len(pairs), 1), SLICE):
        some = np.ascontiguousarray(pairs[at : at + SLICE], np.int64)
        known = None if levels is None else levels[at : at + SLICE]
        alive, shown = _alive(model, made, table, order, some, known, low)
        scored = model.score(made, some[alive], levels=shown, rarities=rarities)
        worth = np.flatnonzero(scored.total > least)
        yield at + alive[worth], scored.rows(worth)


def _alive(
    model: PairModel,
    made: Comparisons,
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
        if alive.sum() < FEWER * len(alive):
            pairs, bound, place = pairs[alive], bound[alive], place[alive]
            levels = np.asfortranarray(levels[alive])
        levels[:, q] = made.columns[q].levels(pairs) if known is None else known[place, q]
        _lower(table, _Column(int(q), model.weights()[q], levels[:, q]), pairs, bound)
    alive = bound > least
    return place[alive], levels[alive]
