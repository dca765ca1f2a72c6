"""Histograms of comparisons: matrix, list and function agree after every move."""

import itertools

import numpy as np
import pytest

from partita.factors import aggregates, average, lowest, over_pairs, some
from partita.states import Partition
from tests.factors.probe import Probe, follows
from tests.laws.aggregate_cases import pairs_known, twin
from tests.states.moves import random_move

N = 10


def distance(data, i, j):
    return abs(data[i] - data[j])


def given(seed, elsewhere):
    rng = np.random.default_rng(seed)
    place = np.round(rng.random(N) * 16) / 16
    matrix = np.abs(place[:, None] - place)
    pairs = np.array(list(itertools.combinations(range(N), 2)))
    listed = pairs[rng.random(len(pairs)) < 0.5]
    sparse = np.full((N, N), elsewhere)
    sparse[tuple(listed.T)] = sparse[tuple(listed.T[::-1])] = matrix[tuple(listed.T)]
    return place, matrix, listed, sparse


def asked(over):
    return [
        some(over, at_least=0.5, weight=0.7),
        lowest(over, (0.125, 0.25), weight=(1, 0, -1)),
        average(over, weight=0.4),
    ]


@pytest.mark.parametrize("source", ["matrix", "function", "listed", "listed elsewhere"])
def test_random_moves_and_blocks_follow_the_twin(source):
    elsewhere = 0.75 if source.endswith("elsewhere") else np.nan
    place, matrix, listed, sparse = given(3, elsewhere)
    if source == "matrix":
        over, known = over_pairs("apart", matrix), matrix
    elif source == "function":
        over, known = over_pairs("apart", distance, data=place, n=N), matrix
    else:
        values = matrix[tuple(listed.T)]
        over = over_pairs("apart", values, pairs=listed, n=N, elsewhere=elsewhere)
        known = sparse
    predicates = asked(over)
    probe = Probe(*aggregates(*predicates))
    start = Partition.of(np.arange(N) % 3)
    assert follows(probe, twin(predicates, pairs_known(known)), start, 8, moves=80) > 0


def test_rows_are_as_if_built_afresh():
    _, matrix, *_ = given(5, np.nan)
    predicates = asked(over_pairs("apart", matrix / 3))
    probe = Probe(*aggregates(*predicates)).start(Partition.one_entity(N))
    rng = np.random.default_rng(0)
    for _ in range(200):
        move = random_move(rng, probe.state)
        if move is not None:
            probe.advance(move)
    fresh = Probe(*aggregates(*predicates)).start(probe.state)
    live = probe.state.ids[: probe.state.live[0]]
    mine, theirs = (one.context.tables[0].kept.row[live] for one in (probe, fresh))
    np.testing.assert_array_equal(mine, theirs)
