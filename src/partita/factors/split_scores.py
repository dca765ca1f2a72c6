"""Two groups of mentions that are formed beside the state, as a split of an entity needs them.

A split tries where each member of an entity would go. Templates that can tell from the groups
alone spare it from moving the members in the state and back. What they tell must not depend on how
the state groups these mentions now, for the merge that leads back asks the same in another state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from partita.kernel import Context, kernel
from partita.states.scratch import Groups

__all__ = ["SplitScores", "build_split_scores", "no_clear", "no_put"]


@dataclass(frozen=True)
class SplitScores:
    """Kernels of one template, or of a whole model (with the context in place of the table).

    `clear(table)` empties what it keeps of both sides, `put(table, side, i)` adds a mention, and
    `gap(table, delta, groups, i)` is the score of mention i on side 0 less that on side 1, both of
    which have members (of a model without the delta, which stands in the context). It adds the
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
def no_gap(context: Context, groups: Groups, i: int) -> float:
    """The end of the fold."""
    return 0.0


def build_split_scores(templates: Sequence[Any]) -> SplitScores | None:
    """The kernels of a model; None if one of its templates has none."""
    if any(template.split_scores is None for template in templates):
        return None
    found = SplitScores(no_clear, no_put, no_gap)
    for number in reversed(range(len(templates))):
        found = _fold(number, templates[number].split_scores, found)
    return found


def _fold(number: int, part: SplitScores, rest: SplitScores) -> SplitScores:
    """One template's kernels, and those of the templates after it."""
    clear_one, put_one, gap_one = part.clear, part.put, part.gap
    clear_rest, put_rest, gap_rest = rest.clear, rest.put, rest.gap

    @kernel
    def clear(context: Context) -> None:
        clear_one(context.tables[number])
        clear_rest(context)

    @kernel
    def put(context: Context, side: int, i: int) -> None:
        put_one(context.tables[number], side, i)
        put_rest(context, side, i)

    @kernel
    def gap(context: Context, groups: Groups, i: int) -> float:
        first = gap_one(context.tables[number], context.deltas[number], groups, i)
        return first + gap_rest(context, groups, i)

    return SplitScores(clear, put, gap)
