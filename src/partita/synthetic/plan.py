"""Assign rows to entities: groups of random sizes with an exact total, then shuffled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.synthetic.draws import Draws, Ints

__all__ = ["Plan", "owner", "plan_rows", "start_groups"]

CHUNK = 1 << 16
"""Groups drawn at a time."""


class Plan(NamedTuple):
    """The rows of a data set; no other array has its length. Takes 4 bytes a row and entity."""

    starts: NDArray[Any]
    """Offset of the first slot of each entity; the last entry is the number of slots."""
    slots: NDArray[Any]
    """The slot of each row."""

    @property
    def entities(self) -> int:
        """The number of entities."""
        return self.starts.size - 1

    def rows(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """The entity of each row, and the row's number among those of the entity."""
        slots = self.slots[start:stop].astype(np.int64)
        entity = owner(self.starts, slots)
        return entity, slots - self.starts[entity]


def owner(starts: NDArray[Any], member: Ints) -> Ints:
    """The group of each member."""
    return np.searchsorted(starts, member, side="right") - 1


def start_groups(total: int, sizes: Callable[[Ints], Ints]) -> NDArray[Any]:
    """Offsets of groups of random sizes; the last group is shortened to reach `total`."""
    parts: list[Ints] = []
    covered = 0
    while covered < total:
        parts.append(sizes(np.arange(CHUNK) + CHUNK * len(parts)))
        covered += int(parts[-1].sum())
    ends = np.cumsum(np.concatenate(parts))
    count = int(np.searchsorted(ends, total)) + 1
    starts = np.zeros(count + 1, _kind(total))
    starts[1:] = np.minimum(ends[:count], total)
    return starts


def plan_rows(n: int, draws: Draws, sizes: Callable[[Ints], Ints]) -> Plan:
    """Assign `n` rows to entities in random order."""
    starts = start_groups(n, sizes)
    # a sort of hashed numbers is the same in every release of NumPy; its shuffles are not
    slots = np.argsort(draws.bits("shuffle", np.arange(n)), kind="stable").astype(_kind(n))
    return Plan(starts, slots)


def _kind(largest: int) -> type[np.signedinteger[Any]]:
    return np.int32 if largest < 2**31 else np.int64
