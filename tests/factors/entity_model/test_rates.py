"""Rates of the urn: the chance to show the latent value, slices, and what a tally counts."""

import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Field, Model, RatePrior, urn
from partita.factors.entity_model.rates import (
    LONGEST,
    Tally,
    checked_prior,
    draw_rates,
    ratios_of,
    shifted,
    shortfall,
    sliced,
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


def test_slices_follow_the_density():
    rng = np.random.default_rng(0)
    x, seen = 0.0, []
    for _ in range(4000):
        x = sliced(rng, lambda z: -0.5 * (z - 1.0) ** 2 / 0.25, x)
        seen.append(x)
    assert np.mean(seen) == pytest.approx(1.0, abs=0.05)
    assert np.std(seen) == pytest.approx(0.5, abs=0.05)


def test_ratios_and_rates_are_the_same_thing():
    rates = np.array([0.8, 0.15, 0.05])
    assert np.allclose(start_rates(PRIOR, ratios_of(PRIOR, rates)), rates)


def test_rates_go_where_the_records_are():
    rng, none = np.random.default_rng(1), np.zeros(0, np.int64)
    tally = Tally(
        np.array([1] * 300 + [2] * 100), np.full(400, -5.0), np.ones(400, np.int64), 3600,
        np.array([2]), np.array([2000]),
    )  # fmt: skip
    rates, theta = np.array([0.5, 0.3, 0.2]), 10.0
    seen = []
    for _ in range(200):
        rates, theta = draw_rates(rng, PRIOR, rates, theta, tally)
        seen.append(rates)
    assert rates.sum() == pytest.approx(1.0)
    mean = np.mean(seen[20:], 0)
    assert mean[1] / mean[2] == pytest.approx(3.0, rel=0.15)
    # some entities in which no record shows the latent value were never to be seen
    assert 0.8 < mean[0] < 0.91
    nothing = Tally(none, np.zeros(0), none, 0, none, none)
    prior_mean = np.mean([draw_rates(rng, PRIOR, rates, theta, nothing)[0] for _ in range(2000)], 0)
    assert prior_mean == pytest.approx([8 / 11, 2 / 11, 1 / 11], abs=0.02)


def test_a_shift_keeps_how_often_two_records_differ():
    rng = np.random.default_rng(2)
    rates, theta = np.array([0.8, 0.15, 0.05]), float(PRIOR.concentrations[15])
    for _ in range(50):
        fresh, other, weight = shifted(rng, PRIOR, rates, theta)
        if weight > -math.inf:
            before = (1 - rates[0]) * theta / (1 + theta)
            assert (1 - fresh[0]) * other / (1 + other) == pytest.approx(before)
            assert fresh.sum() == pytest.approx(1.0)
            assert other in PRIOR.concentrations


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
        urn({"name": field})


def test_rates_are_not_drawn_beside_other_weights():
    prior = RatePrior([8.0, 1.0, 1.0], [0.1, 0.2, 0.7])
    field = Field([0, 1], [0.5, 0.5], [-0.2, 1.0, -2.0], [[0, 1]], [1], prior=prior)
    with pytest.raises(InputError, match="weights are 1"):
        urn({"name": field}, weights=0.5)
    model = Model(urn({"name": field}))
    one, other = (model.tables(Partition.singletons(2))[0] for _ in range(2))
    one.rate[0, 0] = 7.0
    assert other.rate[0, 0] == 10.0
    assert model.drawn == ["urn"]
