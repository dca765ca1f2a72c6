"""Nodes of forests: ids, roots and values as one number."""

import numpy as np
import pytest

from partita.states import Forest
from partita.states.forest.nodes import append, child, find_least, next_node, pack, root_of, unpack

pytestmark = pytest.mark.interpreted


def test_new_nodes_get_ids_of_their_canopy():
    state = Forest.of([0, 0, 1, 1, 2], canopies=[0, 0, 1, 1, 1])
    assert root_of(state, 1) == state.parent[0] == 5
    assert root_of(state, 4) == 4
    assert (next_node(state, 0), next_node(state, 4)) == (6, 8)


def test_values_are_one_number_and_back():
    state = Forest.of([0, 0], attributes=[[1, -1], [0, 2]])
    for node in range(3):
        before = state.value[node].copy()
        code = pack(state, node)
        unpack(state, node, code)
        np.testing.assert_array_equal(state.value[node], before)


def test_a_wide_node_keeps_its_children_in_order():
    state = Forest.of([0] * 3 + list(range(1, 20)))
    root = int(state.parent[0])
    for node in range(3, 22):
        append(state, root, node)
    assert [child(state, root, k) for k in range(22)] == list(range(22))
    find_least(state)
    assert state.least[root] == 0
