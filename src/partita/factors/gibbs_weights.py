"""What draws one mention to every entity at once, for templates that see it in one pass.

A proposal that weighs all entities of a mention's candidates would otherwise read the mention's
pairs once for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partita.kernel import World, kernel
from partita.states.scratch import Pulls

__all__ = ["pulls_of"]


@kernel
def no_pull(world: World, state: Any, pulls: Pulls, i: int) -> None:
    """The end of the fold."""


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
