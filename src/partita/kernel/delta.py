"""The one currency: delta = phi(after) - phi(before), written once per step by the templates.

A template holds one contiguous slice of the weight vector, so it speaks of its features by
local numbers, and a number outside the slice is caught instead of corrupting a neighbour.
`push` returns weight * value: a factor's score is kept in a register and no second pass over
the features is needed. The change itself is stored only while a learner is listening.
"""

from typing import Any, NamedTuple

import numpy as np

from partita.kernel.arrays import Bytes, Floats, Ints
from partita.kernel.numba.compile import kernel

__all__ = [
    "BAD_BOUND",
    "BAD_FEATURE",
    "BAD_SCORE",
    "CODE",
    "COMPONENT",
    "EXAMINED",
    "NO_ROOM",
    "OK",
    "ORIGIN",
    "Context",
    "Delta",
    "NoTable",
    "add",
    "clear",
    "deltas",
    "norm",
    "push",
    "record",
]

EXAMINED, CODE, ORIGIN, COMPONENT = 0, 1, 2, 3
"""Cells of the status: factors examined, code, template that set it, component of the mixture."""

OK, BAD_FEATURE, BAD_SCORE, BAD_BOUND, NO_ROOM = 0, 1, 2, 3, 4
"""Why a walk stopped before its time."""


class Delta(NamedTuple):
    """Sparse change of one template's sufficient statistics, beside the weights it is priced by."""

    weights: Floats
    change: Floats
    touched: Ints
    marked: Bytes
    scale: Floats
    """One cell: what a recorded change is multiplied by when only some factors are examined."""
    note: Ints
    """How many features are touched, whether changes are stored, and the template's number."""
    status: Ints
    """Shared by all templates and the walk: counters, and the reason to stop."""


class NoTable(NamedTuple):
    """The table of a template or proposal without data."""


class Context(NamedTuple):
    """All that one chain's kernels read and write beside the state."""

    tables: Any
    """One table per template: its data and this chain's cached aggregates."""
    deltas: Any
    """One Delta per template."""
    parameters: Floats
    """Settings of the estimator that may change while the chain runs."""
    deck: Ints
    """Rows: the cards 0, 1, 2, ... (shuffled by draws, then put back), the swaps, the draws."""
    chosen_score: Floats
    """One cell: the score of the move that `choose` has decided on."""
    status: Ints


def deltas(weights: Floats, widths: list[int], status: Ints) -> tuple[Delta, ...]:
    """One Delta per template over consecutive slices of `weights` (shared, not copied)."""
    made, start = [], 0
    change = np.zeros(weights.size)
    for number, width in enumerate(widths):
        part = slice(start, start + width)
        made.append(
            Delta(
                weights[part],
                change[part],
                np.zeros(width, np.int64),
                np.zeros(width, np.uint8),
                np.ones(1),
                np.array([0, 0, number]),
                status,
            )
        )
        start += width
    return tuple(made)


@kernel
def push(delta: Delta, feature: int, value: float) -> float:
    """Add `value` to the change of a feature and return what that adds to the score."""
    if feature < 0 or feature >= delta.weights.size:
        delta.status[CODE] = BAD_FEATURE
        delta.status[ORIGIN] = delta.note[2]
        return 0.0
    if delta.note[1] != 0:
        if delta.marked[feature] == 0:
            delta.marked[feature] = 1
            delta.touched[delta.note[0]] = feature
            delta.note[0] += 1
        delta.change[feature] += value * delta.scale[0]
    return delta.weights[feature] * value


@kernel
def record(delta: Delta, on: int) -> None:
    """Start or stop storing changes."""
    delta.note[1] = on


@kernel
def clear(delta: Delta) -> None:
    """Forget the stored change."""
    for k in range(delta.note[0]):
        feature = delta.touched[k]
        delta.change[feature] = 0.0
        delta.marked[feature] = 0
    delta.note[0] = 0


@kernel
def norm(parts: tuple[Delta, ...]) -> float:
    """Squared length of the whole change."""
    total = 0.0
    for part in parts:
        for k in range(part.note[0]):
            value = part.change[part.touched[k]]
            total += value * value
    return total


@kernel
def add(parts: tuple[Delta, ...], step: float) -> None:
    """Move the weights by step * change."""
    for part in parts:
        for k in range(part.note[0]):
            feature = part.touched[k]
            part.weights[feature] += step * part.change[feature]
