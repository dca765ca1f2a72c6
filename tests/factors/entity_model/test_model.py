"""The urn: evidence counted once, missing values neutral."""

import math

import numpy as np
import pytest

from partita.estimators import exact
from partita.factors import Field, Model, hit_miss_model
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.walks import compile_chain, total_score

PHI = np.array([0.5, 0.3, 0.2])
RATIOS = np.array([math.log(0.9), 1.0, -2.0])


def score(codes, labels, concentration=3.0, **more):
    field = Field(codes, PHI, RATIOS, [[0, 1]], [1], concentration, **more)
    model = Model(hit_miss_model({"name": field}))
    compiled = compile_chain(model, move_to_entity(), exact())
    return total_score(model, exact(), compiled, Partition.of(labels))


def test_two_equal_values_by_hand():
    weight = 3.0 * 0.9
    product = math.log(0.5) + math.log(weight) + math.log(weight + 1.0)
    by_hand = product - math.log(3.0 * 4.0) - 2.0 * math.log(0.5)
    assert score([0, 0], [0, 0]) == pytest.approx(by_hand)


def test_missing_values_are_neutral():
    assert score([0, -1, -1], [0, 0, 0]) == 0.0
    assert score([0, 0, -1], [0, 0, 0]) == pytest.approx(score([0, 0], [0, 0]))


def test_a_variant_is_paid_for_once_and_then_copied():
    once = score([0, 0, 0, 2], [0] * 4) - score([0, 0, 0], [0] * 3)
    twice = score([0, 0, 0, 2, 2], [0] * 5) - score([0, 0, 0, 2], [0] * 4)
    assert once < 0 < twice


def test_alike_values_score_above_unlike_ones():
    assert score([0, 1], [0, 0]) > score([0, 2], [0, 0])


def test_values_that_are_alike_for_another_reason_say_less():
    plain = score([0, 1], [0, 0])
    assert score([0, 1], [0, 0], conditional_u=[0.0]) == plain
    assert (
        plain
        > score([0, 1], [0, 0], conditional_u=[0.5])
        > score([0, 1], [0, 0], conditional_u=[1.5])
    )
