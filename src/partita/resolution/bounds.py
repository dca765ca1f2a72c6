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

from partita.kernel import Floats, Ints, entry
from partita.records.compare import Comparisons
from partita.resolution.pairs import PairModel, PairScores
from partita.resolution.rarity import Rarity

__all__ = ["hopeful"]

SLICE = 1 << 18
"""Pairs that are compared at once."""
COST = {"address": 4.0, "long text": 4.0, "list": 4.0, "full name": 3.0, "email": 2.0}
"""What comparing two values costs, where it is more than for short strings."""


class _Table(NamedTuple):
    """What codes alone say of a column's evidence."""

    codes: NDArray[np.int32]
    """Of all records (rows) and columns."""
    first: Ints
    """Where the values of each column begin in the next three."""
    meaning: Ints
    """Equal for values of a column that are the same."""
    equal: Floats
    """What the rarity of each value adds where values are equal."""
    alike: Floats
    weights: Floats
    """By column: of equal values, the best of unequal ones, and of different ones."""


@entry
def _bound(table: _Table, pairs: Ints, prior: float, most: Floats, bound: Floats) -> None:
    """The most that each column can say of each pair, and their sum with the prior."""
    for k in range(len(pairs)):
        one, other = pairs[k, 0], pairs[k, 1]
        total = prior
        for q in range(table.first.size):
            a, b = table.codes[one, q], table.codes[other, q]
            most[k, q] = 0.0
            if a >= 0 and b >= 0:
                a, b = a + table.first[q], b + table.first[q]
                if table.meaning[a] == table.meaning[b]:
                    best = table.weights[q, 0] + min(table.equal[a], table.equal[b])
                else:
                    fuzzy = table.weights[q, 1] + min(table.alike[a], table.alike[b])
                    best = max(fuzzy, table.weights[q, 2])
                most[k, q] = best
                total += best
        bound[k] = total


class _Column(NamedTuple):
    """One compared column: its number, its weights and the levels of the pairs still alive."""

    q: int
    weights: Floats
    level: NDArray[np.int8]


@entry
def _lower(
    table: _Table,
    column: _Column,
    pairs: Ints,
    most: Floats,
    bound: Floats,
    alive: Ints,
    least: float,
) -> int:
    """Take what a column lacks to its best off the bounds; how many pairs stay above `least`."""
    many, q, weights = 0, column.q, column.weights
    for at in range(alive.size):
        k, level = alive[at], column.level[at]
        # equal and missing values were in the bound already
        if level > 0:
            now = weights[level]
            if level < weights.size - 1:
                a = table.first[q] + table.codes[pairs[k, 0], q]
                b = table.first[q] + table.codes[pairs[k, 1], q]
                now += min(table.alike[a], table.alike[b])
            bound[k] -= max(most[k, q] - now, 0.0)
        if bound[k] > least:
            alive[many] = k
            many += 1
    return many


def _meaning(given: Ints | None, many: int) -> Ints:
    return np.arange(many) if given is None else given


def _table(model: PairModel, made: Comparisons, rarities: Sequence[Rarity]) -> _Table:
    sizes = np.array([column.many for column in made.columns], np.int64)
    best = [(one[0], one[1:-1].max(initial=one[-1]), one[-1]) for one in model.weights()]
    return _Table(
        np.stack([column.codes for column in made.columns], 1),
        np.cumsum(sizes) - sizes,
        np.concatenate([_meaning(column.grader.meaning, column.many) for column in made.columns]),
        np.concatenate([one.equal for one in rarities]),
        np.concatenate([one.alike for one in rarities]),
        np.array(best),
    )


def _telling_first(model: PairModel, made: Comparisons) -> Ints:
    """Columns by how much comparing them is expected to take off the bound, for its cost."""
    gain = []
    for one, u, column, kind in zip(
        model.weights(), model.u, made.columns, made.kinds, strict=True
    ):
        best = one[1:-1].max(initial=one[-1])
        filled = float((column.codes >= 0).mean())
        gain.append(filled**2 * (best - float(u[1:] @ one[1:])) / COST.get(kind, 1.0))
    return np.argsort(-np.array(gain), kind="stable")


def hopeful(
    model: PairModel,
    made: Comparisons,
    pairs: Ints,
    least: float,
    levels: NDArray[np.int8] | None = None,
) -> Iterator[tuple[Ints, PairScores]]:
    """Places and scores of all pairs that score above `least`, slice by slice.

    `levels` of all pairs spare comparing again.
    """
    rarities = model.rarities(made)
    table, order = _table(model, made, rarities), _telling_first(model, made)
    for at in range(0, len(pairs), SLICE):
        some = np.ascontiguousarray(pairs[at : at + SLICE], np.int64)
        known = None if levels is None else levels[at : at + SLICE]
        alive, shown = _alive(model, made, table, order, some, known, least)
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
    most, bound = np.empty((len(pairs), len(order))), np.empty(len(pairs))
    _bound(table, pairs, model.prior, most, bound)
    alive = np.flatnonzero(bound > least)
    levels = np.empty((len(pairs), len(order)), np.int8, order="F")
    for q in order:
        level = made.columns[q].levels(pairs[alive]) if known is None else known[alive, q]
        levels[alive, q] = level
        column = _Column(int(q), model.weights()[q], np.ascontiguousarray(level))
        alive = alive[: _lower(table, column, pairs, most, bound, alive, least)]
    return alive, levels[alive]
