"""Shared parts of learners: averages by their definition, and the distance from the truth."""

import numpy as np
import pytest

from partita import sample
from partita.errors import InputError, ModelError
from partita.factors import Model, affinity, unary
from partita.learning import (
    build_training_spec,
    hamming,
    mira,
    own_objective,
    pair_accuracy,
    perceptron,
    samplerank_svm,
)
from partita.learning.learner import average_weights, begin_average, replace_weights
from partita.proposals import flip, gibbs_label, move_to_entity
from partita.states import Labels, Partition
from tests.walks.chains import chain_of

TRUTH = [0, 0, 1, 1]
PAIRS, VALUES = [[0, 1], [2, 3], [0, 2]], [[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]


def student(learner, proposal=None, seed=0):
    model = Model(affinity(PAIRS, VALUES, 4, features=("a", "b")))
    training_spec = build_training_spec(learner, pair_accuracy(TRUTH))
    start = Partition.singletons(4)
    return chain_of(
        model, start, proposal or move_to_entity(), seed=seed, training_spec=training_spec
    )


def test_the_average_is_the_mean_over_all_steps():
    chain = student(mira(0.3))
    seen = []
    for _ in range(40):
        chain.run(1)
        seen.append(chain.weights.copy())
    assert len({tuple(w) for w in seen}) > 3
    np.testing.assert_allclose(chain.learned, np.mean(seen, axis=0), atol=1e-12)
    assert chain.learned is not chain.weights


def test_an_average_may_begin_late_and_hears_of_weights_set_from_outside():
    chain = student(perceptron(0.3))
    chain.run(7)
    begin_average(chain.learner_state.memory)
    seen = []
    for k in range(12):
        chain.run(1)
        seen.append(chain.weights.copy())
        if k == 5:
            replace_weights(chain.learner_state.memory, 0.5 * chain.weights)
    np.testing.assert_allclose(chain.learned, np.mean(seen, axis=0), atol=1e-12)


def test_without_an_average_the_last_weights_count():
    chain = student(mira(0.3, average=False))
    chain.run(20)
    assert chain.learned is chain.weights
    assert average_weights(chain.learner_state.memory, chain.weights) is chain.weights


def test_steps_that_change_nothing_reach_the_learner():
    model = Model(unary(np.eye(2), 2))
    training_spec = build_training_spec(mira(), hamming([0, 1]))
    chain = chain_of(model, Labels.of([0, 1], 2), gibbs_label(), training_spec=training_spec)
    chain.run(30)
    assert chain.learner_state.memory.clock[0] == 30


@pytest.mark.parametrize("margin", [-1.0, float("nan"), "wide"])
def test_margins_that_cannot_be(margin):
    with pytest.raises(InputError, match="the margin is"):
        perceptron(margin=margin)


def test_a_learner_that_compares_with_the_truth_starts_there():
    model = Model(affinity(PAIRS, VALUES, 4, features=("a", "b")))
    settings = {"learner": samplerank_svm(), "draws": 2, "tune": 0, "progressbar": False}
    with pytest.raises(InputError, match="start from the truth"):
        sample(model, Partition.singletons(4), objective=pair_accuracy(TRUTH), **settings)

    def zero(data, state, move):
        return 0.0

    with pytest.raises(ModelError, match="does not define"):
        sample(model, Partition.singletons(4), objective=own_objective(zero), **settings)
    found = sample(model, Partition.of(TRUTH), objective=pair_accuracy(TRUTH), **settings)
    assert np.isfinite(found.weights).all()


def test_a_resumed_chain_learns_on_as_if_never_stopped(tmp_path):
    model = Model(unary(np.random.default_rng(1).normal(size=(6, 2)), 2))
    truth = [0, 1, 0, 1, 1, 0]

    def run(**more):
        return sample(
            model,
            Labels.of(truth, 2),
            proposal=flip(),
            learner=samplerank_svm(0.1),
            objective=hamming(truth),
            draws=20,
            tune=0,
            chains=1,
            random_seed=3,
            progressbar=False,
            checkpoint=tmp_path / "saved",
            **more,
        )

    whole = run()
    again = run()
    assert np.array_equal(whole.weights, again.weights)
