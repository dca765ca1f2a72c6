"""Factors over Labels: unary and pairwise with shared weights, or any function of a few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from partita.errors import InputError
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Labels, Relabel

__all__ = ["pairwise", "potential", "unary"]


class Observed(NamedTuple):
    """Observed features of each variable, and how many kinds there are."""

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
def unary_count(table: Observed, state: Labels, move: Relabel) -> int:
    """One factor for each observed feature of the variable."""
    return table.start[move.variable + 1] - table.start[move.variable]


@kernel
def unary_emit(table: Observed, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """phi[label, feature] = value."""
    at = table.start[move.variable] + k
    feature, value, width = table.feature[at], table.value[at], table.width[0]
    gained = push(delta, move.new * width + feature, value)
    return gained + push(delta, move.old * width + feature, -value)


@kernel
def edge_count(table: Edges, state: Labels, move: Relabel) -> int:
    """The edges of the variable."""
    return table.start[move.variable + 1] - table.start[move.variable]


@kernel
def edge_emit(table: Edges, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """phi[kind, left label, right label] = 1."""
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
    observed: ArrayLike | sparse.sparray | sparse.spmatrix,
    labels: int | Sequence[str],
    *,
    weights: float | ArrayLike = 0.0,
    features: Sequence[str] | None = None,
    name: str = "unary",
) -> Template:
    """Weights shared by all variables: one for each pair of label and observed feature.

    Parameters
    ----------
    observed
        One row per variable, one column per feature (dense or SciPy sparse).
    labels
        How many labels there are, or their names.
    weights
        One number for all, or a matrix of labels by features.
    """
    matrix = sparse.csr_array(
        observed if sparse.issparse(observed) else np.asarray(observed, float)
    )
    matrix.sum_duplicates()
    names = _label_names(labels, name)
    columns = list(features) if features is not None else [str(k) for k in range(matrix.shape[1])]
    if len(columns) != matrix.shape[1]:
        raise InputError(f"{name}: {len(columns)} feature names for {matrix.shape[1]} columns")
    pairs = [f"{label}|{column}" for label in names for column in columns]
    full, start = feature_weights(name, pairs, _flat(weights))
    data = finite(matrix.data, f"observed features of {name}")
    table = Observed(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        data,
        np.array([matrix.shape[1]]),
    )

    def bound(w: Floats) -> float:
        grid = w.reshape(len(names), -1)
        spread = grid.max(0) - grid.min(0)
        return float((np.abs(data) * spread[matrix.indices]).max(initial=0.0))

    return Template(
        name,
        Labels,
        full,
        start,
        unary_count,
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
    """Weights shared by all edges of a kind: one for each pair of labels (left, right).

    Parameters
    ----------
    edges
        Two columns of variable numbers, left and right.
    kind
        The number of each edge's kind; all are of the first kind if left out.
    weights
        One number for all, one matrix of left by right labels, or one matrix per kind.
    """
    ends = np.ascontiguousarray(np.asarray(edges, np.int64).reshape(-1, 2))
    names = _label_names(labels, name)
    types = np.zeros(len(ends), np.int64) if kind is None else np.asarray(kind, np.int64)
    if types.shape != (len(ends),) or ((types < 0) | (types >= len(kinds))).any():
        raise InputError(f"{name}: give each of {len(ends)} edges a kind in 0..{len(kinds) - 1}")
    if (ends[:, 0] == ends[:, 1]).any():
        raise InputError(f"{name}: an edge joins a variable with itself; use `unary` for that")
    if (ends < 0).any():
        raise InputError(f"{name}: an edge names the variable {int(ends.min())}")
    full = [f"{t}:{a}|{b}" for t in kinds for a in names for b in names]
    features, start_weights = feature_weights(name, full, _per_kind(weights, len(kinds)))
    n = int(ends.max(initial=-1)) + 1
    start, edge = _incidence(ends, n)
    table = Edges(start, edge, ends, types, np.array([len(names), len(names)]))

    def prepare(table: Edges, state: Labels) -> Edges:
        # variables without edges may follow the last one that has some
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
        edge_count,
        edge_emit,
        table,
        prepare=prepare,
        bound=bound,
        check=_fits(name, n, len(names), exact=False),
    )


class Scopes(NamedTuple):
    """Which variables each factor looks at, by variable and by factor, and the user's data."""

    start: Ints
    factor: Ints
    scope_start: Ints
    scope: Ints
    values: Ints
    data: Any


@kernel
def scope_count(table: Scopes, state: Labels, move: Relabel) -> int:
    """The factors that look at the variable."""
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
    """Factors of a user's own: `function(data, k, values)` scores the k-th scope's labels.

    Parameters
    ----------
    function
        A Python function that Numba compiles; `values` holds the labels of the scope's variables.
    scopes
        For each factor the variables it looks at.
    data
        Whatever the function needs: an array, or a NamedTuple of arrays.
    bound
        The largest change of score that one factor can cause, if known.
    """
    score = kernel(function)
    lists = [np.atleast_1d(np.asarray(scope, np.int64)) for scope in scopes]
    if not lists or any(scope.size == 0 for scope in lists):
        raise InputError(f"{name}: give at least one scope, each with at least one variable")
    features, weights = feature_weights(name, [feature], weight)
    scope_start = np.concatenate([[0], np.cumsum([scope.size for scope in lists])]).astype(np.int64)
    flat = np.concatenate(lists)
    n = int(flat.max()) + 1
    owner = np.repeat(np.arange(len(lists)), [scope.size for scope in lists])
    pairs = np.unique(np.stack([flat, owner], 1), axis=0)
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(pairs[:, 0], minlength=n), out=start[1:])
    table = Scopes(start, pairs[:, 1].copy(), scope_start, flat, np.zeros(0, np.int64), data)
    widest = int(np.diff(scope_start).max())

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
        emit,
        table,
        prepare=prepare,
        bound=None if bound is None else lambda w: float(bound * abs(w[0])),
        check=_fits(name, n, None, exact=False),
    )


def _label_names(labels: int | Sequence[str], name: str) -> list[str]:
    names = [str(k) for k in range(labels)] if isinstance(labels, int) else list(labels)
    if len(names) < 2:
        raise InputError(f"{name}: there are {len(names)} labels; give at least two")
    return names


def _flat(weights: float | ArrayLike) -> Floats:
    array = np.asarray(weights, float)
    return array if array.ndim == 0 else array.reshape(-1)


def _per_kind(weights: float | ArrayLike, kinds: int) -> Floats:
    array = np.asarray(weights, float)
    return np.tile(array.reshape(-1), kinds) if array.ndim == 2 else _flat(array)


def _incidence(ends: Ints, n: int) -> tuple[Ints, Ints]:
    flat = ends.reshape(-1)
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(flat, minlength=n), out=start[1:])
    return start, np.argsort(flat, kind="stable") // 2


def _fits(name: str, n: int, size: int | None, exact: bool = True) -> Callable[[Labels], None]:
    def check(state: Labels) -> None:
        have = state.label.size
        if have < n or (exact and have != n):
            raise InputError(f"{name} was built for {n} variables but the start has {have}")
        if size is not None and state.domain.max() > size:
            raise InputError(
                f"{name} has {size} labels but a variable has a domain of {state.domain.max()}"
            )

    return check
