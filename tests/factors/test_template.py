import numpy as np
import pytest

from partita.errors import InputError
from partita.factors.template import checked_bound, feature_weights, finite
from partita.states import Partition
from partita.states.checks import fits


def test_weights_are_spread_over_features():
    names, weights = feature_weights("t", ["a", "b"], 2.0)
    assert names == ("a", "b")
    assert weights.tolist() == [2.0, 2.0]
    weights[0] = 5.0
    assert weights.tolist() == [5.0, 2.0]
    given = np.array([1.0, 2.0])
    _, own = feature_weights("t", ["a", "b"], given)
    own[0] = 7.0
    assert given.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("features", "weights", "words"),
    [
        ([], 1.0, "no features"),
        (["a", "a"], 1.0, "'a' twice"),
        (["a", "b"], [1.0, 2.0, 3.0], r"2 features and weights of shape \(3,\)"),
        (["a"], float("nan"), "is nan; give finite numbers"),
        (["a", "b"], [1.0, np.inf], "entry 1 is inf; give finite numbers"),
        (["a"], "heavy", "not numbers"),
    ],
)
def test_what_cannot_be_weights(features, weights, words):
    with pytest.raises(InputError, match=words):
        feature_weights("t", features, weights)


def test_finite_names_the_place():
    assert finite([1, 2], "x").dtype == float
    with pytest.raises(InputError, match=r"x: entry \(1, 0\) is -inf"):
        finite([[1.0], [-np.inf]], "x")


def test_fits_compares_sizes():
    check = fits("t", 3)
    assert check(Partition.singletons(3)) is None
    with pytest.raises(InputError, match="t was built for 3 mentions but the start has 2"):
        check(Partition.singletons(2))


def test_bounds_are_positive():
    assert checked_bound(None, "t") is None
    assert checked_bound(2, "t") == 2.0
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="t: the bound is"):
            checked_bound(wrong, "t")
