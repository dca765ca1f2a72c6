"""Nodes are drawn from all of a canopy, and the chances of values sum to 1."""

import math

import numpy as np
import pytest

from partita.proposals import canopies_of
from partita.proposals.trees.draws import log_block, log_pair, node_at, nodes_of, table_options
from partita.states import Forest

pytestmark = pytest.mark.interpreted

LABELS = ["x", "y", "x", "x"]
STATE = Forest.of([0, 1, 0, 0], canopies=LABELS, attributes=[[0], [1], [2], [-1]])
TABLE = table_options(canopies_of(LABELS), "draws")["table"]


def test_every_node_of_a_canopy_can_be_drawn():
    found = [node_at(STATE, TABLE, 0, k) for k in range(nodes_of(STATE, 0))]
    assert sorted(found[:3]) == [0, 2, 3]
    assert found[3] == STATE.parent[0]
    assert nodes_of(STATE, 1) == 1


def test_chances_of_values_sum_to_one():
    codes = range(int(STATE.radix[0]))
    assert sum(math.exp(log_pair(TABLE, STATE, 0, 2, c)) for c in codes) == pytest.approx(1.0)
    root = int(STATE.parent[0])
    for mask, many in ((-1, 3), (0b011, 2)):
        total = [math.exp(log_block(TABLE, STATE, root, mask, many, c)) for c in codes]
        assert sum(total) == pytest.approx(1.0)
        assert np.min(total) > 0
