"""Canopies: disjoint groups of mentions; no entity crosses from one to another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints
from partita.states import Partition
from partita.states.checks import named, whole

__all__ = ["Canopies", "canopies_of", "one_canopy"]


class Canopies(NamedTuple):
    """Mentions in canopy order, and the window of it that is sampled."""

    order: Ints
    canopy: Ints
    start: Ints
    window: Ints

    def respected(self, state: Partition) -> None:
        """Raise an InputError if an entity of the start crosses canopies."""
        if state.entity.size != self.canopy.size:
            raise InputError(
                f"the canopies hold {self.canopy.size} mentions but the start has "
                f"{state.entity.size}; give both the same mentions"
            )
        first = np.full(state.size.size, -1)
        first[state.entity] = self.canopy
        crossing = np.flatnonzero(first[state.entity] != self.canopy)
        if crossing.size:
            raise InputError(
                f"mention {crossing[0]} starts in an entity that crosses canopies; "
                "start from singletons, or cut entities at canopies"
            )

    @property
    def count(self) -> int:  # type: ignore[override]
        """Return the number of canopies."""
        return int(self.start.size - 1)


def canopies_of(labels: ArrayLike) -> Canopies:
    """Build canopies from one label per mention."""
    values = named(labels, "canopy labels")
    _, canopy = np.unique(values, return_inverse=True)
    canopy = canopy.reshape(-1).astype(np.int64)
    order = np.argsort(canopy, kind="stable").astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(canopy))]).astype(np.int64)
    return Canopies(order, canopy, start, np.array([0, values.size]))


def one_canopy(n: int) -> Canopies:
    """Put all mentions in one canopy."""
    return canopies_of(np.zeros(whole(n, "the number of mentions"), np.int64))
