"""Updates of rates: the conditional density by its formula, and the ratios of proposals."""

import math

import numpy as np
import pytest
from scipy.stats import beta, dirichlet

from partita.factors import RatePrior
from partita.factors.entity_model.rate_updates import (
    count_levels,
    log_concentration,
    log_conditional,
    log_odds,
    propose_shift,
    tallied_updates,
    with_log_odds,
)
from partita.factors.entity_model.rates import MIN_RATE, checked_prior
from partita.factors.entity_model.table import SURE
from partita.factors.entity_model.tally import Tally
from partita.walks.parameters import metropolis_steps, slice_step
from tests.laws.generative_cases import missed

PRIOR = checked_prior(
    RatePrior([8.0, 2.0, 1.0], [0.1, 0.2, 0.7], np.geomspace(0.5, 50, 30)), 3, "q"
)
NONE = np.zeros(0, np.int64)
EMPTY = count_levels(Tally(NONE, np.zeros(0), NONE, 0, NONE, NONE), 3)
VALUE = np.array([0.8, 0.15, 0.05, 5.0])
TALLY = Tally(
    np.array([1, 2, 2]),
    # K of the second exceeds its cap for most rates
    np.array([-4.0, 3.0, -1.0]),
    np.array([2, 1, 3]),
    5,
    np.array([2, 4]),
    np.array([3, 1]),
)


def by_formula(value, tally=TALLY):
    """The density of rates, concentration, latent values and copies, factor by factor."""
    rates, theta = value[:-1], value[-1]
    score = sum((a - 1.0) * math.log(k) for a, k in zip(PRIOR.rates, rates, strict=True))
    score += tally.same * math.log(theta * min(rates[0], math.exp(SURE)))
    for level, base, fresh in zip(tally.level, tally.base, tally.fresh, strict=True):
        log_k = base + math.log(rates[level] / PRIOR.background[level])
        score += fresh * (math.log(theta) + min(log_k, SURE))
    for n, entities in zip(tally.length, tally.entities, strict=True):
        score += entities * (math.lgamma(theta) - math.lgamma(theta + n))
        score += entities * missed(theta, min(rates[0], math.exp(SURE)), n)
    return score


OTHERS = [
    np.array([0.5, 0.3, 0.2, 5.0]),
    np.array([0.9, 0.01, 0.09, 0.7]),
    np.array([0.9995, 0.0004, 0.0001, 20.0]),
]


@pytest.mark.parametrize("other", OTHERS, ids=["rates", "both", "beyond the cap"])
def test_the_conditional_density_is_the_formula_s(other):
    given = count_levels(TALLY, 3)
    change = log_conditional(PRIOR, other, given) - log_conditional(PRIOR, VALUE, given)
    assert change == pytest.approx(by_formula(other) - by_formula(VALUE))


def test_the_concentration_is_weighed_by_the_same_density():
    given, grid = count_levels(TALLY, 3), np.array([0.7, 3.0, 40.0])
    weighed = log_concentration(PRIOR, VALUE[0], grid, given)
    expected = [log_conditional(PRIOR, np.append(VALUE[:-1], theta), given) for theta in grid]
    np.testing.assert_allclose(np.diff(weighed), np.diff(expected))


def test_rates_outside_the_support_have_no_density():
    assert (
        log_conditional(PRIOR, np.array([1.0 - MIN_RATE, 0.0, MIN_RATE, 1.0]), EMPTY) == -math.inf
    )


def test_the_density_of_log_odds_is_that_of_a_beta():
    update = tallied_updates(PRIOR)[0]
    places = np.array([-2.0, 0.3, 1.7])
    values = [update.write(VALUE, x) for x in places]
    found = [update.log_density(value, EMPTY) for value in values]
    same = np.array([value[0] for value in values])
    expected = beta(8.0, 3.0).logpdf(same) + np.log(same * (1.0 - same))
    np.testing.assert_allclose(np.diff(found), np.diff(expected))
    for value, x in zip(values, places, strict=True):
        assert value[:-1].sum() == pytest.approx(1.0)
        assert log_odds(value) == pytest.approx(x)
        assert value[1] / value[2] == pytest.approx(3.0)
    assert update.log_density(with_log_odds(VALUE, 60.0), EMPTY) == -math.inf


def test_the_ratio_of_variants_is_that_of_their_dirichlet():
    given = count_levels(TALLY, 3)
    update = tallied_updates(PRIOR)[1]
    law = dirichlet(PRIOR.rates[1:] + given.new[1:])
    rng = np.random.default_rng(4)
    for _ in range(5):
        fresh, log_q = update.propose(rng, VALUE, given)
        assert fresh[[0, 3]] == pytest.approx(VALUE[[0, 3]])
        old, new = VALUE[1:3] / VALUE[1:3].sum(), fresh[1:3] / fresh[1:3].sum()
        assert log_q == pytest.approx(law.logpdf(old) - law.logpdf(new))


def test_rates_follow_prior_and_counts():
    rng = np.random.default_rng(1)
    odds, variants, concentration = tallied_updates(PRIOR)

    def mean_of(given, draws):
        value, total = VALUE, np.zeros(4)
        for _ in range(draws):
            value = slice_step(rng, odds, value, given)
            value = metropolis_steps(rng, variants, value, given)
            value = concentration.draw(rng, value, given)
            total += value
        return total / draws

    assert mean_of(EMPTY, 2000)[:3] == pytest.approx([8 / 11, 2 / 11, 1 / 11], abs=0.02)
    level = np.array([1] * 300 + [2] * 100)
    many = Tally(
        level, np.full(400, -5.0), np.ones(400, np.int64), 3600, np.array([2]), np.array([2000])
    )
    mean = mean_of(count_levels(many, 3), 200)
    assert mean[1] / mean[2] == pytest.approx(3.0, rel=0.15)
    # entities of which no record shows the latent value are never observed
    assert 0.8 < mean[0] < 0.91


def test_a_shift_keeps_how_often_two_records_differ():
    rng, moved = np.random.default_rng(2), 0
    value = np.append(VALUE[:-1], PRIOR.concentrations[15])
    for _ in range(50):
        fresh, log_q = propose_shift(PRIOR, rng, value)
        if log_q == -math.inf:
            continue
        moved += 1
        before = (1 - value[0]) * value[-1] / (1 + value[-1])
        assert (1 - fresh[0]) * fresh[-1] / (1 + fresh[-1]) == pytest.approx(before)
        assert fresh[:-1].sum() == pytest.approx(1.0)
        assert fresh[-1] in PRIOR.concentrations
        assert log_q == pytest.approx(2.0 * math.log((1 - fresh[0]) / (1 - value[0])))
    assert moved > 10
