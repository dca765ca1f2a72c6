import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import interpreted
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    cross_fit_choices,
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


def test_a_fold_is_judged_by_the_other_folds():
    choices = make([[1], [2]] * 4, [0, 2, 4, 6, 8], [1, 0, 1, 0, 0, 1, 0, 1])
    settings = ChoiceSettings(epochs=5)
    mean, left_out = cross_fit_choices(choices, np.array([0, 0, 1, 1]), 3, settings)
    parts = [
        fit_choices(choices._replace(right=choices.right * own), 3, settings)
        for own in np.repeat(np.array([[1, 0], [0, 1]], np.uint8), 4, 1)
    ]
    assert mean == pytest.approx(np.mean(parts, 0))
    # the folds disagree, so each one's right options are unlikely by the other
    assert left_out[choices.right > 0].max() < 0.5
    one, alone = cross_fit_choices(choices, np.zeros(4, np.int64), 3, settings)
    assert one.tolist() == fit_choices(choices, 3, settings).tolist()
    assert alone == pytest.approx(choose_probabilities(choices.features, choices.start, one))


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
