import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import NoTable, entry, interpreted
from partita.proposals import (
    canopies_of,
    flip,
    gibbs_neighbour,
    join_neighbour,
    move_to_entity,
    moves,
    neighbour_lists,
    pair_move,
    split_merge_neighbour,
)
from partita.states import Labels, Partition
from tests.factors.probe import random_pairs

START = [0, 0, 0, 1, 1, 2]
DRAWS = 3000 if interpreted() else 30000


def source(one):
    return entry(getattr(one, "py_func", one))


to_entity, of_pair, random_pair = (
    *(source(moves.draw_entity_move), source(moves.draw_pair_move), source(moves.random_pair)),
)
of_neighbour, flipped, joined = (
    *(source(moves.draw_neighbour_move), source(moves.draw_flip), source(moves.join_or_leave)),
)


def drawn(draw, table, state, count=DRAWS):
    rng = np.random.default_rng(1)
    seen = {}
    for _ in range(count):
        move, log_q = draw(rng, table, state)
        key = (int(move.mention), int(move.target))
        assert seen.setdefault(key, [0, log_q])[1] == log_q
        seen[key][0] += 1
    return {key: (times / count, log_q) for key, (times, log_q) in seen.items()}


def test_to_entity_draws_every_entity_alike():
    state = Partition.of(START)
    new = int(state.ids[3])
    for (mention, target), (share, log_q) in drawn(to_entity, NoTable(), state).items():
        alone = mention == 5
        assert share == pytest.approx(1 / 18, abs=0.02)
        if target == new:
            assert log_q == pytest.approx(math.log(3 / 4))
        elif alone and target != 2:
            assert log_q == pytest.approx(math.log(3 / 2))
        else:
            assert log_q == 0.0


def test_joined_counts_mates():
    state = Partition.of(START)
    new = int(state.ids[3])
    # mention 0 leaves two mates for two: 2/2; mention 3 leaves one for three: 1/3
    for i, j, target, log_q in (
        (0, 3, 1, 0.0),
        (3, 0, 0, math.log(1 / 3)),
        (5, 0, 0, 0.0),
        (0, 1, new, 0.0),
        (0, 5, 2, math.log(2)),
    ):
        move, found = joined(state, i, j)
        assert (move.mention, move.target, move.many) == (i, target, 1)
        assert found == pytest.approx(log_q)


def test_pairs_are_uniform_within_a_canopy():
    canopies = canopies_of([0, 0, 0, 1, 1, 2])
    rng = np.random.default_rng(0)
    seen = {}
    for _ in range(DRAWS):
        pair = tuple(int(x) for x in random_pair(rng, canopies))
        seen[pair] = seen.get(pair, 0) + 1 / DRAWS
    expected = {(i, j): 1 / 12 for i in range(3) for j in range(3) if i != j}
    expected |= {(3, 4): 1 / 6, (4, 3): 1 / 6, (5, -1): 1 / 6}
    assert set(seen) == set(expected)
    assert all(abs(seen[p] - expected[p]) < 0.03 for p in expected)
    canopies.window[:] = (3, 5)
    inside = {int(random_pair(rng, canopies)[0]) for _ in range(100)}
    assert inside == {3, 4}


def test_a_mention_alone_in_its_canopy_stays():
    canopies = canopies_of([0, 1])
    canopies.window[:] = (1, 2)
    move, log_q = of_pair(np.random.default_rng(0), canopies, Partition.singletons(2))
    assert (move.mention, move.source, move.target, log_q) == (1, 1, 1, 0.0)


def test_neighbours_are_counted_one_by_one():
    pairs = random_pairs(np.random.default_rng(8), 6, 0.7)
    table = join_neighbour(pairs, 6).table
    state = Partition.of(START)
    new = int(state.ids[3])
    for (mention, target), (_, log_q) in drawn(of_neighbour, table, state).items():
        near = [int(j) for i, j in [*pairs, *pairs[:, ::-1]] if i == mention]
        entities = [int(state.entity[j]) for j in near]
        here, there = entities.count(int(state.entity[mention])), entities.count(target)
        if target == new:
            assert here > 0
            assert log_q == 0.0
        elif mention == 5:
            assert log_q == 0.0
        elif here == 0:
            assert log_q == -math.inf
        else:
            assert log_q == pytest.approx(math.log(here / there))


def test_without_candidates_a_mention_stays():
    table = join_neighbour([[0, 1]], 3).table
    state = Partition.singletons(3)
    seen = drawn(of_neighbour, table, state, 300)
    assert set(seen) == {(0, 1), (1, 0), (2, 2)}


def test_only_those_among_are_drawn():
    table = join_neighbour([[0, 1], [1, 2], [2, 0]], 3, among=[2, 0, 2]).table
    assert table.rows.tolist() == [0, 2]
    seen = drawn(of_neighbour, table, Partition.singletons(3))
    assert {mention for mention, _ in seen} == {0, 2}
    # the others are still candidates to join, and a repeated mention counts once
    assert all(abs(share - 1 / 4) < 0.03 for share, _ in seen.values())
    assert set(seen) == {(0, 1), (0, 2), (2, 0), (2, 1)}


@pytest.mark.parametrize(
    ("among", "message"),
    [
        ([], "among holds 0 mentions"),
        ([0, 3], "among holds 2 mentions from 0 to 3; give mentions in 0..2"),
        ([-1], "from -1 to -1"),
        ([0.5], "among"),
    ],
)
def test_a_wrong_choice_of_mentions_is_named(among, message):
    for make in (join_neighbour, gibbs_neighbour, split_merge_neighbour):
        with pytest.raises(InputError, match=message):
            make([[0, 1]], 3, among=among)


def test_lists_stand_for_the_pairs_that_they_are_made_of():
    pairs = [[0, 1], [1, 2], [2, 3]]
    lists = neighbour_lists(pairs, 4)
    for given in (None, [1, 3]):
        one, other = (join_neighbour(near, 4, among=given).table for near in (pairs, lists))
        for a, b in zip(one, other, strict=True):
            assert a.tolist() == b.tolist()
    few = lists._replace(rows=np.array([2]))
    assert join_neighbour(few, 4).table.rows.tolist() == [2]
    with pytest.raises(InputError, match="the lists are of 4 mentions, not of 9"):
        join_neighbour(lists, 9)


def test_flips_change_the_label_uniformly():
    state = Labels.of([0, 2, 0], [4, 4, 1])
    rng = np.random.default_rng(2)
    seen = {}
    for _ in range(DRAWS):
        move, log_q = flipped(rng, NoTable(), state)
        assert log_q == 0.0
        key = (int(move.variable), int(move.new))
        seen[key] = seen.get(key, 0) + 1 / DRAWS
    expected = {(0, x): 1 / 9 for x in (1, 2, 3)} | {(1, x): 1 / 9 for x in (0, 1, 3)}
    expected[2, 0] = 1 / 3
    assert set(seen) == set(expected)
    assert all(abs(seen[k] - expected[k]) < 0.03 for k in expected)


def test_names_and_states():
    canopies = canopies_of([0, 0])
    for proposal, name, kind in (
        (move_to_entity(), "move_to_entity", Partition),
        (pair_move(canopies), "pair_move", Partition),
        (join_neighbour([[0, 1]], 2), "join_neighbour", Partition),
        (flip(), "flip", Labels),
    ):
        assert (proposal.name, proposal.state, proposal.counted) == (name, kind, (name,))
        assert proposal.blind
    assert pair_move(canopies).canopies is canopies
    assert move_to_entity().canopies is None
