"""Split scores: kernels that score two groups of mentions without changing the state.

A split assigns each member of an entity to one of two sides. Split scores spare the proposal moving
members in the state and back. They must not depend on how the state groups these mentions, because
the reverse merge evaluates them in another state.
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

    `clear(table)` resets both sides, `put(table, side, i)` adds a mention to a side, and
    `gap(table, delta, groups, i)` is the score of mention i on side 0 less that on side 1; both
    sides have members. The kernels of a model take no delta. `gap` adds the number of factors it
    reads to the status.
    """

    clear: Any
    put: Any
    gap: Any


@kernel
def no_clear(table: Any) -> None:
    """Do nothing: the template stores nothing per side."""


@kernel
def no_put(table: Any, side: int, i: int) -> None:
    """Do nothing: the template stores nothing per side."""


@kernel
def no_gap(context: Context, groups: Groups, i: int) -> float:
    """The end of the fold."""
    return 0.0


def build_split_scores(templates: Sequence[Any]) -> SplitScores | None:
    """Combine the kernels of a model; None if one of its templates has none."""
    if any(template.fast.split_scores is None for template in templates):
        return None
    kernels = SplitScores(no_clear, no_put, no_gap)
    for number in reversed(range(len(templates))):
        kernels = _fold(number, templates[number].fast.split_scores, kernels)
    return kernels


def _fold(number: int, part: SplitScores, rest: SplitScores) -> SplitScores:
    """Combine one template's kernels with those of the templates after it."""
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
