"""Moves of trees, and their undo."""

import pytest

from partita.states import SPACES, Forest
from partita.states.forest.moves import apply, idle, reverse, undo
from partita.states.forest.nodes import child
from partita.states.forest.state import FRESH, JOIN, PAIR, ROOT, Regraft
from tests.laws.test_delta import nodes, same

SPACE = SPACES[Forest]


def single(node, source, way, at, target, target_way, target_at):
    return Regraft(node, 1, source, way, at, target, target_way, target_at, 0, 0, 0, -1)


@pytest.mark.interpreted
def test_a_node_that_is_left_with_one_child_dissolves():
    state = Forest.of([0, 0, 1])
    before = nodes(state)
    move = single(0, 3, PAIR, 1, -1, ROOT, -1)
    apply(state, move)
    SPACE.check(state)
    assert state.entities.tolist() == [0, 1, 2]
    assert state.live.sum() == 0
    undo(state, move)
    same(before, nodes(state))


@pytest.mark.interpreted
def test_a_collapse_gives_the_children_to_the_parent():
    state = Forest.of([0, 0, 1, 1])
    up = Regraft(4, 1, -1, ROOT, -1, 6, PAIR, 5, 0, 0, 0, -1)
    apply(state, up)
    SPACE.check(state)
    assert state.parent[[4, 5]].tolist() == [6, 6]
    before = nodes(state)
    flat = Regraft(0, 2, 4, FRESH, 6, 6, JOIN, -1, 0, 0, 0, -1)
    apply(state, flat)
    SPACE.check(state)
    assert sorted(child(state, 6, k) for k in range(3)) == [0, 1, 5]
    undo(state, flat)
    same(before, nodes(state))
    assert reverse(reverse(flat)) == flat
    assert not idle(flat)
