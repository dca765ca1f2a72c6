import math

import numpy as np
import pytest

from partita.factors import Model, affinity, agreement, ewens
from partita.kernel import entry
from partita.proposals import canopies_of, one_canopy, split_merge, split_merge_neighbour
from partita.proposals.sdds.clusters import log_share
from partita.proposals.split_merge import (
    CERTAIN_LOG_ODDS,
    draw_side,
    fold_factor,
    list_anchored,
    list_block,
)
from partita.states import Partition
from tests.states.moves import members
from tests.walks.chains import chain_of, distance, score_of

N = 7


@entry
def share(gap):
    return log_share(gap)


@entry
def gathered(rng, state, table, i, j):
    count = list_anchored(rng, state, table, i, j)
    return count, list_block(state, table, count)


@entry
def drawn(rng, gap, side, free):
    return draw_side(rng, gap, side, free)


@entry
def log_of_all(rng, gaps, sides):
    total, product = 0.0, 1.0
    for k in range(gaps.size):
        _, share, more = draw_side(rng, gaps[k], sides[k], False)
        total, product = fold_factor(total + more, product * share)
    return total + math.log(product)


def share_log(gap, side):
    return -np.logaddexp(0.0, -gap if side == 0 else gap)


def test_a_side_is_drawn_with_the_probability_that_is_counted():
    rng = np.random.default_rng(0)
    for gap in (-40.0, -1.3, 0.0, 0.7, 40.0):
        sides = [drawn(rng, gap, 0, True) for _ in range(2000)]
        for side, share, more in sides:
            assert math.log(share) + more == pytest.approx(share_log(gap, side), abs=1e-12)
        expected = 1 / (1 + math.exp(-gap))
        assert np.mean([side == 0 for side, _, _ in sides]) == pytest.approx(expected, abs=0.04)
    for gap in (-CERTAIN_LOG_ODDS - 1, CERTAIN_LOG_ODDS + 1, -800.0, 800.0):
        for side in (0, 1):
            _, share, more = drawn(rng, gap, side, False)
            assert math.log(share) + more == pytest.approx(share_log(gap, side), abs=1e-12)


def test_products_of_many_shares_do_not_vanish():
    rng = np.random.default_rng(1)
    gaps, sides = rng.normal(0.0, 3.0, 5000), rng.integers(0, 2, 5000)
    expected = sum(share_log(gap, side) for gap, side in zip(gaps, sides, strict=True))
    assert log_of_all(rng, gaps, sides) == pytest.approx(expected)


def test_log_share():
    for gap in (-800.0, -2.0, 0.0, 2.0, 800.0):
        expected = -np.logaddexp(0.0, -gap)
        assert share(gap) == pytest.approx(expected)
    assert math.exp(share(0.3)) + math.exp(share(-0.3)) == pytest.approx(1.0)


def test_the_block_lists_leavers_and_stayers():
    state = Partition.of([0, 0, 1, 1, 1, 2, 0])
    proposal = split_merge(one_canopy(N))
    table = proposal.prepare(proposal.table, state)
    seen = set()
    for seed in range(50):
        count, many = gathered(np.random.default_rng(seed), state, table, 3, 6)
        assert (count, many) == (6, 3)
        assert table.sequence[:2].tolist() == [3, 6]
        assert sorted(table.sequence[:6]) == [0, 1, 2, 3, 4, 6]
        # of two equal sides the first anchor's leaves, as in the merge that leads back
        assert set(state.block[:3]) == {2, 3, 4}
        assert set(state.block[3:6]) == {0, 1, 6}
        assert all(state.place[state.block[k]] == k for k in range(6))
        seen.add(tuple(table.sequence[2:6].tolist()))
    assert len(seen) > 10


def test_the_smaller_side_leaves():
    state = Partition.of([0, 0, 1, 1, 1, 2, 0])
    proposal = split_merge(one_canopy(N))
    table = proposal.prepare(proposal.table, state)
    for first, second in ((5, 3), (3, 5)):
        count, many = gathered(np.random.default_rng(0), state, table, first, second)
        assert (count, many) == (4, 1)
        assert state.block[0] == 5


@pytest.fixture(scope="module")
def walker():
    rng = np.random.default_rng(0)
    pairs = [[i, j] for i in range(4) for j in range(i)]
    model = Model(affinity(pairs, rng.normal(size=6), 4), ewens(1.0))
    return chain_of(model, Partition.singletons(4), split_merge(one_canopy(4)))


def test_long_runs_agree_with_enumeration(walker):
    assert distance(walker, 3000) < 0.06


def test_a_rejected_proposal_leaves_no_trace(walker):
    moved = 0
    for _ in range(500):
        before = walker.state.entity.copy()
        orders = {int(e): members(walker.state, e).tolist() for e in set(before)}
        accepted = walker.tally[0, 1]
        walker.run(1)
        walker.space.check(walker.state)
        if walker.tally[0, 1] == accepted:
            assert walker.state.entity.tolist() == before.tolist()
            assert {int(e): members(walker.state, e).tolist() for e in set(before)} == orders
        else:
            moved += 1
    assert moved > 50


def test_aggregates_stay_in_step_with_the_state():
    labels = [0, 0, 1, 1, 2, 2, -1]
    bags = {"b": np.random.default_rng(1).integers(0, 3, (N, 9)).astype(float)}
    weights = {"match": 0.5, "mismatch": -0.3, "dot": -0.05}
    model = Model(agreement({"a": labels}, bags, storage="sparse", **weights), ewens(1.0))
    chain = chain_of(model, Partition.singletons(N), split_merge(canopies_of([0] * 6 + [1])))
    base = score_of(chain)
    chain.run(600)
    assert chain.tally[0, 1] > 20
    assert score_of(chain) - base == pytest.approx(chain.score, abs=1e-6)
    table = chain.context.tables[0].bags
    for entity in range(N):
        inside = chain.state.entity == entity
        assert table.mass[entity, 0] == (np.array(labels)[inside] >= 0).sum()
    # scratch is left empty
    assert table.store.order[N] == -1
    assert not table.mass[N].any()


def test_one_anchor_is_of_those_among():
    pairs = [[0, 1], [1, 2], [2, 3], [3, 4]]
    chain = chain_of(
        Model(affinity(pairs, [0.0] * 4, 5), ewens(1.0)),
        Partition.singletons(5),
        split_merge_neighbour(pairs, 5, among=[0, 4]),
    )
    seen = set()
    for _ in range(300):
        chain.run(1)
        entity = chain.state.entity
        seen |= {
            pair for pair in [(0, 1), (1, 2), (2, 3), (3, 4)] if entity[pair[0]] == entity[pair[1]]
        }
    # anchors are 0 with 1 and 4 with 3; nothing merges along the pairs of the others
    assert seen == {(0, 1), (3, 4)}
