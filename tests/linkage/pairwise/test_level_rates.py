import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.linkage.pairwise.level_rates import (
    add_matches,
    initial_m,
    limit_disagreement,
    make_decreasing,
    remove_matches,
    update_rates,
)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_matches_start_mostly_equal(size):
    m = initial_m(size)
    assert m.sum() == pytest.approx(1)
    assert m[0] >= 0.7
    assert m.min() > 0


numbers = st.floats(-10, 10)


@given(st.lists(st.tuples(numbers, st.floats(0.01, 5)), min_size=1, max_size=9))
def test_falling_never_rises_and_keeps_the_mean(given_values):
    ratio, weight = np.array(given_values).T
    found = make_decreasing(ratio, weight)
    assert (np.diff(found) <= 1e-9).all()
    assert (found * weight).sum() == pytest.approx((ratio * weight).sum(), abs=1e-6)
    if (np.diff(ratio) <= 0).all():
        assert np.array_equal(found, ratio)


def test_falling_pools_neighbours():
    assert make_decreasing(np.array([1.0, 3.0, 0.0]), np.array([1.0, 3.0, 1.0])) == pytest.approx(
        [2.5, 2.5, 0]
    )


def test_the_guard_bounds_the_last_level_only():
    m = np.array([0.3, 0.2, 0.5])
    found = limit_disagreement(m)
    assert found[-1] == pytest.approx(0.2)
    assert found.sum() == pytest.approx(1)
    assert found[0] > found[1]
    fine = np.array([0.7, 0.2, 0.1])
    assert limit_disagreement(fine) is fine


def test_u_leaves_matches_out_but_keeps_a_floor():
    random, m = np.array([0.02, 0.98]), np.array([0.9, 0.1])
    found = remove_matches(random, m, 0.01)
    assert found == pytest.approx(np.array([0.011, 0.979]) / 0.99)
    assert remove_matches(random, m, 0.5)[0] >= 0.05 * 0.02


def test_a_new_profile_is_monotone_and_near_the_counts():
    counts = np.array([700.0, 100.0, 150.0, 50.0])
    m, u = update_rates(counts, np.array([0.05, 0.05, 0.1, 0.8]), 1e-4)
    assert m == pytest.approx(counts / 1000, abs=0.01)
    odd, u = update_rates(
        np.array([10.0, 900.0, 50.0, 40.0]), np.array([0.05, 0.05, 0.1, 0.8]), 1e-4
    )
    assert (np.diff(np.log(odd / u)) <= 1e-9).all()


@pytest.mark.parametrize("lam", [1e-4, 0.01, 0.03])
def test_add_matches_is_the_inverse_of_remove_matches(lam):
    m = np.array([0.7, 0.2, 0.1])
    # the last case has fewer exact agreements than matches alone would give
    for random in ([0.1, 0.2, 0.7], [0.02, 0.08, 0.9], [1e-9, 0.1, 0.9]):
        back = add_matches(remove_matches(np.array(random), m, lam), m, lam)
        assert back == pytest.approx(random, rel=0.03)
