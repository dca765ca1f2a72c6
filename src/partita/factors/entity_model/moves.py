"""Kernels of the hit-miss entity model: the score change of a move, and the counts it updates."""

from __future__ import annotations

from typing import NamedTuple

from partita.factors.entity_model.cache import COUNT, Shown, add, clone, drop, shown_room, subtract
from partita.factors.entity_model.known import known, row_of
from partita.factors.entity_model.score import gain, joint, loss
from partita.factors.entity_model.swaps import Swaps
from partita.factors.entity_model.table import Near
from partita.kernel import Delta, Floats, Ints, entry, kernel, push
from partita.states import Partition, Regroup
from partita.states.partition import leaver, stayer

__all__ = ["EntityTable", "commit", "emit", "field_score", "fields", "fill", "room"]


class EntityTable(NamedTuple):
    """Values of mentions by field, rates of the fields, and counts of the entities."""

    value: Ints
    frequency: Floats
    """phi_i by mention and field."""
    owned: Ints
    """By field: whether records with one value may differ in frequency."""
    rate: Floats
    near: Near
    first: Ints
    """The first value of each field."""
    chance: Floats
    """By field and level: k, where rates are drawn."""
    short: Floats
    """By field: -log Z_n of entities that n records show, where rates are drawn; else 0."""
    shown: Shown
    swaps: Swaps
    mover: Ints
    """By field: the mention whose loss to its entity is known, or -1."""
    lost: Floats


@kernel
def fields(table: EntityTable, state: Partition, move: Regroup) -> int:
    """One factor for each field."""
    return table.value.shape[1]


@kernel(inline=False)
def target_change(table: EntityTable, state: Partition, move: Regroup, field: int) -> float:
    """Change of the target's J by the whole block, counted in scratch."""
    shown, row = table.shown, known(table, state, move.target, field)
    scratch, rate = row_of(table, state.size.size, field), table.rate[field]
    before = joint(table.near, rate, shown, row)
    clone(shown, row, scratch)
    for m in range(move.many):
        i = leaver(state, move, m)
        if table.value[i, field] >= 0:
            add(shown, scratch, table.value[i, field], table.frequency[i, field])
    after = joint(table.near, rate, shown, scratch)
    drop(shown, scratch)
    return after - before


@kernel(inline=False)
def source_change(table: EntityTable, state: Partition, move: Regroup, field: int) -> float:
    """Change of the source's J by the whole block; those that stay are counted in scratch."""
    shown, row = table.shown, known(table, state, move.source, field)
    scratch, rate = row_of(table, state.size.size, field), table.rate[field]
    before = joint(table.near, rate, shown, row)
    for m in range(state.size[move.source] - move.many):
        i = stayer(state, move, m)
        if table.value[i, field] >= 0:
            add(shown, scratch, table.value[i, field], table.frequency[i, field])
    after = joint(table.near, rate, shown, scratch)
    drop(shown, scratch)
    return after - before


@kernel(inline=False)
def one_leaves(table: EntityTable, state: Partition, move: Regroup, field: int) -> float:
    """Change of the source's J by one record less."""
    row, x = known(table, state, move.source, field), table.value[move.mention, field]
    phi = table.frequency[move.mention, field]
    if table.owned[field] != 0:
        phi = 0.0
        for m in range(state.size[move.source] - 1):
            i = stayer(state, move, m)
            if table.value[i, field] == x:
                phi = max(phi, table.frequency[i, field])
    change = loss(table.near, table.rate[field], table.shown, row, x, phi)
    return change if change == change else source_change(table, state, move, field)


@kernel
def short_of(table: EntityTable, field: int, count: int) -> float:
    """-log Z of as many records."""
    return table.short[field, min(count, table.short.shape[1] - 1)]


@kernel
def short_change(table: EntityTable, move: Regroup, field: int, many: int) -> float:
    """The change of -log Z in both entities by as many records that show the field."""
    a = table.shown.head[row_of(table, move.source, field), COUNT]
    b = table.shown.head[row_of(table, move.target, field), COUNT]
    change = short_of(table, field, a - many) - short_of(table, field, a)
    return change + short_of(table, field, b + many) - short_of(table, field, b)


@kernel(inline=False)
def block_change(table: EntityTable, state: Partition, move: Regroup, field: int) -> float:
    """The change of one field's LLR by a block."""
    many = 0
    for m in range(move.many):
        many += int(table.value[leaver(state, move, m), field] >= 0)
    change = source_change(table, state, move, field) + target_change(table, state, move, field)
    return change + short_change(table, move, field, many)


@kernel
def emit(table: EntityTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change of one field's LLR in the source and in the target."""
    if move.many > 1:
        return push(delta, k, block_change(table, state, move, k))
    x = table.value[move.mention, k]
    if x < 0:
        return 0.0
    if table.mover[k] != move.mention:
        table.lost[k] = one_leaves(table, state, move, k)
        table.mover[k] = move.mention
    row, phi = known(table, state, move.target, k), table.frequency[move.mention, k]
    change = gain(table.near, table.rate[k], table.shown, row, x, phi)
    if change != change:
        change = target_change(table, state, move, k)
    return push(delta, k, change + table.lost[k] + short_change(table, move, k, 1))


@kernel
def commit(table: EntityTable, state: Partition, move: Regroup) -> None:
    """Count the block in its new entity."""
    for k in range(table.value.shape[1]):
        source, target = row_of(table, move.source, k), row_of(table, move.target, k)
        table.mover[k] = -1
        for m in range(move.many):
            i = leaver(state, move, m)
            x = table.value[i, k]
            if x >= 0:
                subtract(table.shown, source, x, table.owned[k] != 0)
                add(table.shown, target, x, table.frequency[i, k])


@kernel
def room(table: EntityTable) -> bool:
    """Whether the pool holds the blocks that one step may cut."""
    return shown_room(table.shown, table.value.shape[1])


@entry
def fill(table: EntityTable, entity: Ints, first: int) -> int:
    """Count mentions from `first` on; returns the first for which there is no room."""
    for i in range(first, entity.size):
        if not room(table):
            return i
        for k in range(table.value.shape[1]):
            if table.value[i, k] >= 0:
                row = row_of(table, entity[i], k)
                add(table.shown, row, table.value[i, k], table.frequency[i, k])
    return entity.size


@entry
def field_score(table: EntityTable, state: Partition, field: int) -> float:
    """The score of all entities, without the cost of single records; makes all shares fresh."""
    total = 0.0
    for k in range(state.live[0]):
        row = known(table, state, state.ids[k], field)
        total += joint(table.near, table.rate[field], table.shown, row)
        total += short_of(table, field, table.shown.head[row, COUNT])
    return total
