"""Factors over Labels: unary and pairwise with shared weights, or a function of a few variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.bags import check_rows
from partita.factors.functions import check_function, check_returned, describe
from partita.factors.template import Cache, Template, checked_bound, feature_weights
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Labels, Relabel
from partita.states.checks import integers

__all__ = ["count_listed", "pairwise", "potential", "unary"]


class Observed(NamedTuple):
    """Observed features of each variable, and the number of distinct features."""

    start: Ints
    feature: Ints
    value: Floats
    width: Ints


class Edges(NamedTuple):
    """Edges by variable: which edge, both ends, and its kind."""

    start: Ints
    edge: Ints
    ends: Ints
    kind: Ints
    shape: Ints


@kernel
def count_listed(table: Any, state: Labels, move: Relabel) -> int:
    """Count the factors that a table lists for the variable; `start` has their places."""
    return table.start[move.variable + 1] - table.start[move.variable]


@kernel
def unary_emit(table: Observed, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """Push phi[label, feature] = value."""
    at = table.start[move.variable] + k
    feature, value, width = table.feature[at], table.value[at], table.width[0]
    gained = push(delta, move.new * width + feature, value)
    return gained + push(delta, move.old * width + feature, -value)


@kernel
def edge_emit(table: Edges, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """Push phi[kind, left label, right label] = 1."""
    edge = table.edge[table.start[move.variable] + k]
    left, right = table.ends[edge, 0], table.ends[edge, 1]
    rows, columns = table.shape[0], table.shape[1]
    base = table.kind[edge] * rows * columns
    if left == move.variable:
        other = state.label[right]
        gained = push(delta, base + move.new * columns + other, 1.0)
        return gained + push(delta, base + move.old * columns + other, -1.0)
    other = state.label[left] * columns
    return push(delta, base + other + move.new, 1.0) + push(delta, base + other + move.old, -1.0)


def unary(
    observed: ArrayLike | scipy.sparse.sparray | scipy.sparse.spmatrix,
    labels: int | Sequence[str],
    *,
    weights: float | ArrayLike = 0.0,
    features: Sequence[str] | None = None,
    name: str = "unary",
) -> Template:
    """Build unary factors: one weight, shared by all variables, per label and observed feature.

    Parameters
    ----------
    observed
        One row per variable, one column per feature (dense or SciPy sparse).
    labels
        Number of labels, or their names.
    weights
        One number for all, or a matrix of labels by features.
    """
    matrix = check_rows(observed, f"observed features of {name}")
    names = name_labels(labels, name)
    columns = list(features) if features is not None else [str(k) for k in range(matrix.shape[1])]
    if len(columns) != matrix.shape[1]:
        raise InputError(
            f"{name}: there are {len(columns)} feature names for {matrix.shape[1]} columns; "
            "give one name for each"
        )
    pairs = [f"{label}|{column}" for label in names for column in columns]
    full, start = feature_weights(name, pairs, flatten_weights(weights))
    data, indices = matrix.data, matrix.indices.astype(np.int64)
    table = Observed(matrix.indptr.astype(np.int64), indices, data, np.array([matrix.shape[1]]))

    def bound(w: Floats) -> float:
        grid = w.reshape(len(names), -1)
        spread = grid.max(0) - grid.min(0)
        return float((np.abs(data) * spread[indices]).max(initial=0.0))

    return Template(
        name,
        Labels,
        full,
        start,
        count_listed,
        unary_emit,
        table,
        bound=bound,
        check=_fits(name, matrix.shape[0], len(names)),
    )


def pairwise(
    edges: ArrayLike,
    labels: int | Sequence[str],
    *,
    kind: ArrayLike | None = None,
    kinds: Sequence[str] = ("edge",),
    weights: float | ArrayLike = 0.0,
    name: str = "pairwise",
) -> Template:
    """Build pairwise factors: one weight, shared by all edges of a kind, per pair of labels.

    Parameters
    ----------
    edges
        Two columns of variable numbers, left and right.
    kind
        The number of each edge's kind; by default all edges have kind 0.
    weights
        One number for all, one matrix of left by right labels, or one matrix per kind.
    """
    names = name_labels(labels, name)
    ends, types = _edges(edges, kind, len(kinds), name)
    full = [f"{t}:{a}|{b}" for t in kinds for a in names for b in names]
    features, start_weights = feature_weights(name, full, _per_kind(weights, len(kinds)))
    n = int(ends.max(initial=-1)) + 1
    start, edge = _incidence(ends, n)
    table = Edges(start, edge, ends, types, np.array([len(names), len(names)]))

    def prepare(table: Edges, state: Labels) -> Edges:
        # variables without edges may follow the last variable with an edge
        missing = state.label.size - (table.start.size - 1)
        return table._replace(start=np.pad(table.start, (0, missing), mode="edge"))

    def bound(w: Floats) -> float:
        grid = w.reshape(len(kinds), len(names), len(names))
        return float(max(np.ptp(grid, axis=1).max(), np.ptp(grid, axis=2).max()))

    return Template(
        name,
        Labels,
        features,
        start_weights,
        count_listed,
        edge_emit,
        table,
        cache=Cache(prepare=prepare),
        bound=bound,
        check=_fits(name, n, len(names), exact=False),
    )


def _edges(edges: ArrayLike, kind: ArrayLike | None, kinds: int, name: str) -> tuple[Ints, Ints]:
    ends = integers(edges, f"{name}: the table of edges")
    if ends.size == 0:
        ends = ends.reshape(0, 2)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(f"{name}: edges have shape {ends.shape}; give two columns, left and right")
    types = np.zeros(len(ends), np.int64)
    if kind is not None:
        types = integers(kind, f"{name}: the row of kinds")
    if types.shape != (len(ends),):
        raise InputError(
            f"{name}: there are {types.size} kinds for {len(ends)} edges; give one each"
        )
    if ((types < 0) | (types >= kinds)).any():
        wrong = types[(types < 0) | (types >= kinds)][0]
        raise InputError(f"{name}: an edge has the kind {wrong}; give numbers in 0..{kinds - 1}")
    if (ends[:, 0] == ends[:, 1]).any():
        own = int(ends[ends[:, 0] == ends[:, 1]][0, 0])
        raise InputError(f"{name}: an edge connects variable {own} to itself; use `unary` instead")
    if (ends < 0).any():
        raise InputError(
            f"{name}: an edge names the variable {int(ends.min())}; number variables from 0"
        )
    return np.ascontiguousarray(ends), types


class Scopes(NamedTuple):
    """The variables of each factor, by variable and by factor, and the user's data."""

    start: Ints
    factor: Ints
    scope_start: Ints
    scope: Ints
    values: Ints
    data: Any


