"""Rates of the hit-miss entity model: their prior, and the probability to show the latent value."""

import math

import numpy as np
import pytest
from scipy.stats import dirichlet

from partita.errors import InputError
from partita.factors import Field, Model, RatePrior, hit_miss_model
from partita.factors.entity_model.rates import (
    LONGEST,
    MIN_RATE,
    checked_prior,
    log_prior,
    ratios_of,
    shortfall,
    start_rates,
)
from partita.states import Partition

PRIOR = checked_prior(
    RatePrior([8.0, 2.0, 1.0], [0.1, 0.2, 0.7], np.geomspace(0.5, 50, 30)), 3, "q"
)


def test_the_chance_that_a_record_shows_the_latent_value_by_hand():
    theta, same = 2.0, 0.7
    found = shortfall(theta, same)[0]
    assert found.shape == (LONGEST,)
    assert (found[:2] == 0.0).all()
    none = (0.6 / 2.0) * (1.6 / 3.0)
    assert found[2] == pytest.approx(-math.log(1 - none))
    assert shortfall(theta, same, np.array([3]))[0, 0] == pytest.approx(found[3])


def test_ratios_and_rates_are_the_same_thing():
    rates = np.array([0.8, 0.15, 0.05])
    assert np.allclose(start_rates(PRIOR, ratios_of(PRIOR, rates)), rates)


def test_the_prior_is_a_dirichlet_without_its_edges():
    one, other = np.array([0.8, 0.15, 0.05]), np.array([0.5, 0.3, 0.2])
    expected = dirichlet(PRIOR.rates).logpdf(one) - dirichlet(PRIOR.rates).logpdf(other)
    assert log_prior(PRIOR, one) - log_prior(PRIOR, other) == pytest.approx(expected)
    assert log_prior(PRIOR, np.array([0.9, 0.1 - MIN_RATE / 2, MIN_RATE / 2])) == -math.inf


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (RatePrior([1.0, 1.0], [0.1, 0.2, 0.7]), "rates of the prior"),
        (RatePrior([1.0, 1.0, 0.0], [0.1, 0.2, 0.7]), "rates of the prior"),
        (RatePrior([1.0, 1.0, 1.0], [0.1, 0.2]), "background of the prior"),
        (RatePrior([1.0, 1.0, 1.0], [0.1, 0.2, 0.7], []), "no concentrations"),
        (RatePrior([1.0, 1.0, 1.0], [0.1, 0.2, 0.7], [1.0, -1.0]), "-1.0"),
        (RatePrior([1.0, math.nan, 1.0], [0.1, 0.2, 0.7]), "nan"),
    ],
)
def test_bad_priors_are_named(prior, words):
    field = Field([0, 1], [0.5, 0.5], [-0.2, 1.0, -2.0], [[0, 1]], [1], prior=prior)
    with pytest.raises(InputError, match=words):
        hit_miss_model({"name": field})


def test_rates_are_not_sampled_beside_other_weights():
    prior = RatePrior([8.0, 1.0, 1.0], [0.1, 0.2, 0.7])
    field = Field([0, 1], [0.5, 0.5], [-0.2, 1.0, -2.0], [[0, 1]], [1], prior=prior)
    with pytest.raises(InputError, match="all weights are 1"):
        hit_miss_model({"name": field}, weights=0.5)
    model = Model(hit_miss_model({"name": field}))
    one, other = (model.tables(Partition.singletons(2))[0] for _ in range(2))
    one.rate[0, 0] = 7.0
    assert other.rate[0, 0] == 10.0
    assert model.unknown == ["hit_miss"]
