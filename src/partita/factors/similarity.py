"""Factors that a user's Python function computes while the chain runs.

They are exact and linear in the size of the entities of a move. Tests compare aggregated and
sampled factors with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import ModelError
from partita.factors.affinity import affinity, repulsion
from partita.factors.functions import REMEDY, check_function, check_returned, describe, unwrap
from partita.factors.template import Cache, Template, checked_bound, feature_weights
from partita.kernel import Delta, Ints, kernel, push, symmetric_rows
from partita.states import Partition, Regroup
from partita.states.checks import fits, whole
from partita.states.partition import leaver, member, stayer

__all__ = ["cluster_score", "similarity"]

ONCE = "pass pairs=... to have it called once for each"


@kernel
def count(table: Any, state: Partition, move: Regroup) -> int:
    """Count the pairs of a moved mention with remaining members and members of the target."""
    staying = state.size[move.source] - move.many
    return move.many * (staying + state.size[move.target])


@kernel
def touched(state: Partition, move: Regroup, k: int) -> tuple[int, int, float]:
    """Return the k-th touched pair, and -1 if the move splits it or +1 if it merges it."""
    staying = state.size[move.source] - move.many
    mention, other = move.mention, k
    if move.many > 1:
        # a division costs as much as a cheap similarity
        row = staying + state.size[move.target]
        mention, other = state.block[k // row], k % row
    if other < staying:
        return mention, stayer(state, move, other), -1.0
    return mention, member(state, move.target, other - staying), 1.0


def similarity(
    function: Callable[..., Any],
    data: Any,
    n: int,
    *,
    features: Sequence[str] = ("score",),
    weights: float | ArrayLike = 1.0,
    bound: float | None = None,
    pairs: ArrayLike | None = None,
    apart: bool = False,
    name: str = "similarity",
) -> Template:
    """Build pairwise factors within entities that `function(data, i, j)` scores on demand.

    Parameters
    ----------
    function
        Returns one float, or a tuple of floats with one for each feature; symmetric in i and j.
        It is compiled into the walk. A function that cannot be compiled (strings, dictionaries,
        other libraries) needs `pairs`: it is called once per pair, and the values form a table.
    data
        The function's data: an array, or a NamedTuple of arrays.
    n
        Number of mentions.
    bound
        The largest absolute value that the function returns, if known; the exact minibatch
        estimator needs it.
    pairs
        The candidate pairs, for a function that cannot be compiled.
    apart
        Score pairs in different entities instead (repulsion): a positive value favours a split.
    """
    names, start = feature_weights(name, features, weights)
    whole(n, f"{name}: the number of mentions")
    limit = checked_bound(bound, name)
    if pairs is not None:
        return _computed_once(function, data, n, names, start, pairs, name, apart)
    function = check_function(function, name, data, 0, 0, remedy=f"{REMEDY}, or {ONCE}")
    if n > 1:
        _symmetric(function, data, len(names), name)
    return Template(
        name=name,
        state=Partition,
        features=names,
        weights=start,
        count=count,
        emit=_emit(function, len(names), -1.0 if apart else 1.0),
        table=data,
        bound=None if limit is None else (lambda w: limit * float(np.abs(w).sum())),
        check=fits(name, n),
    )


def _emit(function: Callable[..., Any], width: int, way: float) -> Any:
    score = kernel(function)

    @kernel
    def emit_one(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        i, j, sign = touched(state, move, k)
        return push(delta, 0, way * sign * score(table, i, j))

    @kernel
    def emit_many(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        i, j, sign = touched(state, move, k)
        values = score(table, i, j)
        total = 0.0
        for f in range(width):
            total += push(delta, f, way * sign * values[f])
        return total

    return emit_one if width == 1 else emit_many


def _symmetric(function: Callable[..., Any], data: Any, width: int, name: str) -> None:
    here, back = function(data, 0, 1), function(data, 1, 0)
    first = check_returned(here, width, f"{name}: {describe(function)}(data, 0, 1)")
    second = check_returned(back, width, f"{name}: {describe(function)}(data, 1, 0)")
    if not np.allclose(first, second):
        raise ModelError(
            f"{name}: {describe(function)} returned {here!r} for mentions 0 and 1 but {back!r} for "
            "1 and 0; make it symmetric"
        )


def _computed_once(
    function: Callable[..., Any],
    data: Any,
    n: int,
    names: tuple[str, ...],
    weights: ArrayLike,
    pairs: ArrayLike,
    name: str,
    apart: bool,
) -> Template:
    symmetric_rows(pairs, n, name)
    listed = np.asarray(pairs).reshape(-1, 2)
    score, width = unwrap(function, name), len(names)
    rows = [
        check_returned(
            score(data, int(i), int(j)), width, f"{name}: {describe(score)}(data, {i}, {j})"
        )
        for i, j in listed
    ]
    values = np.array(rows, float).reshape(len(listed), width)
    table = repulsion if apart else affinity
    return table(listed, values, n, features=names, weights=weights, name=name)


class Roster(NamedTuple):
    """The user's data, and scratch for the members of an entity."""

    data: Any
    listed: Ints


@kernel
def count_two(table: Roster, state: Partition, move: Regroup) -> int:
    """Count two factors: the source and the target."""
    return 2


def cluster_score(
    function: Callable[..., float],
    data: Any,
    n: int,
    *,
    feature: str = "score",
    weight: float = 1.0,
    name: str = "cluster",
) -> Template:
    """Build factors over whole entities: `function(data, members)` scores a non-empty array.

    The function must not depend on the order of the members. Cost is linear in the entity's size.
    """
    features, weights = feature_weights(name, [feature], weight)
    whole(n, f"{name}: the number of mentions")
    first = np.zeros(1, np.int64)
    function = check_function(function, name, data, first)
    check_returned(function(data, first), 1, f"{name}: {describe(function)}(data, [0])")
    score = kernel(function)

    @kernel
    def emit(table: Roster, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        entity = move.source if k == 0 else move.target
        size, staying = state.size[entity], 0
        change = 0.0
        for m in range(size):
            table.listed[m] = member(state, entity, m)
        if size > 0:
            change -= score(table.data, table.listed[:size])
        if k == 0:
            staying = size - move.many
            for m in range(staying):
                table.listed[m] = stayer(state, move, m)
        else:
            staying = size + move.many
            for m in range(move.many):
                table.listed[size + m] = leaver(state, move, m)
        if staying > 0:
            change += score(table.data, table.listed[:staying])
        return push(delta, 0, change)

    return Template(
        name,
        Partition,
        features,
        weights,
        count_two,
        emit,
        Roster(data, np.zeros(0, np.int64)),
        cache=Cache(prepare=lambda table, state: table._replace(listed=np.zeros(n, np.int64))),
        check=fits(name, n),
    )
