import math

import numpy as np
import pytest
from scipy import special

from partita.kernel import gammaln, logistic


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_log_gamma_is_that_of_scipy(shape):
    values = np.random.default_rng(0).gamma(0.5, 100.0, shape)
    assert np.allclose(gammaln(values), special.gammaln(values), rtol=1e-12, atol=1e-12)
    assert gammaln(values).shape == shape


def test_whole_numbers_and_what_does_not_lie_in_a_row():
    assert np.allclose(gammaln(np.arange(1, 9)[::2]), [math.lgamma(n) for n in (1, 3, 5, 7)])


def test_the_logistic_function_is_that_of_scipy_without_overflow():
    log_odds = np.array([-1e9, -800.0, -3.0, 0.0, 0.5, 40.0, 1e9])
    with np.errstate(all="raise"):
        assert np.allclose(logistic(log_odds), special.expit(log_odds), rtol=1e-15, atol=1e-300)
    assert logistic(0.0) == 0.5
