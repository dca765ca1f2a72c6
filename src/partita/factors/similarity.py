"""Factors computed while the chain runs, by a Python function of the user's own.

The reference that aggregated and sampled factors are tested against: exact, and linear in the
size of the entities that a move touches.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError, ModelError
from partita.factors.affinity import affinity
from partita.factors.template import Template, feature_weights
from partita.kernel import Delta, Ints, compiles, kernel, push
from partita.states import Partition, Regroup
from partita.states.partition import leaver, member, stayer

__all__ = ["cluster_score", "similarity"]


@kernel
def count(table: Any, state: Partition, move: Regroup) -> int:
    """Every pair of a leaving mention with one that stays, or with one of the target."""
    staying = state.size[move.source] - move.many
    return move.many * (staying + state.size[move.target])


@kernel
def touched(state: Partition, move: Regroup, k: int) -> tuple[int, int, float]:
    """The k-th touched pair, and whether it is parted (-1) or joined (+1)."""
    staying = state.size[move.source] - move.many
    row = staying + state.size[move.target]
    mention = leaver(state, move, k // row)
    other = k % row
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
    name: str = "similarity",
) -> Template:
    """Pairwise factors of one entity, scored by `function(data, i, j)` whenever they are needed.

    Parameters
    ----------
    function
        Returns one float, or a tuple of floats with one for each feature; symmetric in i and j.
        It is compiled into the walk. One that cannot be compiled (strings, dictionaries, other
        libraries) needs `pairs`: it is then called once for each pair and becomes a table.
    data
        What the function reads: an array, or a NamedTuple of arrays.
    n
        How many mentions there are.
    bound
        The largest absolute score of one pair, if known; the exact minibatch estimator needs it.
    pairs
        The candidate pairs, for a function that cannot be compiled.
    """
    names, start = feature_weights(name, features, weights)
    if n < 1:
        raise InputError(f"{name}: there are {n} mentions; give at least one")
    if pairs is not None:
        return _computed_once(function, data, n, names, start, pairs, name)
    trouble = compiles(function, data, 0, 0)
    if trouble is not None:
        raise ModelError(
            f"{name}: {trouble}; write it with numbers and arrays only, or pass pairs=... so that "
            "it is called once for each candidate pair"
        )
    if n > 1:
        _returned(function(data, 0, 1), names, f"{name}: {_where(function)}(data, 0, 1)")
    return Template(
        name=name,
        state=Partition,
        features=names,
        weights=start,
        count=count,
        emit=_emit_one(function) if len(names) == 1 else _emit_many(function, len(names)),
        table=data,
        bound=None if bound is None else (lambda w: float(bound)),
    )


def _emit_one(function: Callable[..., float]) -> Any:
    score = kernel(function)

    @kernel
    def emit(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        i, j, sign = touched(state, move, k)
        return push(delta, 0, sign * score(table, i, j))

    return emit


def _emit_many(function: Callable[..., Any], width: int) -> Any:
    score = kernel(function)

    @kernel
    def emit(table: Any, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        i, j, sign = touched(state, move, k)
        values = score(table, i, j)
        total = 0.0
        for f in range(width):
            total += push(delta, f, sign * values[f])
        return total

    return emit


def _where(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    line = f" (line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(function, '__name__', repr(function))}{line}"


def _returned(value: Any, names: tuple[str, ...], what: str) -> tuple[float, ...]:
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != len(names):
        raise ModelError(f"{what} returned {len(values)} values for {len(names)} features")
    for one in values:
        number = isinstance(one, int | float | np.integer | np.floating)
        if not number or not math.isfinite(one):
            raise ModelError(f"{what} returned {one!r}; it must return finite numbers")
    return tuple(float(one) for one in values)


def _computed_once(
    function: Callable[..., Any],
    data: Any,
    n: int,
    names: tuple[str, ...],
    weights: ArrayLike,
    pairs: ArrayLike,
    name: str,
) -> Template:
    listed = np.asarray(pairs)
    plain = inspect.unwrap(function)
    rows = [
        _returned(plain(data, int(i), int(j)), names, f"{name}: {_where(plain)}(data, {i}, {j})")
        for i, j in listed
    ]
    values = np.array(rows, float).reshape(len(listed), len(names))
    return affinity(listed, values, n, features=names, weights=weights, name=name)


class Roster(NamedTuple):
    """The user's data and room to list the members of an entity."""

    data: Any
    listed: Ints


@kernel
def two(table: Roster, state: Partition, move: Regroup) -> int:
    """The source and the target."""
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
    """Factors over whole entities: `function(data, members)` scores a non-empty array of members.

    The function must not depend on the order of the members. Cost is linear in the entity's size.
    """
    features, weights = feature_weights(name, [feature], weight)
    trouble = compiles(function, data, np.zeros(1, np.int64))
    if trouble is not None:
        raise ModelError(f"{name}: {trouble}; write it with numbers and arrays only")
    _returned(function(data, np.zeros(1, np.int64)), features, f"{name}: {_where(function)}")
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
        two,
        emit,
        Roster(data, np.zeros(0, np.int64)),
        prepare=lambda table, state: table._replace(listed=np.zeros(n, np.int64)),
    )
