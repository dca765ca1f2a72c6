"""Segments: lines of tokens that are cut into labelled segments."""

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

__all__ = ["Recut", "Segments"]


class Segments(NamedTuple):
    """First and last token and label of each token's segment; build it with `Segments.of`."""

    first: Ints
    last: Ints
    label: Ints
    begin: Ints
    """The first token of each token's line."""
    end: Ints
    """The token after each token's line."""
    longest: Ints
    """The most tokens of a segment of each label."""

    @classmethod
    def of(
        cls,
        start: ArrayLike,
        labels: int,
        longest: int | ArrayLike | None = None,
        *,
        first: ArrayLike | None = None,
        label: ArrayLike | None = None,
    ) -> Segments:
        """Build the segments of lines; by default each token is a segment with label 0.

        Parameters
        ----------
        start
            The first token of each line, and the number of all tokens.
        labels
            The number of labels.
        longest
            The most tokens of a segment, or one number for each label; None without limit.
        first, label
            The first token and the label of each token's segment.
        """
        return build(start, labels, longest, first, label)


class Recut(NamedTuple):
    """The tokens first .. end - 1, one or two segments, become one or two other segments.

    Segments are first .. cut - 1 and cut .. end - 1; cut = end means one segment, and both labels
    are then equal.
    """

    first: int
    end: int
    old_cut: int
    old_left: int
    old_right: int
    new_cut: int
    new_left: int
    new_right: int


@kernel
def write(state: Segments, first: int, end: int, label: int) -> None:
    """Make the tokens first .. end - 1 one segment."""
    for t in range(first, end):
        state.first[t] = first
        state.last[t] = end - 1
        state.label[t] = label


@kernel
def apply(state: Segments, move: Recut) -> None:
    """Apply the move."""
    write(state, move.first, move.new_cut, move.new_left)
    write(state, move.new_cut, move.end, move.new_right)


@kernel
def undo(state: Segments, move: Recut) -> None:
    """Undo the move."""
    write(state, move.first, move.old_cut, move.old_left)
    write(state, move.old_cut, move.end, move.old_right)


@kernel
def idle(move: Recut) -> bool:
    """Return whether the move keeps the segments."""
    same_labels = move.old_left == move.new_left and move.old_right == move.new_right
    return move.old_cut == move.new_cut and same_labels


@kernel
def reverse(move: Recut) -> Recut:
    """Return the reverse move."""
    return Recut(
        move.first,
        move.end,
        move.new_cut,
        move.new_left,
        move.new_right,
        move.old_cut,
        move.old_left,
        move.old_right,
    )


@kernel
def room(state: Segments) -> bool:
    """Return True: segments need no pool."""
    return True


@kernel
def toward(state: Segments, goal: Segments, k: int) -> Recut:
    """Return the move that gives token k its label, or joins it to the segment before it."""
    old, new = state.label[k], goal.label[k]
    if goal.first[k] == k:
        return Recut(k, k + 1, k + 1, old, old, k + 1, new, new)
    return Recut(goal.first[k], k + 1, k, new, old, k + 1, new, new)


def build(
    start: ArrayLike,
    labels: int,
    longest: int | ArrayLike | None,
    first: ArrayLike | None,
    label: ArrayLike | None,
) -> Segments:
    """Check lines and segments, and build their arrays."""
    starts = integers(start, "the row of starts")
    if starts.ndim != 1 or starts.size < 2 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise InputError(f"starts are {starts.tolist()}; give 0, then the end of each line")
    tokens = int(starts[-1])
    if tokens == 0:
        raise InputError("the lines have no tokens; give at least one")
    limit = tokens if longest is None else longest
    limits = np.ascontiguousarray(np.broadcast_to(integers(limit, "longest"), labels))
    if labels < 1 or (limits < 1).any():
        raise InputError(f"there are {labels} labels with limits {limits.tolist()}; give 1 or more")
    sizes = np.diff(starts)
    state = Segments(
        np.arange(tokens) if first is None else integers(first, "first").copy(),
        np.arange(tokens),
        np.zeros(tokens, np.int64) if label is None else integers(label, "labels").copy(),
        np.repeat(starts[:-1], sizes),
        np.repeat(starts[1:], sizes),
        limits,
    )
    if state.first.shape != (tokens,) or state.label.shape != (tokens,):
        raise InputError(f"there are {tokens} tokens; give a first token and a label for each")
    counts = np.bincount(np.clip(state.first, 0, tokens - 1), minlength=tokens)
    state.last[:] = state.first + counts[np.clip(state.first, 0, tokens - 1)] - 1
    check(state)
    return state


def check(state: Segments) -> None:
    """Check that segments cover the lines and obey the limits of their labels."""
    tokens = np.arange(state.first.size)
    if ((state.label < 0) | (state.label >= state.longest.size)).any():
        raise InputError("a label is outside the labels")
    opens = state.first == tokens
    follows = np.ones(tokens.size, bool)
    follows[1:] = (state.first[1:] == state.first[:-1]) & (state.label[1:] == state.label[:-1])
    if not (opens | follows).all() or not opens[0] or (state.first < state.begin).any():
        raise InputError("a segment has a gap, two labels, or tokens of two lines")
    if (state.last != state.first + np.bincount(state.first)[state.first] - 1).any():
        raise InputError("the last token of a segment is wrong")
    if (state.last - state.first + 1 > state.longest[state.label]).any():
        raise InputError("a segment is longer than its label allows; cut it")


def observe(state: Segments) -> NDArray[np.int32]:
    """Return label and boundary of each token: 2 * label, and 1 more at a first token."""
    opens = state.first == np.arange(state.first.size)
    return (2 * state.label + opens).astype(np.int32)


def restore(state: Segments, values: NDArray[np.int32]) -> Segments:
    """Build the segments of a record of `observe`."""
    codes = np.asarray(values, np.int64)
    first = np.maximum.accumulate(np.where(codes % 2 == 1, np.arange(codes.size), 0))
    last = first + np.bincount(first)[first] - 1
    return state._replace(first=first, last=last, label=codes // 2)


def enumerate_segments(state: Segments) -> Iterator[Segments]:
    """Enumerate all segmentations, for tests."""
    tokens, labels = state.first.size, state.longest.size
    for cut in itertools.product((0, 1), repeat=tokens):
        opens = np.array(cut, bool) | (state.begin == np.arange(tokens))
        if (opens != np.array(cut, bool)).any():
            continue
        first = np.maximum.accumulate(np.where(opens, np.arange(tokens), 0))
        size = np.bincount(first)[first]
        for names in itertools.product(range(labels), repeat=int(opens.sum())):
            label = np.array(names)[np.cumsum(opens) - 1]
            if (size <= state.longest[label]).all():
                yield state._replace(first=first.copy(), last=first + size - 1, label=label)


def copy(state: Segments) -> Segments:
    """Copy the arrays that moves change."""
    return state._replace(
        first=state.first.copy(), last=state.last.copy(), label=state.label.copy()
    )


def origin(goal: Segments) -> Segments:
    """Return the state in which each token is a segment with label 0."""
    tokens = np.arange(goal.first.size)
    return goal._replace(first=tokens, last=tokens.copy(), label=np.zeros_like(tokens))


register_space(
    Segments,
    Space(
        name="segments",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.first.size),
        origin=origin,
        copy=copy,
        grow=lambda state: state,
        check=check,
        observe=observe,
        restore=restore,
        facts=lambda state: {"segments": float((state.first == np.arange(state.first.size)).sum())},
        enumerate=enumerate_segments,
        sites=lambda state: int(state.first.size),
    ),
)
