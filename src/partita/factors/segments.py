"""Factors over Segments: attributes of tokens, attributes of whole segments, adjacent labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.bags import check_rows
from partita.factors.fields import flatten_weights, name_labels
from partita.factors.template import Template, count_one, feature_weights
from partita.kernel import Delta, Floats, Ints, NoTable, kernel, push
from partita.states.segments import Recut, Segments

__all__ = ["adjacent_segments", "segment_attributes", "token_attributes"]


class Rows(NamedTuple):
    """Sparse rows of attributes, their number, and the rows of one token."""

    start: Ints
    attribute: Ints
    value: Floats
    shape: Ints
    """The number of attributes, and of rows for each token."""


@kernel
def push_row(table: Rows, row: int, label: int, sign: float, delta: Delta) -> float:
    """Push all attributes of a row for one label."""
    total, base = 0.0, label * table.shape[0]
    for at in range(table.start[row], table.start[row + 1]):
        total += push(delta, base + table.attribute[at], sign * table.value[at])
    return total


@kernel
def token_count(table: Rows, state: Segments, move: Recut) -> int:
    """Count the tokens between the ends of the move."""
    return move.end - move.first


@kernel
def token_emit(table: Rows, state: Segments, move: Recut, k: int, delta: Delta) -> float:
    """Push phi[label, attribute] = value of a token whose label changes."""
    token = move.first + k
    old, new = state.label[token], move.new_left if token < move.new_cut else move.new_right
    if old == new:
        return 0.0
    return push_row(table, token, new, 1.0, delta) + push_row(table, token, old, -1.0, delta)


@kernel
def push_pair(
    table: Rows, first: int, cut: int, end: int, left: int, right: int, sign: float, delta: Delta
) -> float:
    """Push the attributes of the segments on both sides of a cut."""
    lengths = table.shape[1]
    total = 0.0
    if cut - first <= lengths:
        total += push_row(table, first * lengths + cut - first - 1, left, sign, delta)
    if cut < end and end - cut <= lengths:
        total += push_row(table, cut * lengths + end - cut - 1, right, sign, delta)
    return total


@kernel
def segment_emit(table: Rows, state: Segments, move: Recut, k: int, delta: Delta) -> float:
    """Push phi[label, attribute] of the new segments less that of the old ones."""
    first, end = move.first, move.end
    gained = push_pair(table, first, move.new_cut, end, move.new_left, move.new_right, 1.0, delta)
    return gained + push_pair(
        table, first, move.old_cut, end, move.old_left, move.old_right, -1.0, delta
    )


@kernel
def adjacent_count(table: NoTable, state: Segments, move: Recut) -> int:
    """Count the label before the move, the labels inside, and the label after the move."""
    return 3


@kernel
def adjacent_emit(table: NoTable, state: Segments, move: Recut, k: int, delta: Delta) -> float:
    """Push phi[left label, right label] = 1 of adjacent segments; the last row is a line start."""
    labels = state.longest.size
    first, end = move.first, move.end
    if k == 0:
        before = labels if first == state.begin[first] else state.label[first - 1]
        gained = push(delta, before * labels + move.new_left, 1.0)
        return gained + push(delta, before * labels + move.old_left, -1.0)
    total = 0.0
    if k == 1:
        if move.new_cut < end:
            total += push(delta, move.new_left * labels + move.new_right, 1.0)
        if move.old_cut < end:
            total += push(delta, move.old_left * labels + move.old_right, -1.0)
    elif end < state.end[first]:
        total += push(delta, move.new_right * labels + state.label[end], 1.0)
        total += push(delta, move.old_right * labels + state.label[end], -1.0)
    return total


def token_attributes(
    observed: ArrayLike | scipy.sparse.sparray | scipy.sparse.spmatrix,
    labels: int | Sequence[str],
    *,
    weights: float | ArrayLike = 0.0,
    name: str = "token",
) -> Template:
    """Build factors of tokens: one weight per label and attribute of a token in the segment.

    Parameters
    ----------
    observed
        One row per token, one column per attribute (dense or SciPy sparse).
    labels
        Number of labels, or their names.
    weights
        One number for all, or a matrix of labels by attributes.
    """
    return _build_rows(observed, labels, 1, weights, name, token_count, token_emit)


def segment_attributes(
    observed: ArrayLike | scipy.sparse.sparray | scipy.sparse.spmatrix,
    labels: int | Sequence[str],
    lengths: int,
    *,
    weights: float | ArrayLike = 0.0,
    name: str = "segment",
) -> Template:
    """Build factors of whole segments: one weight per label and attribute of the segment.

    Parameters
    ----------
    observed
        Row token * lengths + length - 1 has the attributes of the segment that starts at the
        token; segments of more than `lengths` tokens have none.
    labels
        Number of labels, or their names.
    weights
        One number for all, or a matrix of labels by attributes.
    """
    return _build_rows(observed, labels, lengths, weights, name, count_one, segment_emit)


def _build_rows(
    observed: Any,
    labels: int | Sequence[str],
    lengths: int,
    weights: float | ArrayLike,
    name: str,
    count: Any,
    emit: Any,
) -> Template:
    """Build a template of sparse rows by label."""
    matrix = check_rows(observed, f"attributes of {name}")
    names = name_labels(labels, name)
    features = [f"{label}|{column}" for label in names for column in range(matrix.shape[1])]
    full, start = feature_weights(name, features, flatten_weights(weights))
    table = Rows(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        matrix.data.astype(float),
        np.array([matrix.shape[1], lengths]),
    )
    check = _check_start(name, matrix.shape[0] // lengths, len(names))
    return Template(name, Segments, full, start, count, emit, table, check=check)


def adjacent_segments(
    labels: int | Sequence[str],
    *,
    weights: float | ArrayLike = 0.0,
    name: str = "adjacent",
) -> Template:
    """Build factors of adjacent segments: one weight per pair of labels.

    Parameters
    ----------
    labels
        Number of labels, or their names.
    weights
        One number for all, or a matrix of left by right labels whose last row is a line's start.
    """
    names = name_labels(labels, name)
    features = [f"{left}|{right}" for left in (*names, "start") for right in names]
    full, start = feature_weights(name, features, flatten_weights(weights))
    check = _check_start(name, None, len(names))
    return Template(
        name, Segments, full, start, adjacent_count, adjacent_emit, NoTable(), check=check
    )


def _check_start(name: str, tokens: int | None, labels: int) -> Callable[[Segments], None]:
    def check(state: Segments) -> None:
        if tokens is not None and state.first.size != tokens:
            raise InputError(
                f"{name}: there are rows for {tokens} tokens and {state.first.size} tokens; "
                "give one state for both"
            )
        if state.longest.size != labels:
            raise InputError(
                f"{name}: the model has {labels} labels and the state {state.longest.size}; "
                "give the same number"
            )

    return check
