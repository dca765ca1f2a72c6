"""Split scores of the hit-miss entity model: each side has rows after those of the entities."""

from __future__ import annotations

from partita.factors.entity_model.cache import COUNT, add, clone, drop
from partita.factors.entity_model.known import row_of
from partita.factors.entity_model.moves import EntityTable, short_of
from partita.factors.entity_model.score import gain, joint
from partita.factors.split_scores import SplitScores
from partita.kernel import EXAMINED, Delta, kernel
from partita.states.scratch import Groups

__all__ = ["SPLIT_SCORES"]


@kernel
def side_row(table: EntityTable, side: int, field: int) -> int:
    """The row of a side's field; the scratch of blocks lies between it and the entities."""
    return row_of(table, table.value.shape[0] + 1 + side, field)


@kernel
def clear(table: EntityTable) -> None:
    """Empty both sides."""
    for side in range(2):
        for k in range(table.value.shape[1]):
            drop(table.shown, side_row(table, side, k))


@kernel
def put(table: EntityTable, side: int, i: int) -> None:
    """Count a mention on a side."""
    for k in range(table.value.shape[1]):
        if table.value[i, k] >= 0:
            row = side_row(table, side, k)
            add(table.shown, row, table.value[i, k], table.frequency[i, k])


@kernel(inline=False)
def long_way(table: EntityTable, row: int, field: int, i: int) -> float:
    """The change of J by one mention more, counted in scratch."""
    shown, scratch = table.shown, row_of(table, table.value.shape[0], field)
    before = joint(table.near, table.rate[field], shown, row)
    clone(shown, row, scratch)
    add(shown, scratch, table.value[i, field], table.frequency[i, field])
    after = joint(table.near, table.rate[field], shown, scratch)
    drop(shown, scratch)
    return after - before


@kernel(inline=False)
def on_side(table: EntityTable, side: int, field: int, i: int) -> float:
    """The change of a side's score of one field by one mention more."""
    row, phi = side_row(table, side, field), table.frequency[i, field]
    change = gain(table.near, table.rate[field], table.shown, row, table.value[i, field], phi)
    if change != change:
        change = long_way(table, row, field, i)
    count = table.shown.head[row, COUNT]
    return change + short_of(table, field, count + 1) - short_of(table, field, count)


@kernel(inline=False)
def gap(table: EntityTable, delta: Delta, groups: Groups, i: int) -> float:
    """The score of a mention on side 0 less that on side 1."""
    total = 0.0
    for k in range(table.value.shape[1]):
        if table.value[i, k] >= 0:
            total += delta.weights[k] * (on_side(table, 0, k, i) - on_side(table, 1, k, i))
    delta.status[EXAMINED] += table.value.shape[1]
    return total


SPLIT_SCORES = SplitScores(clear, put, gap)
