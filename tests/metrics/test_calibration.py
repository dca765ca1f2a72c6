"""Calibration against a table worked by hand, and the bins at their edges."""

import json
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.metrics import calibration

P = [0.05, 0.15, 0.15, 0.45, 0.55, 0.95, 0.95, 1.00]
SAME = [0, 0, 1, 0, 1, 1, 1, 1]


def test_by_hand():
    result = calibration(P, SAME, bins=5)
    # [0, .2): mean .35/3, observed 1/3; [.4, .6): .5, .5; [.8, 1]: 2.9/3, 1
    table = result.by_width
    assert table.low == pytest.approx([0.0, 0.4, 0.8]) and table.high == pytest.approx(
        [0.2, 0.6, 1]
    )
    assert table.mean_p == pytest.approx([0.35 / 3, 0.5, 2.9 / 3])
    assert table.observed == pytest.approx([1 / 3, 0.5, 1])
    assert table.count.tolist() == [3, 2, 3]
    assert result.ece_width == pytest.approx((0.65 + 0 + 0.1) / 8)
    squares = [0.0025, 0.0225, 0.7225, 0.2025, 0.2025, 0.0025, 0.0025, 0]
    assert result.brier == pytest.approx(sum(squares) / 8)
    told = [0.95, 0.85, 0.15, 0.55, 0.55, 0.95, 0.95, 1]
    assert result.log_loss == pytest.approx(-sum(map(log, told)) / 8)
    assert result.pairs == 8


def test_bins_of_equal_mass_by_hand():
    table = calibration(P, SAME, bins=4).by_mass
    # two pairs each, but the equal .15 and .95 stay together with the first of them
    assert table.count.tolist() == [3, 1, 3, 1]
    assert table.low.tolist() == [0.05, 0.45, 0.55, 1]
    assert table.high.tolist() == [0.15, 0.45, 0.95, 1]
    even = calibration([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], bins=2)
    assert even.by_mass.low == pytest.approx([0.1, 0.3])
    assert even.by_mass.high == pytest.approx([0.2, 0.4])
    assert even.ece_mass == pytest.approx((0.15 + 0.65) / 2)


def test_certain_and_wrong_is_seen():
    # all mass at 0 and 1: bins by quantiles alone would join the two and see no error
    result = calibration([0.0] * 50 + [1.0] * 50, [1] * 50 + [0] * 50)
    assert result.ece_mass == result.ece_width == result.brier == 1
    assert result.log_loss == pytest.approx(-log(np.finfo(float).eps))


def test_edges_belong_to_the_bin_above():
    # 0.29 * 100 rounds to 28.999...
    table = calibration([0.29, 1.0], [0, 1], bins=100).by_width
    assert table.low == pytest.approx([0.29, 0.99])


def test_one_bin_is_the_mean():
    result = calibration(P, SAME, bins=1)
    assert result.ece_width == result.ece_mass == pytest.approx(abs(np.mean(P) - np.mean(SAME)))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.integers(1, 20))
def test_tables(pairs, bins):
    p, same = (np.array(column) for column in zip(*pairs, strict=True))
    result = calibration(p, same, bins)
    for table in (result.by_width, result.by_mass):
        assert table.count.sum() == len(p) and table.count.min() > 0 and len(table.count) <= bins
        assert (table.low <= table.mean_p + 1e-12).all()
        assert (table.mean_p <= table.high + 1e-12).all()
        assert (table.count * table.observed).sum() == pytest.approx(same.sum())
    # equal p are in one bin
    assert (result.by_mass.high[:-1] < result.by_mass.low[1:]).all()
    assert 0 <= result.ece_width <= 1 and 0 <= result.ece_mass <= 1


def test_honest_probabilities():
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    result = calibration(p, rng.random(50_000) < p)
    assert result.ece_width < 0.02 and result.ece_mass < 0.02
    assert result.brier == pytest.approx(1 / 6, abs=0.01)
    assert result.log_loss == pytest.approx(1 / 2, abs=0.01)


def test_as_dict_is_json():
    plain = json.loads(json.dumps(calibration(P, SAME, 5).as_dict(), allow_nan=False))
    assert plain["by_width"]["count"] == [3, 2, 3] and plain["pairs"] == 8


@pytest.mark.parametrize(
    ("p", "same", "bins", "message"),
    [
        ([0.5], [1], 0, "bins is 0; give a whole number"),
        ([0.5], [1], 2.0, "bins is 2.0; give a whole number"),
        ([], [], 5, r"p has the shape \(0,\); give one probability per pair"),
        ([[0.5]], [[1]], 5, r"p has the shape \(1, 1\)"),
        ([0.5, 0.5], [1], 5, r"p has the shape \(2,\) and same \(1,\); give one of each"),
        ([0.5, 1.5], [1, 1], 5, "p is 1.5 at 1; give probabilities between 0 and 1"),
        ([0.5, np.nan], [1, 1], 5, "p is nan at 1"),
        ([0.5, 0.5], [1, 2], 5, "same is .*2.* at 1; give True or False"),
        ([0.5, 0.5], [1, np.nan], 5, "same is .*nan.* at 1"),
        ([0.5, 0.5], ["a", "b"], 5, "same is .*a.* at 0"),
    ],
)
def test_refused(p, same, bins, message):
    with pytest.raises(InputError, match=message):
        calibration(p, same, bins)
