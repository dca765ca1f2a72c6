"""Labels: any number of discrete variables, each with a domain of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Ints, kernel
from partita.states.checks import integers
from partita.states.space import Space, register_space

__all__ = ["Labels", "Relabel"]


class Labels(NamedTuple):
    """The value of each variable and the size of its domain; build it with `Labels.of`."""

    label: Ints
    domain: Ints

    @classmethod
    def of(cls, values: ArrayLike, domain: int | ArrayLike) -> Labels:
        """Build variables with these start values; `domain` is one size for all, or one for each.

        Values run from 0 to the size of their domain less one.
        """
        return build(values, domain)


class Relabel(NamedTuple):
    """`variable` changes from `old` to `new`."""

    variable: int
    old: int
    new: int


@kernel
def apply(state: Labels, move: Relabel) -> None:
    """Apply the move."""
    state.label[move.variable] = move.new


@kernel
def undo(state: Labels, move: Relabel) -> None:
    """Undo the move."""
    state.label[move.variable] = move.old


@kernel
def idle(move: Relabel) -> bool:
    """Return whether the move keeps the label."""
    return move.old == move.new


@kernel
def reverse(move: Relabel) -> Relabel:
    """Return the reverse move."""
    return Relabel(move.variable, move.new, move.old)


@kernel
def room(state: Labels) -> bool:
    """Return True: labels need no pool."""
    return True


@kernel
def toward(state: Labels, goal: Labels, k: int) -> Relabel:
    """Return the move that sets variable k to its value in the goal."""
    return Relabel(k, state.label[k], goal.label[k])


def build(values: ArrayLike, domain: int | ArrayLike) -> Labels:
    """Check labels and build their arrays."""
    label = integers(values, "the row of values").copy()
    if label.ndim != 1 or label.size == 0:
        raise InputError(f"values have shape {label.shape}; give one per variable, at least one")
    sizes = integers(domain, "the domain")
    if sizes.ndim > 1 or (sizes.ndim == 1 and sizes.size != label.size):
        raise InputError(
            f"domain has shape {sizes.shape} for {label.size} variables; give one size or one each"
        )
    sizes = np.ascontiguousarray(np.broadcast_to(sizes, label.shape))
    if (sizes < 1).any():
        raise InputError(f"a domain has the size {sizes.min()}; give sizes of at least 1")
    wrong = np.flatnonzero((label < 0) | (label >= sizes))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(
            f"variable {k} has the value {label[k]} outside its domain 0..{sizes[k] - 1}; "
            "give a value inside the domain"
        )
    return Labels(label, sizes)


def check(state: Labels) -> None:
    """Check that every label is inside its domain."""
    if ((state.label < 0) | (state.label >= state.domain)).any():
        raise InputError("a label is outside its domain")


def enumerate_labels(state: Labels) -> Iterator[Labels]:
    """Enumerate all labelings, for tests."""
    for values in itertools.product(*(range(size) for size in state.domain)):
        yield Labels(np.array(values, np.int64), state.domain)


def observe(state: Labels) -> NDArray[np.int32]:
    """Return the labels as a draw records them."""
    return state.label.astype(np.int32)


register_space(
    Labels,
    Space(
        name="labels",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.label.size),
        origin=lambda goal: Labels(np.zeros_like(goal.label), goal.domain),
        copy=lambda state: Labels(state.label.copy(), state.domain),
        grow=lambda state: state,
        check=check,
        observe=observe,
        restore=lambda state, values: Labels(values.astype(np.int64), state.domain),
        facts=lambda state: {},
        enumerate=enumerate_labels,
        sites=lambda state: int(state.label.size),
    ),
)