@kernel
def scope_count(table: Scopes, state: Labels, move: Relabel) -> int:
    """Count the factors of the variable."""
    return table.start[move.variable + 1] - table.start[move.variable]


def potential(
    function: Callable[..., float],
    scopes: Sequence[ArrayLike],
    data: Any = (),
    *,
    feature: str = "score",
    weight: float = 1.0,
    bound: float | None = None,
    name: str = "potential",
) -> Template:
    """Build factors from a user's function: `function(data, k, values)` scores the k-th scope.

    Parameters
    ----------
    function
        A Python function that Numba compiles; `values` holds the labels of the scope's variables.
    scopes
        The variables of each factor.
    data
        The function's data: an array, or a NamedTuple of arrays.
    bound
        The largest change of the function's value that one label can cause, if known.
    """
    limit = checked_bound(bound, name)
    features, weights = feature_weights(name, [feature], weight)
    table = _scope_table(scopes, data, name)
    widest, n = int(np.diff(table.scope_start).max()), int(table.start.size - 1)
    first = np.zeros(table.scope_start[1], np.int64)
    function = check_function(function, name, data, 0, first)
    check_returned(
        function(data, 0, first), 1, f"{name}: {describe(function)}(data, 0, {first.tolist()})"
    )

    def prepare(table: Scopes, state: Labels) -> Scopes:
        missing = state.label.size - (table.start.size - 1)
        longer = np.pad(table.start, (0, missing), mode="edge")
        return table._replace(start=longer, values=np.zeros(widest, np.int64))

    return Template(
        name,
        Labels,
        features,
        weights,
        scope_count,
        _emit_potential(function),
        table,
        cache=Cache(prepare=prepare),
        bound=None if limit is None else lambda w: float(limit * abs(w[0])),
        check=_fits(name, n, None, exact=False),
    )


