"""Rows with known frequencies: the largest among the members of an entity."""

from __future__ import annotations

from typing import Any

from partita.factors.entity_model.cache import COUNT, DISTINCT, PLACE, STALE, STATUS, UNKNOWN, find
from partita.kernel import kernel
from partita.states import Partition
from partita.states.partition import member

__all__ = ["known", "row_of"]


@kernel
def row_of(table: Any, entity: int, field: int) -> int:
    """The row of an entity's field."""
    return entity * table.value.shape[1] + field


@kernel(inline=False)
def look_again(table: Any, state: Partition, entity: int, field: int) -> None:
    """Find the largest frequencies of a row among the members, after some have left."""
    shown, row = table.shown, row_of(table, entity, field)
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    if distinct == 1:
        shown.level[row] = 0.0
    else:
        for k in range(distinct):
            shown.parts[start + 2 * k] = 0.0
    for m in range(state.size[entity]):
        i = member(state, entity, m)
        x, phi = table.value[i, field], table.frequency[i, field]
        if x >= 0 and distinct == 1:
            shown.level[row] = max(shown.level[row], phi)
        elif x >= 0:
            at = start + 2 * find(shown, start, distinct, x)
            shown.parts[at] = max(shown.parts[at], phi)
    shown.head[row, STATUS] = STALE


@kernel
def known(table: Any, state: Partition, entity: int, field: int) -> int:
    """The row of an entity's field, with its frequencies."""
    row = row_of(table, entity, field)
    if table.shown.head[row, COUNT] > 0 and table.shown.head[row, STATUS] == UNKNOWN:
        look_again(table, state, entity, field)
    return row
