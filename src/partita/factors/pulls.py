"""What draws one mention to every entity at once, for templates that see it in one pass.

A proposal that weighs all entities of a mention's candidates would otherwise read the mention's
pairs once for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, World, kernel

__all__ = ["Pulls", "add_pull", "begin_pulls", "new_pulls", "pull_of", "pulls_of"]


class Pulls(NamedTuple):
    """By entity: the score of one mention there, above that of being alone."""

    total: Floats
    stamp: Ints
    """When the total was last written: it is of the present mention if that is `tick`."""
    tick: Ints


@kernel
def begin_pulls(pulls: Pulls) -> None:
    """Forget what the totals were of."""
    pulls.tick[0] += 1


@kernel
def add_pull(pulls: Pulls, entity: int, score: float) -> None:
    """Add to the total of an entity."""
    if pulls.stamp[entity] == pulls.tick[0]:
        pulls.total[entity] += score
    else:
        pulls.stamp[entity] = pulls.tick[0]
        pulls.total[entity] = score


@kernel
def pull_of(pulls: Pulls, entity: int) -> float:
    """The total of an entity."""
    return pulls.total[entity] if pulls.stamp[entity] == pulls.tick[0] else 0.0


@kernel
def no_pull(world: World, state: Any, pulls: Pulls, i: int) -> None:
    """The end of the fold."""


def new_pulls(n: int) -> Pulls:
    """Scratch for partitions of n mentions."""
    return Pulls(np.zeros(n), np.zeros(n, np.int64), np.zeros(1, np.int64))


def pulls_of(templates: Sequence[Any]) -> Any:
    """Compile `pull(world, state, pulls, i)` of all templates that can; None if none can."""
    found = None
    for number in reversed(range(len(templates))):
        if templates[number].pull is not None:
            found = _fold(number, templates[number].pull, found or no_pull)
    return found


def _fold(number: int, pull: Any, rest: Any) -> Any:
    @kernel
    def both(world: World, state: Any, pulls: Pulls, i: int) -> None:
        pull(world.tables[number], world.deltas[number], state, pulls, i)
        rest(world, state, pulls, i)

    return both
