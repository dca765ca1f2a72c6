import math

import numpy as np
import pytest

from partita.estimators import confidence, scheduled, uniform
from partita.walks import chain as chains
from tests.estimators.deck import Bench

VALUES = np.random.default_rng(0).normal(size=20)


@pytest.fixture(scope="module")
def share():
    return Bench(uniform(0.3))


@pytest.fixture(scope="module")
def interval():
    return Bench(confidence(0.5))


# ---- a share of the factors


def test_draws_are_without_replacement(share):
    share.give(VALUES)
    for seed in range(200):
        score, times = share.estimate(seed)
        assert times.max() == 1
        assert times.sum() == share.examined == math.ceil(0.3 * 20)
        assert score == pytest.approx(20 * VALUES[times == 1].mean())
        assert share.tidy()


def test_every_factor_is_as_likely_as_another(share):
    share.give(VALUES)
    total = sum(share.estimate(seed)[1] for seed in range(2000))
    np.testing.assert_allclose(total / 2000, 0.3, atol=0.05)


def test_the_estimate_is_unbiased_with_the_declared_noise(share):
    share.give(0.01 * VALUES)
    scores = np.array([share.estimate(seed)[0] for seed in range(2000)])
    noise = share.estimator.error(20, 0.01 * VALUES.std(ddof=1))
    assert scores.mean() == pytest.approx(0.01 * VALUES.sum(), abs=4 * noise / math.sqrt(2000))
    assert scores.std() == pytest.approx(noise, rel=0.15)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_at_least_one_factor_is_examined(share, count):
    score, times = share.give(np.ones(count)).estimate()
    assert times.sum() == math.ceil(0.3 * count)
    assert score == pytest.approx(count)


def test_the_recorded_change_is_scaled_like_the_score(share):
    score, _ = share.give(VALUES).estimate(listening=1)
    assert share.change == pytest.approx(score)


def test_all_factors_are_the_exact_estimate(share):
    share.give(VALUES)
    share.context.parameters[:] = uniform(1.0).parameters(share.model, 0.0)
    score, times = share.estimate()
    assert times.tolist() == [1] * 20
    assert score == pytest.approx(VALUES.sum())


def test_more_factors_than_cards_are_dealt_in_strata(share, monkeypatch):
    monkeypatch.setattr(chains, "DECK", 4)
    share.give(np.ones(22))
    for seed in range(100):
        score, times = share.estimate(seed)
        assert times.sum() == share.examined == 4
        # equal strata of 5.5 factors: two of them share the factors 5 and 16
        assert set(np.flatnonzero(times > 1)) <= {5, 16}
        strata = [times[low:high].sum() for low, high in ((0, 6), (6, 11), (11, 17), (17, 22))]
        assert max(strata) <= 2
        assert score == pytest.approx(22)
        assert share.tidy()
    seen = sum(share.estimate(seed)[1] for seed in range(2000))
    np.testing.assert_allclose(seen / 2000, 4 / 22, atol=0.05)


# ---- until the interval is narrow


def test_two_factors_are_enough_where_all_are_alike(interval):
    score, times = interval.give(np.full(50, 0.4)).estimate()
    assert times.sum() == interval.examined == 2
    assert score == pytest.approx(20.0)
    assert interval.tidy()


def test_the_interval_decides_when_to_stop(interval):
    interval.give(VALUES)
    for seed in range(50):
        score, times = interval.estimate(seed)
        m = int(times.sum())
        assert times.max() == 1
        assert score == pytest.approx(20 * VALUES[times == 1].mean())
        inside = VALUES[times == 1]
        width = 2 * 1.96 * math.sqrt(inside.var(ddof=1) / m * (20 - m) / 19)
        assert width <= 0.5 + 1e-12
        assert interval.tidy()
    assert m > 2


def test_one_factor_and_none(interval):
    assert interval.give([3.0]).estimate()[0] == 3.0
    assert interval.give([]).estimate()[0] == 0.0


def test_a_listening_learner_sees_what_was_drawn(interval):
    score, times = interval.give(VALUES).estimate(seed=3, listening=1)
    assert interval.change == pytest.approx(score)
    # the second pass is not counted as examined
    assert interval.examined == times.sum() / 2


def test_a_wide_interval_needs_fewer_factors(interval):
    interval.give(VALUES)
    narrow = np.mean([interval.estimate(seed)[1].sum() for seed in range(30)])
    interval.context.parameters[:] = confidence(5.0).parameters(interval.model, 0.0)
    wide = np.mean([interval.estimate(seed)[1].sum() for seed in range(30)])
    assert wide < 0.5 * narrow


# ---- more and more of them


def test_a_schedule_rises_from_few_to_all():
    rising = scheduled(0.1, 1.0, until=0.5)
    shares = [rising.parameters(None, progress)[0] for progress in (0.0, 0.25, 0.5, 0.8, 1.0)]
    assert shares == pytest.approx([0.1, math.sqrt(0.1), 1.0, 1.0, 1.0])
    assert rising.moving


def test_a_chain_is_tuned_along_the_schedule(share):
    rising = scheduled(0.1, 1.0, until=0.5)
    share.give(VALUES)
    found = []
    for progress in (0.0, 0.25, 0.5):
        share.context.parameters[:] = rising.parameters(share.model, progress)
        found.append(int(share.estimate()[1].sum()))
    assert found == [2, math.ceil(math.sqrt(0.1) * 20), 20]
