import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import interpreted
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    fit_choices,
)


def make(features, start, right):
    return Choices(
        np.array(features, np.int32), np.array(start, np.int64), np.array(right, np.uint8)
    )


def test_the_right_feature_wins():
    choices = make([[1, 0], [2, 0], [1, 3], [2, 3]], [0, 2, 4], [1, 0, 1, 0])
    weights = fit_choices(choices, 4, ChoiceSettings(epochs=20))
    p = choose_probabilities(choices.features, choices.start, weights)
    assert p[0] > 0.8 and p[2] > 0.8 and p[0] + p[1] == pytest.approx(1.0)
    assert weights[0] == 0.0


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_the_share_of_right_options_is_learned():
    rng = np.random.default_rng(0)
    n = 2000
    features = np.tile([[1], [2]], (n, 1))
    first = rng.random(n) < 0.7
    right = np.stack([first, ~first], 1).reshape(-1)
    choices = make(features, np.arange(0, 2 * n + 1, 2), right)
    weights = fit_choices(choices, 3, ChoiceSettings(epochs=10, l2=0.0))
    p = choose_probabilities(choices.features[:2], np.array([0, 2]), weights)
    assert p[0] == pytest.approx(0.7, abs=0.04)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (make([[1]], [0, 1], [0]), "no choice has a right option"),
        (make([[1]], [0, 1, 1], [1]), "no options"),
        (make([[9]], [0, 1], [1]), "outside"),
    ],
)
def test_bad_choices_are_refused(choices, sentence):
    with pytest.raises(InputError, match=sentence):
        fit_choices(choices, 4)
