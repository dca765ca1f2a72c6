"""Parameter updates leave the target invariant, with P assembled from the walk's own updates."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from partita.estimators import exact
from partita.factors import Model, size_law
from partita.proposals import move_to_entity
from partita.states import SPACES, Partition
from partita.walks import compile_chain, start_chain
from partita.walks.parameters import update_block
from tests.laws.forking import outcomes
from tests.laws.generative_cases import sizes_twin
from tests.laws.parameter_cases import CASES

pytestmark = pytest.mark.interpreted


def place_of(values, value):
    near = [k for k, one in enumerate(values) if np.allclose(one, value, rtol=1e-9)]
    assert len(near) == 1, value
    return near[0]


def transition_matrix(case):
    """P by running one update for every outcome of its draws, from every value."""
    matrix = np.zeros((len(case.values), len(case.values)))
    for k, value in enumerate(case.values):

        def update(rng, value=value):
            table, state = case.start(value)
            update_block(rng, case.block, table, state, None)
            return case.block.read(table)

        for probability, fresh in outcomes(update):
            matrix[k, place_of(case.values, fresh)] += probability
    return matrix


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def assembled(request):
    return request.param, transition_matrix(request.param)


def test_an_update_leaves_the_target_invariant(assembled):
    case, matrix = assembled
    target = case.target()
    np.testing.assert_allclose(matrix.sum(1), 1.0, atol=1e-9)
    np.testing.assert_allclose(target @ matrix, target, atol=1e-10)
    if case.reversible:
        flow = target[:, None] * matrix
        np.testing.assert_allclose(flow, flow.T, atol=1e-10, err_msg="detailed balance")


def test_every_value_is_reached(assembled):
    _, matrix = assembled
    assert (np.linalg.matrix_power(matrix + np.eye(len(matrix)), len(matrix)) > 0).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_log_density_of_a_block_is_the_twin_s(case):
    """What an update adds to the chain's score is the change of the target, but for volumes."""
    if case.name.startswith("shift"):
        pytest.skip("the target of an orbit counts volumes too")
    densities = [case.block.log_density(*case.start(value)) for value in case.values]
    expected = [case.log_target(value) for value in case.values]
    np.testing.assert_allclose(np.diff(densities), np.diff(expected), atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_value_that_is_written_is_read(case):
    table, state = case.start(case.values[0])
    for value in reversed(case.values):
        case.block.write(table, state, value)
        np.testing.assert_allclose(case.block.read(table), value)
        assert len(case.block.components) == value.size


def test_an_update_with_a_wrong_ratio_is_found_out():
    case = next(case for case in CASES if case.name.startswith("shift"))
    (conditional,) = case.block.conditionals
    (shift,) = conditional.updates

    def without_volume(rng, value, given):
        fresh, log_q = shift.propose(rng, value, given)
        return fresh, min(log_q, 0.0)

    wrong = conditional._replace(updates=(shift._replace(propose=without_volume),))
    other = replace(case, block=replace(case.block, conditionals=(wrong,)))
    matrix, target = transition_matrix(other), case.target()
    assert np.abs(target @ matrix - target).max() > 1e-3


def test_steps_and_updates_leave_partition_and_parameters_invariant():
    """P of one step followed by one update, on all pairs of a partition and a law of sizes."""
    n, totals, repeats = 3, [0.5, 6.0], [0.2, 0.7]
    model, proposal = Model(size_law(n, totals=totals, repeats=repeats)), move_to_entity()
    compiled = compile_chain(model, proposal, exact())
    block, space = model.templates[0].parameters[0], SPACES[Partition]
    partitions = list(space.enumerate(Partition.singletons(n)))
    pairs = list(itertools.product(partitions, itertools.product(totals, repeats)))
    keys = [(tuple(space.observe(state).tolist()), law) for state, law in pairs]
    twins = [sizes_twin(*law, 0)(np.array(labels))[0] for labels, law in keys]
    scores = np.array(twins) + [math.lgamma(law[0]) for _, law in keys]
    target = np.exp(scores - scores.max())
    target /= target.sum()
    matrix = np.zeros((len(keys), len(keys)))
    for k, (start, law) in enumerate(pairs):

        def step(rng, start=start, law=law):
            chain = start_chain(model, start, proposal, rng=rng, compiled=compiled)
            block.write(chain.context.tables[0], chain.state, np.array(law))
            chain.run(1)
            chain.update_parameters()
            value = tuple(chain.parameters()["sizes.law"].tolist())
            return tuple(space.observe(chain.state).tolist()), value

        for probability, found in outcomes(step):
            matrix[k, keys.index(found)] += probability
    np.testing.assert_allclose(matrix.sum(1), 1.0, atol=1e-9)
    np.testing.assert_allclose(target @ matrix, target, atol=1e-10)
