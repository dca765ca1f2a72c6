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
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import EXAMINED, Delta, Floats, Ints, kernel, push, symmetric_rows
from partita.states import Partition, Regroup
from partita.states.partition import in_block, leaver

__all__ = ["affinity", "repulsion"]


class Pairs(NamedTuple):
    """Both directions of every listed pair, by mention."""

    start: Ints
    other: Ints
    value: Floats
    sign: Floats


@kernel
def count(table: Pairs, state: Partition, move: Regroup) -> int:
    """The listed pairs of the mention; of a block, one group of factors for each mention."""
    if move.many == 1:
        return table.start[move.mention + 1] - table.start[move.mention]
    return move.many


@kernel
def pair_change(
    table: Pairs, state: Partition, move: Regroup, at: int, inside: bool, delta: Delta
) -> float:
    """What one listed pair of a leaving mention adds: -1 in the source, +1 in the target."""
    entity = state.entity[table.other[at]]
    if entity == move.target:
        sign = table.sign[0]
    elif entity == move.source and not inside:
        sign = -table.sign[0]
    else:
        return 0.0
    score = 0.0
    for f in range(table.value.shape[1]):
        score += push(delta, f, sign * table.value[at, f])
    return score


@kernel
def emit(table: Pairs, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The k-th listed pair of a mention, or all listed pairs of the k-th mention of a block."""
    if move.many == 1:
        return pair_change(table, state, move, table.start[move.mention] + k, False, delta)
    mention = leaver(state, move, k)
    score = 0.0
    for at in range(table.start[mention], table.start[mention + 1]):
        inside = in_block(state, move, table.other[at])
        score += pair_change(table, state, move, at, inside, delta)
    delta.alarm[EXAMINED] += table.start[mention + 1] - table.start[mention] - 1
    return score


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
    table = Pairs(start, other, np.ascontiguousarray(rows[which]), np.array([sign]))

    def check(state: Partition) -> None:
        if state.entity.size != n:
            raise InputError(
                f"{name} was built for {n} mentions but the start has {state.entity.size}"
            )

    return Template(
        name=name,
        state=Partition,
        features=names,
        weights=start_weights,
        count=count,
        emit=emit,
        table=table,
        bound=lambda w: float(np.abs(rows @ w).max(initial=0.0)),
        check=check,
    )
