"""A walk that learns calls the kernels of its training spec at the right steps, and only then."""

from typing import NamedTuple

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.kernel import kernel
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import LearnerState, Settings, TrainingSpec, run_chains
from tests.walks.chains import chain_of
from tests.walks.small import N, clusters

# kernels of this test would take the compiler longer than the walk takes in plain Python
pytestmark = pytest.mark.interpreted


class Calls(NamedTuple):
    """Calls of each kernel, and the sum of gains."""

    count: np.ndarray


LEARN, GAINED, MOVED, KEPT = range(4)


@kernel
def gain(truth, state, move):
    return 2.0


@kernel
def learn(memory, deltas, score, gained):
    memory.count[LEARN] += 1
    memory.count[GAINED] += gained


@kernel
def moved(memory, deltas):
    memory.count[MOVED] += 1


@kernel
def kept(truth, state, move):
    truth.count[KEPT] += 1


def spec_of(**more):
    start = LearnerState(Calls(np.zeros(4)), Calls(np.zeros(4)))
    return TrainingSpec(gain, learn, start, moved=moved, kept=kept, **more)


def walked(spec, steps=200):
    chain = chain_of(
        clusters(), Partition.singletons(N), move_to_entity(), training_spec=spec, seed=3
    )
    chain.run(steps)
    return chain, chain.learner_state.memory.count, chain.learner_state.truth.count


def test_learn_is_called_at_every_step_and_the_others_at_accepted_ones():
    chain, memory, truth = walked(spec_of())
    proposed, accepted = chain.tally[0]
    assert (proposed, memory[LEARN]) == (200, 200)
    assert 0 < accepted < 200
    assert memory[MOVED] == truth[KEPT] == accepted
    # an idle move changes nothing, so it has no gain
    idle = 200 - memory[GAINED] / 2.0
    assert 0 < idle < 200 - accepted


def test_memory_is_the_chain_s_own():
    spec = spec_of()
    _, memory, _ = walked(spec)
    assert memory[LEARN] == 200
    assert spec.learner_state.memory.count[LEARN] == 0


def test_a_chain_that_stays_learns_without_moving():
    chain, memory, truth = walked(spec_of(stays=True))
    assert chain.state.entity.tolist() == list(range(N))
    assert memory[MOVED] > 0
    assert truth[KEPT] == 0


def test_hooks_prepare_truth_and_memory_and_finish_the_weights():
    spec = spec_of(
        begin=lambda truth, state: Calls(np.full(4, float(state.live[0]))),
        equip=lambda memory, weights: Calls(np.full(4, weights.sum())),
        finish=lambda memory, weights: weights + memory.count[LEARN],
    )
    chain, memory, truth = walked(spec, steps=0)
    total = clusters().weights.sum()
    assert (truth[0], memory[0]) == (N, total)
    np.testing.assert_allclose(chain.learned, clusters().weights + total)
    chain.restart(Partition.of([0] * N))
    assert chain.learner_state.truth.count[0] == 1.0


def test_without_hooks_weights_are_those_of_the_walk():
    chain, _, _ = walked(spec_of(), steps=0)
    assert chain.learned is chain.weights
    assert chain.weights is not chain.model.weights


def test_a_start_that_does_not_fit_is_refused():
    def refuse(start):
        raise InputError("this start has no truth")

    settings = Settings(draws=1, tune=0, chains=1, progressbar=False)
    with pytest.raises(InputError, match="this start has no truth"):
        run_chains(
            clusters(),
            Partition.singletons(N),
            move_to_entity(),
            exact(),
            settings,
            spec_of(check=refuse),
        )
