import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.kernel import entry
from partita.learning import b_cubed_f1, cluster_objectives, pair_f1
from partita.metrics.scores import bcubed, pairwise
from partita.states import Partition
from tests.states.moves import apply, random_move


@entry
def pair_gain(truth, state, move):
    return cluster_objectives.pair_f1_gain(truth, state, move)


@entry
def b_cubed_gain(truth, state, move):
    return cluster_objectives.b_cubed_gain(truth, state, move)


@entry
def keep(truth, state, move):
    cluster_objectives.accept_counts(truth, state, move)


def naive_pairs(truth, entity):
    n = len(truth)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    true = {p for p in pairs if truth[p[0]] == truth[p[1]]}
    found = {p for p in pairs if entity[p[0]] == entity[p[1]]}
    return 2 * len(true & found) / (len(true) + len(found)) if true or found else 1.0


def naive_b_cubed(truth, entity):
    same_truth = truth[:, None] == truth
    same = entity[:, None] == entity
    both = (same & same_truth).sum(1)
    p, r = (both / same.sum(1)).mean(), (both / same_truth.sum(1)).mean()
    return 2 * p * r / (p + r)


KINDS = {"pairs": (pair_f1, pair_gain, naive_pairs), "b": (b_cubed_f1, b_cubed_gain, naive_b_cubed)}


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_the_gain_is_the_change_of_the_score(kind, n, seed):
    make, gain, naive = KINDS[kind]
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    state = Partition.of(rng.integers(0, 3, n))
    objective = make(truth)
    counts = objective.begin(objective.truth, state)
    for accepted in (True, False, True, True, False, True):
        move = random_move(rng, state)
        before, copy = naive(truth, state.entity), state.entity.copy()
        found = gain(counts, state, move)
        apply(state, move)
        assert found == pytest.approx(naive(truth, state.entity) - before, abs=1e-12)
        if accepted:
            keep(counts, state, move)
        else:
            # a move that was refused leaves the counts alone
            state = Partition.of(copy)


def test_the_naive_twins_are_the_projects_metrics():
    truth, entity = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 1, 1])
    assert naive_pairs(truth, entity) == pytest.approx(pairwise(entity, truth).f1)
    assert naive_b_cubed(truth, entity) == pytest.approx(bcubed(entity, truth).f1)


def test_the_truth_is_a_state_and_must_fit():
    objective = b_cubed_f1(["x", "y", "x"])
    assert objective.right(Partition.singletons(3)).entity.tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="3 true labels but the start has 2"):
        objective.check(Partition.singletons(2))
