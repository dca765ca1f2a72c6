"""Pairwise affinity and repulsion from a precomputed sparse table of pairs.

score = sum over listed pairs in one entity of w . f(i, j)   (affinity; MCMCMC section 4.2)
      + sum over listed pairs in two entities of w . f(i, j) (repulsion; XDOC section 2)

Pairs that are not listed have no factor. Moving one mention examines its row of the table, moving
a block the rows of its mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.split_scores import SplitScores, no_clear, no_put
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import EXAMINED, Delta, Floats, Ints, kernel, push, symmetric_rows
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import in_block
from partita.states.scratch import GibbsWeights, Groups, add_gibbs_weight

__all__ = ["affinity", "repulsion"]

NO_SCRATCH = np.zeros(0, np.int64), np.zeros(1, np.int64)


class Pairs(NamedTuple):
    """Both directions of every listed pair, by mention."""

    start: Ints
    other: Ints
    value: Floats
    sign: Floats
    upto: Ints
    """Scratch: listed pairs of the first mentions of a block, counted up;"""
    cursor: Ints
    """and the place in the block of the one whose pair was asked for last: they come in order."""


@kernel
def count(table: Pairs, state: Partition, move: Regroup) -> int:
    """The listed pairs of the mentions that leave."""
    if move.many == 1:
        return table.start[move.mention + 1] - table.start[move.mention]
    total, table.cursor[0] = 0, 0
    for k in range(move.many):
        mention = state.block[k]
        total += table.start[mention + 1] - table.start[mention]
        table.upto[k] = total
    return total


@kernel(inline=False)
def place_in_block(table: Pairs, move: Regroup, k: int) -> int:
    """The place in a block of the mention that the k-th listed pair is of, by bisection."""
    low, high = 0, move.many - 1
    while low < high:
        middle = (low + high) // 2
        if table.upto[middle] > k:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def block_place(table: Pairs, state: Partition, move: Regroup, k: int) -> int:
    """Where the k-th listed pair of a block stands, from what `count` counted up."""
    at = table.cursor[0]
    before = table.upto[at - 1] if at > 0 else 0
    if k < before or k >= table.upto[at]:
        at = place_in_block(table, move, k)
        table.cursor[0] = at
        before = table.upto[at - 1] if at > 0 else 0
    return table.start[state.block[at]] + k - before


@kernel
def emit(table: Pairs, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """What the k-th listed pair of a leaving mention adds: -1 in the source, +1 in the target."""
    if move.many == 1:
        at = table.start[move.mention] + k
    else:
        at = block_place(table, state, move, k)
    other = table.other[at]
    entity = state.entity[other]
    if entity == move.target:
        sign = table.sign[0]
    elif entity == move.source and not in_block(state, move, other):
        sign = -table.sign[0]
    else:
        return 0.0
    score = 0.0
    for f in range(table.value.shape[1]):
        score += push(delta, f, sign * table.value[at, f])
    return score


@kernel
def gap(table: Pairs, delta: Delta, groups: Groups, i: int) -> float:
    """What the listed pairs of a mention score with side 0, less those with side 1."""
    total = 0.0
    for at in range(table.start[i], table.start[i + 1]):
        sign = groups.sign[table.other[at]]
        for f in range(table.value.shape[1]):
            total += sign * delta.weights[f] * table.value[at, f]
    delta.status[EXAMINED] += table.start[i + 1] - table.start[i]
    return table.sign[0] * total


@kernel
def add_gibbs_weights(
    table: Pairs, delta: Delta, state: Partition, gibbs_weights: GibbsWeights, i: int
) -> None:
    """What the listed pairs of a mention score with each entity."""
    for at in range(table.start[i], table.start[i + 1]):
        score = 0.0
        for f in range(table.value.shape[1]):
            score += delta.weights[f] * table.value[at, f]
        add_gibbs_weight(gibbs_weights, state.entity[table.other[at]], table.sign[0] * score)
    delta.status[EXAMINED] += table.start[i + 1] - table.start[i]


def affinity(
    pairs: ArrayLike,
    values: ArrayLike,
    n: int,
    *,
    features: Sequence[str] = ("score",),
    weights: float | ArrayLike = 1.0,
    name: str = "affinity",
) -> Template:
    """Factors between mentions of one entity, from a table of pairs.

    Parameters
    ----------
    pairs
        Two columns of mention numbers; each pair once.
    values
        One number per pair, or one row of features per pair. Positive draws together.
    n
        How many mentions there are.
    """
    return _table(pairs, values, n, features, weights, name, sign=1.0)


def repulsion(
    pairs: ArrayLike,
    values: ArrayLike,
    n: int,
    *,
    features: Sequence[str] = ("score",),
    weights: float | ArrayLike = 1.0,
    name: str = "repulsion",
) -> Template:
    """Factors between mentions of different entities (XDOC); arguments as for `affinity`.

    Positive values push apart.
    """
    return _table(pairs, values, n, features, weights, name, sign=-1.0)


def _table(
    pairs: ArrayLike,
    values: ArrayLike,
    n: int,
    features: Sequence[str],
    weights: float | ArrayLike,
    name: str,
    sign: float,
) -> Template:
    names, start_weights = feature_weights(name, features, weights)
    start, other, which = symmetric_rows(pairs, n, name)
    given = finite(values, f"values of {name}")
    rows = given.reshape(-1, 1) if given.ndim <= 1 else given
    if rows.shape != (other.size // 2, len(names)):
        raise InputError(
            f"{name}: values have shape {given.shape} for {other.size // 2} pairs and "
            f"{len(names)} features; give one row per pair and one column per feature"
        )
    table = Pairs(start, other, np.ascontiguousarray(rows[which]), np.array([sign]), *NO_SCRATCH)

    return Template(
        name=name,
        state=Partition,
        features=names,
        weights=start_weights,
        count=count,
        emit=emit,
        table=table,
        prepare=lambda t, state: t._replace(
            upto=np.zeros(n, np.int64), cursor=np.zeros(1, np.int64)
        ),
        bound=lambda w: float(np.abs(rows @ w).max(initial=0.0)),
        check=fits(name, n),
        split_scores=SplitScores(no_clear, no_put, gap),
        gibbs_weights=add_gibbs_weights,
    )
