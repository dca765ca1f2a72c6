"""Delta: phi(after) - phi(before), written once per step by the templates.

A template owns one contiguous slice of the weight vector and numbers its features locally; a number
outside the slice sets an error status instead of corrupting another template. `push` returns
weight * value: a factor's score stays in a register and needs no second pass over the features.
The change itself is stored only in a walk that learns.
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

EXAMINED = 0
"""Cell of the status: number of examined factors."""
CODE = 1
"""Cell of the status: OK, or the reason to stop."""
ORIGIN = 2
"""Cell of the status: the template that set the code."""
COMPONENT = 3
"""Cell of the status: the component of the mixture that drew the move."""

OK = 0
BAD_FEATURE = 1
"""A feature number is outside the template's slice."""
BAD_SCORE = 2
"""A score is NaN or +inf."""
BAD_BOUND = 3
"""A factor exceeds its declared bound."""
NO_ROOM = 4
"""A pool is too small for the next step."""


class Delta(NamedTuple):
    """Sparse change of one template's sufficient statistics, with the template's weights."""

    weights: Floats
    change: Floats
    touched: Ints
    marked: Bytes
    scale: Floats
    """One cell: the factor of recorded changes if only a sample of factors is examined."""
    note: Ints
    """Number of touched features, whether changes are stored, and the template's number."""
    status: Ints
    """Shared by all templates and the walk: counters, and the reason to stop."""


class NoTable(NamedTuple):
    """The table of a template or proposal without data."""


class Context(NamedTuple):
    """The arrays that one chain's kernels share, besides the state."""

    tables: Any
    """One table per template: its data and this chain's cached aggregates."""
    deltas: Any
    """One Delta per template."""
    parameters: Floats
    """Parameters of the estimator, which may change while the chain runs."""
    deck: Ints
    """Rows: the cards 0, 1, 2, ... (shuffled by draws, then restored), the swaps, the draws."""
    chosen_score: Floats
    """One cell: the score of the move that `choose` has drawn."""
    status: Ints


def deltas(weights: Floats, widths: list[int], status: Ints) -> tuple[Delta, ...]:
    """Build one Delta per template over consecutive slices of `weights` (shared, not copied)."""
    changes, start = [], 0
    change = np.zeros(weights.size)
    for number, width in enumerate(widths):
        part = slice(start, start + width)
        changes.append(
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
    return tuple(changes)


@kernel
def push(delta: Delta, feature: int, value: float) -> float:
    """Add `value` to the change of a feature; return its contribution to the score."""
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
    """Clear the stored change."""
    for k in range(delta.note[0]):
        feature = delta.touched[k]
        delta.change[feature] = 0.0
        delta.marked[feature] = 0
    delta.note[0] = 0


@kernel
def norm(parts: tuple[Delta, ...]) -> float:
    """Return the squared length of the whole change."""
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
