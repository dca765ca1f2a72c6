"""Moves of sub-entities: groups of similar mentions move between entities together (XDOC 4.1).

The groups are fixed for the life of the proposal: one label per mention, such as the entities of a
model with a higher bias. A block is the set of mentions of one group in one entity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints, Rng, kernel
from partita.proposals.canopies import Canopies
from partita.proposals.moves import next_entity, random_pair
from partita.proposals.proposal import Proposal, simple
from partita.states import Partition, Regroup
from partita.states.checks import named
from partita.states.partition import member

__all__ = ["move_block"]


class Blocks(NamedTuple):
    """Canopies, and the group of each mention."""

    canopies: Canopies
    group: Ints


@kernel
def list_block(state: Partition, table: Blocks, mention: int) -> int:
    """Write the block of a mention to the state's scratch, then the other members of its entity."""
    entity, group = state.entity[mention], table.group[mention]
    at, many = 0, 0
    for part in range(2):
        for k in range(state.size[entity]):
            other = member(state, entity, k)
            if (table.group[other] == group) == (part == 0):
                state.block[at] = other
                state.place[other] = at
                at += 1
        if part == 0:
            many = at
    return many


@kernel
def has_group(state: Partition, table: Blocks, entity: int, group: int) -> bool:
    """Return whether an entity has a mention of a group."""
    has = False
    for k in range(state.size[entity]):
        has = has or table.group[member(state, entity, k)] == group
    return has


@kernel
def draw_block_move(rng: Rng, table: Blocks, state: Partition) -> tuple[Regroup, float]:
    """Draw two mentions of a canopy; the first's block joins the second's entity or leaves it.

    As for single mentions, with b mentions in the block and t in the target: b t ways forth; back,
    b times the remaining source. To and from a new entity both counts are equal. If the target has
    mentions of the group, the reverse move would take them too: such a move is not proposed.
    """
    i, j = random_pair(rng, table.canopies)
    source = state.entity[i]
    if j < 0:
        return Regroup(i, source, source, 1), 0.0
    target = state.entity[j]
    if target == source and table.group[i] == table.group[j]:
        return Regroup(i, source, source, 1), 0.0
    many = list_block(state, table, i)
    move = Regroup(state.block[0], source, target, many)
    if target == source:
        return Regroup(state.block[0], source, next_entity(state), many), 0.0
    if has_group(state, table, target, table.group[i]):
        return Regroup(i, source, source, 1), 0.0
    left = state.size[source] - many
    if left == 0:
        return move, 0.0
    return move, math.log(left / state.size[target])


def move_block(canopies: Canopies, groups: ArrayLike) -> Proposal:
    """Move a sub-entity to the entity of another mention of its canopy, or out of it (XDOC 4.1).

    Parameters
    ----------
    canopies
        The canopies within which two mentions are drawn: all mentions, or those of super-entities.
    groups
        One label per mention; the mentions of a group that share an entity move together.
    """
    labels = named(groups, "groups of move_block")
    if labels.size != canopies.canopy.size:
        raise InputError(
            f"move_block has {labels.size} group labels for {canopies.canopy.size} mentions; "
            "give one each"
        )
    group = np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)
    table = Blocks(canopies, group)
    return simple("move_block", Partition, draw_block_move, table, canopies.respected, canopies)
