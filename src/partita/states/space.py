"""Space: how the engine applies, undoes, records and enumerates moves of a type of state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from partita.errors import ModelError

__all__ = ["SPACES", "Space", "register_space", "space_of"]


@dataclass(frozen=True)
class Space:
    """The functions of one type of state; the first six are kernels, the shell calls the rest.

    `apply` and `undo` are inverse: undo restores labels, sizes and the order of members. `idle`
    returns whether a move changes nothing; templates never see such a move. `reverse` is the
    reverse move. `room` returns whether the state's pools can hold the cells of one step.
    `toward(state, goal, k)` is the k-th of `path(goal)` moves from `origin(goal)` to `goal`; the
    sum of their deltas is the total score. `observe` is the record of a draw, `restore(like,
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
    """The length of `observe`: the default number of steps between two draws."""
    grouping: Callable[[Any, NDArray[Any]], NDArray[Any]] | None = None
    """Entity numbers from a record (like, observed), if the state groups mentions."""


SPACES: dict[type, Space] = {}


def register_space(state: type, space: Space) -> None:
    """Register the Space of a type of state."""
    SPACES[state] = space


def space_of(state: Any) -> Space:
    """Return the Space of a state, by its type."""
    try:
        return SPACES[type(state)]
    except KeyError:
        known = ", ".join(sorted(kind.__name__ for kind in SPACES))
        raise ModelError(
            f"{type(state).__name__} is not a registered state (registered: {known}); "
            "build the start with one of these, or register its Space"
        ) from None
