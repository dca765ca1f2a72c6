"""Scores of labelled tokens, normal and weighted by the tree of fields."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.metrics import score_fields, tree_credit


def test_scores_leave_other_out():
    truth, guess = np.array([0, 0, 1, 2, 2]), np.array([0, 2, 1, 1, 2])
    scores = score_fields(truth, guess, other=2)
    assert scores.accuracy == pytest.approx(3 / 5)
    assert scores.recall == pytest.approx(2 / 3) and scores.precision == pytest.approx(2 / 3)
    assert scores.f1 == pytest.approx(2 / 3) and scores.f2 == pytest.approx(2 / 3)


def test_f2_weighs_recall():
    scores = score_fields(np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1]), other=1)
    assert (scores.recall, scores.precision) == (pytest.approx(1 / 3), 1.0)
    assert scores.f2 == pytest.approx(5 / 3 / (4 + 1 / 3)) and scores.f2 < scores.f1


def test_the_tree_gives_part_of_the_credit():
    labels = ["place", "city", "state", "price"]
    credit = tree_credit(labels, {"city": "place", "state": "place"})
    truth, guess = np.array([1, 1, 1, 1]), np.array([1, 0, 2, 3])
    assert score_fields(truth, guess, credit=credit).accuracy == pytest.approx(1.75 / 4)
    assert score_fields(truth, guess).accuracy == pytest.approx(1 / 4)


def test_unequal_numbers_of_labels_are_named():
    with pytest.raises(InputError, match="2 true and 1 guessed"):
        score_fields(np.array([0, 1]), np.array([0]))
