"""The skeletons of an estimator and a learner; the laws run the other three."""

import itertools

import numpy as np
import pytest

import partita
from examples.skeletons.estimator import strided
from examples.skeletons.learner import decaying
from partita.errors import InputError
from partita.factors import Model, affinity, entity_cost
from partita.learning import pair_accuracy
from partita.states import Partition
from tests.laws.test_bias import declared_step_error, make_case
from tests.laws.test_stationarity import transition_matrix


@pytest.mark.interpreted
def test_the_estimator_is_within_its_declared_error():
    case, scores = make_case(0.3)
    right, wrong = transition_matrix(case), transition_matrix(case, strided(2))
    assert not np.allclose(right, wrong)
    for k, state in enumerate(case.states()):
        declared = declared_step_error(case.subject.observed(state), scores, strided(2))
        assert 0.5 * np.abs(right[k] - wrong[k]).sum() <= declared + 1e-12
    np.testing.assert_allclose(transition_matrix(case, strided(1)), right)


def test_the_learner_learns():
    truth = np.array([0, 0, 0, 1, 1, 1])
    pairs = np.array(list(itertools.combinations(range(6), 2)))
    alike = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1.0, -1.0)
    model = Model(affinity(pairs, alike, 6, weights=-0.5), entity_cost(0.0))
    learned = partita.sample(
        model,
        Partition.singletons(6),
        mode="map",
        draws=20,
        chains=1,
        random_seed=1,
        learner=decaying(0.5),
        objective=pair_accuracy(truth),
    )
    assert model.weight("affinity.score") == -0.5
    assert learned.weights[0][0] > 0
    with pytest.raises(InputError, match="rate is 0"):
        decaying(0.0)
