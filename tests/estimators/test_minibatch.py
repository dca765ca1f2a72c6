import math

import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.estimators import minibatch
from partita.factors import Model, affinity, ewens, similarity
from partita.kernel import BAD_BOUND, CODE, OK, ORIGIN
from partita.proposals import move_to_entity
from partita.states import Partition
from tests.estimators.deck import Bench
from tests.walks.chains import chain_of, distance

VALUES = np.array([0.1, -0.05, 0.2, 0.15, -0.2, 0.05])


@pytest.fixture(scope="module")
def bench():
    return Bench(minibatch(), VALUES, bound=0.25)


def test_acceptance_both_ways_is_in_exact_proportion(bench):
    # exp(estimate) is unbiased for detailed balance: E min(1, r) forth / back = exp(score)
    def accepted(values):
        bench.give(values, bound=0.25)
        ratios = [math.exp(bench.estimate(seed)[0]) for seed in range(6000)]
        return np.minimum(1.0, ratios).mean()

    forth, back = accepted(VALUES), accepted(-VALUES)
    assert forth / back == pytest.approx(math.exp(VALUES.sum()), rel=0.05)


def test_few_factors_are_examined_on_average(bench):
    bench.give(VALUES, bound=0.25)
    counts = []
    for seed in range(3000):
        _, times = bench.estimate(seed)
        assert times.sum() == bench.examined
        counts.append(times.sum())
    # Poisson(F M) at chi = 0
    assert np.mean(counts) == pytest.approx(6 * 0.25, rel=0.1)
    bench.context.parameters[0] = 1.0
    more = np.mean([bench.estimate(seed)[1].sum() for seed in range(3000)])
    assert more == pytest.approx(6 * 0.25 + 36 * 0.25**2, rel=0.1)


def test_without_a_bound_all_factors_are_examined(bench):
    bench.give(VALUES, bound=0.25)
    bench.context.parameters[1] = math.inf
    score, times = bench.estimate()
    assert score == pytest.approx(VALUES.sum())
    assert times.tolist() == [1] * 6


def test_no_factors_cost_nothing(bench):
    assert bench.give([], bound=0.25).estimate()[0] == 0.0
    assert bench.examined == 0


def test_a_factor_beyond_its_bound_sets_an_error_status(bench):
    bench.give([5.0] * 20, bound=0.25)
    bench.estimate()
    assert bench.context.status[CODE] == BAD_BOUND
    assert bench.context.status[ORIGIN] == 0
    bench.give([0.25] * 20, bound=0.25).estimate()
    assert bench.context.status[CODE] == OK


def pair(data, i, j):
    return data[i] * data[j]


def test_the_template_whose_bound_is_broken_is_named():
    data = np.full(6, 2.0)
    model = Model(ewens(1.0), similarity(pair, data, 6, bound=1.0, name="product"))
    chain = chain_of(model, Partition.singletons(6), move_to_entity(), minibatch())
    with pytest.raises(ModelError, match="a factor of 'product' changed the score by more than"):
        chain.run(1000)
    chain.space.check(chain.state)


def test_long_runs_agree_with_enumeration():
    pairs = [[i, j] for i in range(4) for j in range(i)]
    model = Model(affinity(pairs, [0.2, -0.3, 0.1, 0.25, -0.1, 0.3], 4))
    chain = chain_of(model, Partition.singletons(4), move_to_entity(), minibatch(0.5))
    assert distance(chain, 3000) < 0.06


def test_a_model_without_any_bound_is_refused():
    with pytest.raises(InputError, match=r"needs a bound .* pass bound="):
        minibatch().parameters(Model(ewens(1.0)), 0.0)
