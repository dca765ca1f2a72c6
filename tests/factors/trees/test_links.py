"""Lengths and products of nodes follow every move, including features outside the rows."""

import numpy as np
import pytest

from partita.factors import Model
from partita.factors.bags import encode
from partita.factors.stores import SPARSE
from partita.factors.trees.bags import branches
from partita.factors.trees.parents import child_parent_of
from partita.proposals import one_canopy, tree_moves
from partita.states import Forest
from tests.factors.trees.test_bags import N, above, below
from tests.walks.chains import chain_of

pytestmark = pytest.mark.interpreted

ROWS = np.random.default_rng(6).integers(0, 3, (N, 4)).astype(float)
LOST = np.random.default_rng(7).integers(0, 2, (N, 1)).astype(float)
WHOLE = np.hstack([ROWS, np.diag(np.sqrt(LOST[:, 0]))])
"""The same mentions with their omitted features, each in a column of its own."""


def made():
    table = branches(encode({}, {"bag": ROWS}, "bag")[2])
    table = table._replace(own=WHOLE.any(1, keepdims=True).astype(float))
    template = child_parent_of(table, ["bag"], SPARSE, (0.3, -0.2), lost=LOST)
    return chain_of(Model(template), Forest.singletons(N), tree_moves(one_canopy(N)))


def test_lengths_and_products_are_those_of_the_mentions_below():
    chain = made()
    looked = 0
    for _ in range(20):
        chain.run(30)
        state, table = chain.state, chain.context.tables[0]
        for node in np.flatnonzero(state.count):
            mine = WHOLE[[node] if node < N else below(state, node)].sum(0)
            assert table.norm[node, 0] == pytest.approx(mine @ mine)
            if state.parent[node] >= 0:
                there = WHOLE[below(state, above(state, node)[0])].sum(0)
                assert table.up[node, 0] == pytest.approx(mine @ there)
                looked += 1
    assert looked > 50
