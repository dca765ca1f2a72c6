"""What a mention scores on one side less the other, against the formula of whole entities."""

import numpy as np
import pytest

from partita.estimators import exact
from partita.factors.entity_model.split_scores import SPLIT_SCORES, side_row
from partita.kernel import entry
from partita.states import Partition
from partita.states.scratch import new_groups
from partita.walks.chain import new_context
from tests.factors.entity_model.test_moves import crowded

N = 40
clear, put, gap = SPLIT_SCORES.clear, SPLIT_SCORES.put, SPLIT_SCORES.gap


@entry
def gap_of(table, delta, groups, sides, i):
    for k in range(sides.size):
        if sides[k] >= 0:
            put(table, sides[k], k)
    return gap(table, delta, groups, i)


@entry
def emptied(table):
    clear(table)
    return table.shown.head[side_row(table, 0, 0), 0] + table.shown.head[side_row(table, 1, 0), 0]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("values", [4, 20])
def test_the_gap_is_the_difference_of_two_partitions(own, values):
    model, twin = crowded(N, values, own)
    state = Partition.singletons(N)
    context = new_context(model, exact(), state, model.weights)
    table, delta = context.tables[0], context.deltas[0]
    rng, groups, several = np.random.default_rng(2), new_groups(N), 0
    for _ in range(30):
        i = int(rng.integers(N))
        sides = rng.integers(-1, 2, N)
        sides[i] = -1
        found = gap_of(table, delta, groups, sides, i)
        labels = np.where(sides < 0, 2 + np.arange(N), sides)
        here, there = (np.where(np.arange(N) == i, side, labels) for side in (0, 1))
        assert found == pytest.approx(twin(here)[0] - twin(there)[0], abs=1e-9)
        several += abs(found) > 0.1
        # the next split begins with empty sides
        assert emptied(table) == 0
    assert several > 5