def _scope_table(scopes: Sequence[ArrayLike], data: Any, name: str) -> Scopes:
    lists = [np.atleast_1d(integers(scope, f"{name}: a scope")) for scope in scopes]
    if not lists or any(scope.size == 0 for scope in lists):
        raise InputError(f"{name}: scopes are {lists}; give at least one, each with a variable")
    flat = np.concatenate(lists)
    if (flat < 0).any():
        raise InputError(
            f"{name}: a scope names the variable {flat.min()}; number variables from 0"
        )
    sizes = np.array([scope.size for scope in lists])
    owner = np.repeat(np.arange(len(lists)), sizes)
    pairs = np.unique(np.stack([flat, owner], 1), axis=0)
    start = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0]))]).astype(np.int64)
    scope_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Scopes(start, pairs[:, 1].copy(), scope_start, flat, np.zeros(0, np.int64), data)


def _emit_potential(function: Callable[..., float]) -> Any:
    score = kernel(function)

    @kernel
    def emit(table: Scopes, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
        factor = table.factor[table.start[move.variable] + k]
        first = table.scope_start[factor]
        values = table.values[: table.scope_start[factor + 1] - first]
        for v in range(values.size):
            values[v] = state.label[table.scope[first + v]]
        before = score(table.data, factor, values)
        for v in range(values.size):
            if table.scope[first + v] == move.variable:
                values[v] = move.new
        return push(delta, 0, score(table.data, factor, values) - before)

    return emit


def name_labels(labels: int | Sequence[str], name: str) -> list[str]:
    """Return the names of labels; raise an InputError unless there are two or more."""
    if isinstance(labels, int | np.integer):
        names = [str(k) for k in range(labels)]
    elif isinstance(labels, str) or not isinstance(labels, Sequence):
        raise InputError(f"{name}: labels is {labels!r}; give their number or a list of names")
    else:
        names = [str(label) for label in labels]
    if len(names) < 2:
        raise InputError(f"{name}: labels is {labels!r}; give at least two")
    return names


def flatten_weights(weights: float | ArrayLike) -> Floats:
    """Return weights as one row; a single number stays one."""
    array = np.asarray(weights, float)
    return array if array.ndim == 0 else array.reshape(-1)


def _per_kind(weights: float | ArrayLike, kinds: int) -> Floats:
    array = np.asarray(weights, float)
    return np.tile(array.reshape(-1), kinds) if array.ndim == 2 else flatten_weights(array)


def _incidence(ends: Ints, n: int) -> tuple[Ints, Ints]:
    flat = ends.reshape(-1)
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(flat, minlength=n), out=start[1:])
    return start, np.argsort(flat, kind="stable") // 2


def _fits(name: str, n: int, size: int | None, exact: bool = True) -> Callable[[Labels], None]:
    def check(state: Labels) -> None:
        have = state.label.size
        if have < n or (exact and have != n):
            raise InputError(
                f"{name} was built for {n} variables but the start has {have}; "
                "give both the same variables"
            )
        if size is not None and state.domain.max() > size:
            raise InputError(
                f"{name} has {size} labels but a variable has a domain of {state.domain.max()}; "
                "give it a label for every value"
            )

    return check
