"""Two groups of mentions that are formed beside the state, as a split of an entity needs them.

A split tries where each member of an entity would go. Templates that can tell from the groups
alone spare it from moving the members in the state and back. What they tell must not depend on how
the state groups these mentions now, for the merge that leads back asks the same in another state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from partita.kernel import World, kernel
from partita.states.scratch import Groups

__all__ = ["Sides", "no_clear", "no_put", "sides_of"]


@dataclass(frozen=True)
class Sides:
    """Kernels of one template, or of a whole model (with the world in place of the table).

    `clear(table)` empties what it keeps of both sides, `put(table, side, i)` adds a mention, and
    `gap(table, delta, groups, i)` is the score of mention i on side 0 less that on side 1, both of
    which have members (of a model without the delta, which stands in the world). It adds the
    factors that it reads to those examined.
    """

    clear: Any
    put: Any
    gap: Any


@kernel
def no_clear(table: Any) -> None:
    """A template that keeps nothing of the sides."""


@kernel
def no_put(table: Any, side: int, i: int) -> None:
    """The same."""


@kernel
def no_gap(world: World, groups: Groups, i: int) -> float:
    """The end of the fold."""
    return 0.0


def sides_of(templates: Sequence[Any]) -> Sides | None:
    """The kernels of a model; None if one of its templates has none."""
    if any(template.sides is None for template in templates):
        return None
    found = Sides(no_clear, no_put, no_gap)
    for number in reversed(range(len(templates))):
        found = _fold(number, templates[number].sides, found)
    return found


def _fold(number: int, part: Sides, rest: Sides) -> Sides:
    """One template's kernels, and those of the templates after it."""
    clear_one, put_one, gap_one = part.clear, part.put, part.gap
    clear_rest, put_rest, gap_rest = rest.clear, rest.put, rest.gap

    @kernel
    def clear(world: World) -> None:
        clear_one(world.tables[number])
        clear_rest(world)

    @kernel
    def put(world: World, side: int, i: int) -> None:
        put_one(world.tables[number], side, i)
        put_rest(world, side, i)

    @kernel
    def gap(world: World, groups: Groups, i: int) -> float:
        first = gap_one(world.tables[number], world.deltas[number], groups, i)
        return first + gap_rest(world, groups, i)

    return Sides(clear, put, gap)
