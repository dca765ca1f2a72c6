"""Moves of partitions made by hand, and entries with which tests apply them."""

import numpy as np

from partita.kernel import entry
from partita.states import Regroup
from partita.states import partition as p


@entry
def apply(state, move):
    p.apply(state, move)


@entry
def undo(state, move):
    p.undo(state, move)


@entry
def told(state, move, leaving, staying, inside):
    """List the members that leave, those that stay, and membership in the block."""
    for k in range(move.many):
        leaving[k] = p.leaver(state, move, k)
    for k in range(state.size[move.source] - move.many):
        staying[k] = p.stayer(state, move, k)
    for i in range(state.entity.size):
        inside[i] = p.in_block(state, move, i)


def members(state, entity):
    start = state.start[entity]
    return state.members[start : start + state.size[entity]].copy()


def fresh(state):
    """Return the id of a new entity."""
    return int(state.ids[state.live[0]])


def block_move(state, block, target):
    """Build the move of some members of one entity, listed in scratch as proposals do."""
    source = int(state.entity[block[0]])
    rest = [m for m in members(state, source) if m not in set(block)]
    if len(block) > 1:
        for k, mention in enumerate([*block, *rest]):
            state.block[k] = mention
            state.place[mention] = k
    return Regroup(int(block[0]), source, int(target), len(block))


def random_move(rng, state):
    """Draw a move of one mention, a part or all of an entity; None if there is none."""
    n, live = state.entity.size, int(state.live[0])
    source = int(state.entity[rng.integers(n)])
    inside = rng.permutation(members(state, source))
    most = inside.size if live > 1 else inside.size - 1
    if most == 0:
        return None
    many = int(rng.choice([1, most, rng.integers(1, most + 1)]))
    others = [int(e) for e in state.ids[:live] if e != source]
    if many < inside.size:
        others.append(fresh(state))
    return block_move(state, inside[:many].tolist(), rng.choice(others))


def moved(labels, move, block):
    """Return the entity of each mention after a move, computed from scratch."""
    after = np.array(labels)
    after[list(block)] = move.target
    return after


def leavers(state, move):
    return [move.mention] if move.many == 1 else state.block[: move.many].tolist()


def picture(state):
    """Return everything that undo restores: groups, order of members, of ids, and sizes."""
    live = int(state.live[0])
    return {
        "entity": state.entity.tolist(),
        "slot": state.slot.tolist(),
        "size": state.size.tolist(),
        "ids": state.ids.tolist(),
        "rank": state.rank.tolist(),
        "live": live,
        "members": {int(e): members(state, e).tolist() for e in state.ids[:live]},
    }
