"""What the engine must know of a state: how a move is applied, undone, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from partita.errors import ModelError

__all__ = ["SPACES", "Space", "register_space", "space_of"]


@dataclass(frozen=True)
class Space:
    """The laws of one kind of state; the first six are kernels, the rest is called by the shell.

    `apply` and `undo` are inverse: undo restores labels, sizes and the order of members. `idle`
    says that a move changes nothing, so that templates never see such a move; `reverse` is the
    move that leads back. `room` says that the state's pools hold whatever one step may need.
    `toward(state, goal, k)` is the k-th of `path(goal)` moves from `origin(goal)` to `goal`; the
    sum of their deltas is the total score. `observe` is what a draw records, `restore(like,
    observed)` its inverse.
    """

    name: str
    apply: Any
    undo: Any
    idle: Any
    reverse: Any
    room: Any
    toward: Any
    path: Callable[[Any], int]
    origin: Callable[[Any], Any]
    copy: Callable[[Any], Any]
    grow: Callable[[Any], Any]
    check: Callable[[Any], None]
    observe: Callable[[Any], NDArray[Any]]
    restore: Callable[[Any, NDArray[Any]], Any]
    facts: Callable[[Any], dict[str, float]]
    enumerate: Callable[[Any], Iterator[Any]]
    sites: Callable[[Any], int]
    """How many numbers `observe` gives: the default number of steps between two draws."""
    grouping: Callable[[Any, NDArray[Any]], NDArray[Any]] | None = None
    """Entity numbers from a record (like, observed), where the state groups mentions."""


SPACES: dict[type, Space] = {}


def register_space(state: type, space: Space) -> None:
    """Make a kind of state known to the engine."""
    SPACES[state] = space


def space_of(state: Any) -> Space:
    """The Space of a state, by its type."""
    try:
        return SPACES[type(state)]
    except KeyError:
        known = ", ".join(sorted(kind.__name__ for kind in SPACES))
        raise ModelError(
            f"{type(state).__name__} is not a state that the engine knows (it knows {known}); "
            "build the start with one of these, or register its Space"
        ) from None
