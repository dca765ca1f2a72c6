import math

import numpy as np
import pytest

from partita.errors import ModelError
from partita.estimators import exact
from partita.factors import Model, Template, similarity, unary
from partita.kernel import kernel, push
from partita.proposals import flip, move_to_entity
from partita.states import Labels, Partition
from partita.walks import build_engine
from tests.walks.chains import chain_of, distance
from tests.walks.small import N, clusters


def test_the_walk_samples_the_posterior():
    chain = chain_of(clusters(), Partition.singletons(N), move_to_entity())
    assert distance(chain, 6000, 5) < 0.09


@pytest.fixture(scope="module")
def coin():
    model = Model(unary([[1.0]], 2, weights=[[0.0], [2.0]]))
    return chain_of(model, Labels.of([0], 2), flip())


@pytest.mark.parametrize("temperature", [0.5, 1.0, 4.0])
def test_moves_are_accepted_by_the_metropolis_rule(coin, temperature):
    coin.state.label[0] = 1
    coin.tally[:] = 0
    downhill = up = 0
    for _ in range(4000):
        was = int(coin.state.label[0])
        accepted = coin.tally[0, 1]
        coin.run(1, temperature)
        if was == 0:
            # uphill is always taken
            assert coin.tally[0, 1] == accepted + 1
            up += 1
        else:
            downhill += int(coin.tally[0, 1] - accepted)
    share = downhill / (4000 - up)
    assert share == pytest.approx(math.exp(-2.0 / temperature), abs=0.04)
    assert coin.tally[0, 0] == 4000


def test_score_is_the_change_since_the_start(coin):
    before, base = int(coin.state.label[0]), coin.score
    coin.run(57)
    expected = 2.0 * (int(coin.state.label[0]) - before)
    assert coin.score - base == pytest.approx(expected)


def hole(data, i, j):
    return data[0] if i + j == 5 else 0.1


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nonsense_scores_stop_the_walk_before_the_step(value):
    model = Model(similarity(hole, np.array([value]), 4))
    chain = chain_of(model, Partition.singletons(4), move_to_entity())
    with pytest.raises(ModelError, match=r"at step \d+ the score became NaN or infinite"):
        chain.run(3000)
    assert chain.state.entity[2] != chain.state.entity[3]
    chain.space.check(chain.state)


def test_minus_infinity_is_a_move_that_is_never_made():
    model = Model(similarity(hole, np.array([-math.inf]), 4))
    chain = chain_of(model, Partition.singletons(4), move_to_entity())
    for _ in range(300):
        chain.run(5)
        assert chain.state.entity[2] != chain.state.entity[3]
    assert chain.tally[0, 1] > 100


@kernel
def one(table, state, move):
    return 1


@kernel
def too_far(table, state, move, k, delta):
    return push(delta, 2, 1.0)


def test_a_template_that_pushes_features_it_lacks_is_named():
    names = ("a", "b")
    template = Template("mine", Labels, names, np.ones(2), one, too_far, np.zeros(1))
    chain = chain_of(Model(template), Labels.of([0], 2), flip())
    with pytest.raises(ModelError, match=r"the template 'mine' pushed a feature outside 0..1"):
        chain.run(10)


def test_the_engine_shares_the_kernels_of_the_space():
    engine, _ = build_engine(clusters(), exact())
    chain = chain_of(clusters(), Partition.singletons(N), move_to_entity())
    assert engine.apply is chain.space.apply
    assert engine.undo is chain.space.undo
