"""pi P = pi, and detailed balance, with P assembled from the walk itself on all states."""

import numpy as np
import pytest

from tests.laws.forking import outcomes
from tests.laws.registry import all_cases

pytestmark = pytest.mark.interpreted


def transition_matrix(case, estimator=None):
    """P by running one step of the walk for every outcome of its draws, from every state."""
    states = case.states()
    place = {case.subject.observed(state): k for k, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for k, state in enumerate(states):

        def step(rng, state=state):
            chain = case.chain(state, estimator, rng=rng)
            chain.run(1)
            return case.subject.observed(chain.state)

        for probability, found in outcomes(step):
            matrix[k, place[found]] += probability
    return matrix


@pytest.fixture(scope="module", params=all_cases(), ids=lambda case: case.name)
def assembled(request):
    """A case and its matrix, which takes long to assemble and serves all laws."""
    return request.param, transition_matrix(request.param)


def test_the_walk_leaves_the_target_invariant(assembled):
    case, matrix = assembled
    target = case.target()
    np.testing.assert_allclose(matrix.sum(1), 1.0, atol=1e-9)
    flow = target[:, None] * matrix
    np.testing.assert_allclose(flow, flow.T, atol=1e-10, err_msg="detailed balance")
    np.testing.assert_allclose(target @ matrix, target, atol=1e-10)


def test_every_state_is_reached(assembled):
    case, matrix = assembled
    if not case.ergodic:
        pytest.skip("restricted on purpose")
    reached = np.linalg.matrix_power(matrix + np.eye(len(matrix)), len(matrix)) > 0
    assert reached.all()
