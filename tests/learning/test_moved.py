"""The deltas of accepted moves sum to the distance from the start."""

from typing import NamedTuple

import numpy as np

import partita
from partita.estimators import exact
from partita.factors import Model, affinity, entity_cost
from partita.kernel import Floats, kernel
from partita.learning import Learner, build_training_spec, pair_accuracy
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import compile_chain, start_chain, total_statistics


class Sum(NamedTuple):
    total: Floats


@kernel
def keep_weights(memory, deltas, score, gain):
    pass


@kernel
def add_up(memory, deltas):
    place = 0
    for delta in deltas:
        for k in range(delta.note[0]):
            feature = delta.touched[k]
            memory.total[place + feature] += delta.change[feature]
        place += delta.weights.size


def test_accepted_deltas_sum_to_the_distance_from_the_start():
    rng = np.random.default_rng(1)
    pairs = np.array([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4]])
    model = Model(
        affinity(pairs, rng.normal(size=(5, 2)), 5, features=("a", "b")), entity_cost(0.1)
    )
    learner = Learner("sum", keep_weights, Sum(np.zeros(3)), moved=add_up)
    training_spec = build_training_spec(learner, pair_accuracy([0, 0, 0, 1, 1]))
    proposal = move_to_entity()
    compiled = compile_chain(model, proposal, exact(), training_spec)
    start = partita.Partition.singletons(5)
    chain = start_chain(
        model, start, proposal, rng=rng, compiled=compiled, training_spec=training_spec
    )
    chain.run(157)
    assert chain.tally[0, 1] > 10
    found = total_statistics(model, exact(), compiled, chain.state)
    found -= total_statistics(model, exact(), compiled, Partition.singletons(5))
    np.testing.assert_allclose(chain.learner_state.memory.total, found, atol=1e-12)
    np.testing.assert_array_equal(learner.memory.total, 0.0)
