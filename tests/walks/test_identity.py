"""What a run refuses: a checkpoint of other code, and combinations that would not be exact."""

import numpy as np
import pytest

import partita
from partita.errors import CheckpointError, InputError, ModelError
from partita.estimators import minibatch
from partita.factors import Model, affinity, similarity
from partita.proposals import canopies_of, gibbs_mention, mixture, move_to_entity, pair_move
from partita.states import Partition

POINTS = np.arange(6.0)


def near(data, i, j):
    return 1.0 - abs(data[i] - data[j])


def nearer(data, i, j):
    return 2.0 - abs(data[i] - data[j])


def sampled(function, folder, **more):
    model = Model(similarity(function, POINTS, 6))
    start = Partition.singletons(6)
    settings = {"draws": 5, "tune": 2, "chains": 1, "random_seed": 1, "checkpoint": folder}
    return partita.sample(model, start, **{**settings, **more})


@pytest.mark.compiled
def test_a_checkpoint_of_another_function_is_refused(tmp_path):
    first = sampled(near, tmp_path)
    np.testing.assert_array_equal(sampled(near, tmp_path).draws, first.draws)
    with pytest.raises(CheckpointError, match="belongs to another run: its code is"):
        sampled(nearer, tmp_path)


@pytest.mark.parametrize(
    "proposal", [gibbs_mention(), mixture([move_to_entity(), gibbs_mention()])]
)
def test_an_acceptance_test_cannot_weigh_the_moves_of_gibbs(proposal):
    model = Model(affinity([[0, 1]], [0.5], 3))
    with pytest.raises(ModelError, match="is an acceptance test and cannot weigh"):
        partita.sample(model, Partition.singletons(3), proposal=proposal, estimator=minibatch())


def test_too_few_steps_for_whole_rounds_are_refused(tmp_path):
    proposal = pair_move(canopies_of([0, 0, 0, 0, 1, 1]))
    # 4 (2 + 2) + 2 (2 + 1) = 22 steps a round
    with pytest.raises(InputError, match=r"steps is 100 but 7 draws .* take 154"):
        sampled(near, tmp_path, proposal=proposal, sweep="canopies", steps=100)
    found = sampled(near, tmp_path, proposal=proposal, sweep="canopies", steps=154)
    assert found.n_draws == 5
