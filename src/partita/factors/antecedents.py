"""The antecedent of each mention in a text, summed out exactly.

Every mention chooses an earlier mention as its antecedent, or opens an entity. The choices of all
mentions are a forest whose trees are the entities, so that the sum over antecedents inside an
entity is a product over its mentions:

    score(E) = log new(first of E) + sum over later j in E of log( sum over i < j in E of p(j, i) ).

With p(j, i) and new(j) the probabilities of one choice, the scores of all partitions are
log-probabilities: exp(score) sums to 1. An entity stores the inner sum of each mention. Values are
multiples of 2**-40, so that sums of float64 are exact in any order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import Cache, Template, count_one, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, entry, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import in_block, leaver, member, stayer

__all__ = ["AntecedentTable", "antecedents"]

GRID = 2.0**-40
"""Unit of the probabilities, and the smallest one: an antecedent that is not listed."""


class AntecedentTable(NamedTuple):
    """Probabilities of antecedents, and the sum of each mention over its entity."""

    start: Ints
    """Place of p(j, first of window) in `value`."""
    window: Ints
    """The first mention that j has a stored probability for."""
    value: Floats
    new: Floats
    """log new(j)."""
    total: Floats
    """Sum of p(j, i) over earlier members i of the entity of j; 0 for its first mention."""


@kernel
def look_up(table: AntecedentTable, j: int, i: int) -> float:
    """Return p(j, i) for i < j, and 0 for i >= j."""
    if i >= j:
        return 0.0
    if i < table.window[j]:
        return GRID
    return table.value[table.start[j] + i - table.window[j]]


@kernel
def term(table: AntecedentTable, j: int, total: float) -> float:
    """Return the term of mention j with this sum over its antecedents."""
    return table.new[j] if total == 0.0 else math.log(total)


@kernel
def sum_block(table: AntecedentTable, state: Partition, move: Regroup, j: int) -> float:
    """Return the sum of p(j, i) over the moved mentions i."""
    total = 0.0
    for k in range(move.many):
        total += look_up(table, j, leaver(state, move, k))
    return total


@kernel(inline=False)
def change(table: AntecedentTable, state: Partition, move: Regroup) -> float:
    """Return the change of score of a move."""
    gain = 0.0
    for k in range(state.size[move.source] - move.many):
        j = stayer(state, move, k)
        lost = sum_block(table, state, move, j)
        if lost > 0.0:
            gain += term(table, j, table.total[j] - lost) - term(table, j, table.total[j])
    joined = state.size[move.target]
    for k in range(joined):
        j = member(state, move.target, k)
        won = sum_block(table, state, move, j)
        if won > 0.0:
            gain += term(table, j, table.total[j] + won) - term(table, j, table.total[j])
    for k in range(move.many):
        j = leaver(state, move, k)
        total = sum_block(table, state, move, j)
        for other in range(joined):
            total += look_up(table, j, member(state, move.target, other))
        gain += term(table, j, total) - term(table, j, table.total[j])
    return gain


@kernel
def emit(table: AntecedentTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of score."""
    return push(delta, 0, change(table, state, move))


@kernel(inline=False)
def commit(table: AntecedentTable, state: Partition, move: Regroup) -> None:
    """Update the sums of both entities."""
    for k in range(state.size[move.source]):
        j = member(state, move.source, k)
        table.total[j] -= sum_block(table, state, move, j)
    for k in range(state.size[move.target]):
        j = member(state, move.target, k)
        if in_block(state, move, j):
            table.total[j] = 0.0
            for other in range(state.size[move.target]):
                table.total[j] += look_up(table, j, member(state, move.target, other))
        else:
            table.total[j] += sum_block(table, state, move, j)


@entry
def fill(table: AntecedentTable, state: Partition) -> None:
    """Compute the sums of all mentions."""
    for j in range(state.entity.size):
        table.total[j] = 0.0
        for k in range(state.size[state.entity[j]]):
            table.total[j] += look_up(table, j, member(state, state.entity[j], k))


def antecedents(
    start: ArrayLike,
    earlier: ArrayLike,
    probabilities: ArrayLike,
    new: ArrayLike,
    *,
    weight: float = 1.0,
    name: str = "antecedents",
) -> Template:
    """Score entities of mentions in a text by the antecedents of their mentions, summed out.

    Parameters
    ----------
    start
        Where the listed antecedents of each mention begin, and their number at the end.
    earlier
        The listed antecedents: earlier mentions.
    probabilities
        The probability of each listed antecedent; others have 2**-40.
    new
        The probability that each mention opens an entity.
    """
    starts = np.asarray(start, np.int64)
    others = np.asarray(earlier, np.int64)
    values, opens = finite(probabilities, f"{name}: probabilities"), finite(new, f"{name}: new")
    n = opens.size
    if starts.size != n + 1 or starts[-1] != others.size or values.size != others.size:
        raise InputError(
            f"{name}: {n} mentions have {starts.size} starts, {others.size} antecedents and "
            f"{values.size} probabilities; give start one more entry than mentions"
        )
    mention = np.repeat(np.arange(n), np.diff(starts))
    if others.size and ((others >= mention).any() or others.min() < 0):
        raise InputError(f"{name}: an antecedent does not precede its mention; list earlier ones")
    if (values < 0).any() or (values > 1).any() or (opens <= 0).any() or (opens > 1).any():
        raise InputError(f"{name}: a probability is outside 0..1; give probabilities")
    table = _store(n, mention, others, values, opens)
    names, weights = feature_weights(name, ["score"], weight)

    def prepare(table: AntecedentTable, state: Partition) -> AntecedentTable:
        own = table._replace(total=np.zeros(n))
        fill(own, state)
        return own

    return Template(
        name,
        Partition,
        names,
        weights,
        count_one,
        emit,
        table,
        cache=Cache(prepare=prepare, commit=commit),
        check=fits(name, n),
    )


def _store(n: int, mention: Ints, others: Ints, values: Floats, opens: Floats) -> AntecedentTable:
    """Store the probabilities of each mention from its first listed antecedent on."""
    window = np.arange(n)
    np.minimum.at(window, mention, others)
    widths = np.arange(n) - window
    starts = np.concatenate([[0], np.cumsum(widths)])
    stored = np.full(int(starts[-1]), GRID)
    rounded = np.maximum(np.round(values / GRID) * GRID, GRID)
    stored[starts[mention] + others - window[mention]] = rounded
    return AntecedentTable(starts[:-1], window, stored, np.log(opens), np.zeros(n))
