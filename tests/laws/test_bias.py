"""Sampled estimators are biased, measurably, and by no more than they declare."""

import itertools

import numpy as np
import pytest

from partita.estimators import confidence, exact, scheduled, uniform
from partita.factors import Model, entity_cost, similarity
from partita.proposals import one_canopy, pair_move
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Case, Subject
from tests.laws.test_stationarity import transition_matrix

pytestmark = pytest.mark.interpreted

N = 4


def entry_of(data, i, j):
    return data[i, j]


def make_case(scale):
    rng = np.random.default_rng(5)
    scores = rng.uniform(-scale, scale, (N, N))
    scores = (scores + scores.T) / 2
    model = Model(similarity(entry_of, scores, N), entity_cost(0.2))
    twin = naive.together(naive.pair_sum(scores[:, :, None]), naive.entity_count)
    subject = Subject(model, twin, Partition.singletons(N))
    return Case("bias", subject, pair_move(one_canopy(N))), scores


def stationary(matrix):
    values, vectors = np.linalg.eig(matrix.T)
    found = np.real(vectors[:, np.argmin(abs(values - 1))])
    return found / found.sum()


def declared_step_error(labels, scores, estimator):
    """E over proposals of the declared change of acceptance, from one state."""
    total = 0.0
    for i, j in itertools.permutations(range(N), 2):
        source = [m for m in range(N) if labels[m] == labels[i] and m != i]
        target = [m for m in range(N) if labels[m] == labels[j] != labels[i]]
        touched = np.array([-scores[i, m] for m in source] + [scores[i, m] for m in target])
        if touched.size:
            total += estimator.error(touched.size, float(touched.std()))
    return total / (N * (N - 1))


SAMPLED = [uniform(0.5), uniform(0.2), confidence(0.4), confidence(2.0)]


@pytest.mark.parametrize("estimator", SAMPLED, ids=lambda e: e.name)
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_each_step_is_within_the_declared_error(estimator, scale):
    case, scores = make_case(scale)
    right, wrong = transition_matrix(case), transition_matrix(case, estimator)
    for k, state in enumerate(case.states()):
        moved = 0.5 * np.abs(right[k] - wrong[k]).sum()
        declared = declared_step_error(case.subject.observed(state), scores, estimator)
        assert moved <= declared + 1e-12


def test_uniform_is_biased_within_the_bound_that_follows_from_its_declared_error():
    case, scores = make_case(0.3)
    estimator = uniform(0.5)
    right, wrong = transition_matrix(case), transition_matrix(case, estimator)
    biased = 0.5 * np.abs(stationary(wrong) - case.target()).sum()
    worst = max(
        declared_step_error(case.subject.observed(state), scores, estimator)
        for state in case.states()
    )
    # |pi' - pi| <= k eps / (1 - tau(P^k)), tau the largest distance between two rows (Dobrushin)
    bounds = []
    for k in (5, 10, 20, 40):
        power = np.linalg.matrix_power(right, k)
        tau = max(0.5 * np.abs(a - b).sum() for a in power for b in power)
        bounds.append(k * worst / (1.0 - tau))
    assert 1e-3 < biased <= min(bounds) < 1.0


def test_the_exact_estimator_and_a_full_share_have_no_bias():
    case, _ = make_case(1.0)
    for estimator in (exact(), uniform(1.0)):
        matrix = transition_matrix(case, estimator)
        np.testing.assert_allclose(case.target() @ matrix, case.target(), atol=1e-12)


def test_a_schedule_that_ends_at_one_declares_no_bias_and_has_none_at_its_end():
    case, _ = make_case(1.0)
    estimator = scheduled(0.1, 1.0, until=0.5)
    assert estimator.error(10, 1.0) == 0.0
    assert estimator.parameters(case.subject.model, 0.7)[0] == 1.0
    assert estimator.parameters(case.subject.model, 0.0)[0] == pytest.approx(0.1)
