"""Sums of nodes follow every move."""

import numpy as np
import pytest

from partita.factors import Model, tree_agreement
from partita.proposals import one_canopy, tree_moves
from partita.states import Forest
from tests.walks.chains import chain_of

# the laws compile these walks; here they would only be compiled again
pytestmark = pytest.mark.interpreted

N = 8
ROWS = np.random.default_rng(5).integers(0, 3, (N, 5)).astype(float)


def sums(state, table, storage):
    """The sum of each inner node by key, as the table has it."""
    bags, found = table.bags, {}
    for node in np.flatnonzero(state.count[N:]):
        if storage == "dense":
            found[int(node)] = bags.store.sums[node].tolist()
            continue
        row, first, order = [0.0] * 5, bags.store.base[node], bags.store.order[node]
        for at in range(first, first + (2 << order) if order >= 0 else first, 2):
            if bags.store.cells[at] >= 0:
                row[int(bags.store.cells[at])] = float(bags.store.cells[at + 1])
        found[int(node)] = row
    return found


def below(state, node):
    return [i for i in range(N) if node in above(state, i)]


def above(state, node):
    found = []
    while state.parent[node] >= 0:
        node = int(state.parent[node])
        found.append(node)
    return found


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_sums_are_those_of_the_mentions_below(storage):
    model = Model(tree_agreement(None, {"bag": ROWS}, storage=storage, dot=0.01))
    chain = chain_of(model, Forest.singletons(N), tree_moves(one_canopy(N)))
    inner = 0
    for _ in range(20):
        chain.run(30)
        table = chain.context.tables[0]
        for node, row in sums(chain.state, table, storage).items():
            members = below(chain.state, node + N)
            assert row == ROWS[members].sum(0).tolist()
            assert table.bags.have[node + N, 0] == ROWS[members].any(1).sum()
            inner += 1
    assert inner > 20
