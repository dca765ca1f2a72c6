"""Pairwise affinity and repulsion from a precomputed sparse table of pairs.

score = sum over listed pairs in one entity of w . f(i, j)   (affinity; MCMCMC section 4.2)
      + sum over listed pairs in two entities of w . f(i, j) (repulsion; XDOC section 2)

Pairs that are not listed have no factor. A move of one mention examines the row of that mention; a
move of a block examines the rows of its mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.split_scores import SplitScores, no_clear, no_put
from partita.factors.template import Cache, FastPaths, Template, feature_weights, finite
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
    """Scratch: cumulative number of listed pairs of the mentions in a block."""
    cursor: Ints
    """Scratch: block position of the last examined pair; pairs arrive in ascending order."""


@kernel
def count(table: Pairs, state: Partition, move: Regroup) -> int:
    """Count the listed pairs of the moved mentions."""
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
    """Find the block position of the mention that owns the k-th listed pair, by bisection."""
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
    """Return the table index of the k-th listed pair of a block, from the cumulative counts."""
    at = table.cursor[0]
    before = table.upto[at - 1] if at > 0 else 0
    if k < before or k >= table.upto[at]:
        at = place_in_block(table, move, k)
        table.cursor[0] = at
        before = table.upto[at - 1] if at > 0 else 0
    return table.start[state.block[at]] + k - before


@kernel
def emit(table: Pairs, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of the k-th listed pair: -1 if it leaves the source, +1 in the target."""
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
    """Return the score of a mention's listed pairs with side 0, less the score with side 1."""
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
    """Add the score of a mention's listed pairs to the weight of each entity."""
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
    """Build factors between mentions of one entity from a table of pairs.

    Parameters
    ----------
    pairs
        Two columns of mention numbers; each pair once.
    values
        One number per pair, or one row of features per pair. A positive value favours a merge.
    n
        Number of mentions.
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
    """Build factors between mentions of different entities (XDOC); arguments as for `affinity`.

    A positive value favours a split.
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
    start, other, pair = symmetric_rows(pairs, n, name)
    array = finite(values, f"values of {name}")
    rows = array.reshape(-1, 1) if array.ndim <= 1 else array
    if rows.shape != (other.size // 2, len(names)):
        raise InputError(
            f"{name}: values have shape {array.shape} for {other.size // 2} pairs and "
            f"{len(names)} features; give one row per pair and one column per feature"
        )
    table = Pairs(start, other, np.ascontiguousarray(rows[pair]), np.array([sign]), *NO_SCRATCH)

    return Template(
        name=name,
        state=Partition,
        features=names,
        weights=start_weights,
        count=count,
        emit=emit,
        table=table,
        cache=Cache(
            prepare=lambda t, state: t._replace(
                upto=np.zeros(n, np.int64), cursor=np.zeros(1, np.int64)
            ),
        ),
        fast=FastPaths(
            split_scores=SplitScores(no_clear, no_put, gap),
            gibbs_weights=add_gibbs_weights,
        ),
        bound=lambda w: float(np.abs(rows @ w).max(initial=0.0)),
        check=fits(name, n),
    )
