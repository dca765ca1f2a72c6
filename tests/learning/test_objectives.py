import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError, ModelError
from partita.kernel import entry, interpreted
from partita.learning import hamming, objectives, own_objective, pair_accuracy
from partita.states import Labels, Partition, Regroup, Relabel
from tests.states.moves import apply, random_move


@entry
def pair_gain(truth, state, move):
    return objectives.pair_gain(truth, state, move)


@entry
def hamming_gain(truth, state, move):
    return objectives.hamming_gain(truth, state, move)


def right_pairs(truth, entity):
    n = len(truth)
    return sum(
        (truth[i] == truth[j]) == (entity[i] == entity[j]) for i in range(n) for j in range(i)
    )


@given(st.integers(2, 9), st.integers(0, 10**6))
def test_the_gain_is_the_change_of_right_pairs(n, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    objective = pair_accuracy(truth)
    state = Partition.of(rng.integers(0, 3, n))
    for _ in range(5):
        move = random_move(rng, state)
        before = right_pairs(truth, state.entity)
        gain = pair_gain(objective.truth, state, move)
        apply(state, move)
        assert gain == right_pairs(truth, state.entity) - before


def test_labels_put_right_and_wrong():
    objective = hamming([1, 0])
    state = Labels.of([0, 0], 3)
    for move, gain in (
        (Relabel(0, 0, 1), 1.0),
        (Relabel(0, 0, 2), 0.0),
        (Relabel(1, 0, 2), -1.0),
    ):
        assert hamming_gain(objective.truth, state, move) == gain


def test_the_truth_may_be_named():
    assert pair_accuracy(["x", "y", "x"]).truth.label.tolist() == [0, 1, 0]


def test_the_truth_must_fit_the_start():
    objective = pair_accuracy([0, 1, 1])
    assert objective.check(Partition.singletons(3)) is None
    with pytest.raises(InputError, match="3 true labels but the start has 4"):
        objective.check(Partition.singletons(4))
    with pytest.raises(InputError, match="2 true labels but the start has 1"):
        hamming([0, 1]).check(Labels.of([0], 2))


def test_a_users_own_objective_is_compiled_and_refused_where_it_cannot_be():
    def alone(data, state, move):
        return float(data[0]) if state.size[move.target] == 0 else 0.0

    objective = own_objective(alone, np.array([2.0]), right=Partition.singletons(3))
    assert objective.right(None).live[0] == 3
    gain = objective.gain
    asked = entry(gain) if interpreted() else entry(gain.py_func)
    state = Partition.of([0, 0, 1])
    assert asked(objective.truth, state, Regroup(0, 0, state.ids[2], 1)) == 2.0
    assert asked(objective.truth, state, Regroup(0, 0, 1, 1)) == 0.0
    with pytest.raises(ModelError, match="is not a type of state; give Partition or Labels"):
        own_objective(alone, state=int)
    with pytest.raises(ModelError, match=r"build it with Partition\.of"):
        own_objective(alone, np.ones(1), right=[0, 1])
    if not interpreted():
        with pytest.raises(ModelError, match="own objective"):
            own_objective(lambda data, state, move: state.nothing)
