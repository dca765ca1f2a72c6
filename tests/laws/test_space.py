"""What a space promises the shell: a record that restores the state, and bounds that hold."""

import numpy as np
import pytest

from partita.estimators import exact, minibatch
from tests.laws.registry import case_parameters


@pytest.fixture(params=case_parameters())
def case(request):
    return request.param


def test_a_draw_restores_the_state_it_recorded(case):
    space, start = case.subject.space, case.subject.start
    for state in case.states():
        shown = space.observe(state)
        assert shown.dtype == np.int32
        assert shown.shape == (space.sites(state),)
        restored = space.restore(start, shown)
        space.check(restored)
        np.testing.assert_array_equal(space.observe(restored), shown)


def test_a_copy_shares_nothing_that_changes(case):
    space = case.subject.space
    chain = case.chain(seed=2)
    before = case.subject.observed(chain.state)
    other = space.copy(chain.state)
    chain.run(200)
    assert case.subject.observed(other) == before


@pytest.mark.compiled
def test_no_factor_exceeds_the_bound_of_its_template(case):
    if not np.isfinite(case.subject.model.bounds()).any():
        pytest.skip("no template has a bound")
    # the minibatch test stops with an error at a factor beyond its bound
    chain = case.chain(estimator=minibatch(0.5), seed=6)
    chain.run(2000)
    assert chain.steps == 2000
    assert case.chain(estimator=exact()).examined == 0
