"""Blocks of the entity model: writing a value is as if the model had been built with it."""

import math

import numpy as np
import pytest

from partita.factors import Field, FieldSwap, Model, RatePrior, hit_miss_model
from partita.factors.entity_model.moves import field_score
from partita.states import Partition

PRIOR = RatePrior([8.0, 1.0, 1.0], [0.1, 0.2, 0.7])
CODES = np.array([[0, 0, 1, 2, 1], [1, 2, 0, 0, -1]])
STATE = Partition.of([0, 0, 0, 1, 1])


def model_of(rates, theta, codes=CODES, swaps=()):
    ratios = np.log(np.asarray(rates) / PRIOR.background)
    ratios[0] = math.log(rates[0])
    fields = {
        name: Field(one, [0.5, 0.3, 0.2], ratios, [[0, 1]], [1], theta, prior=PRIOR)
        for name, one in zip("ab", codes, strict=True)
    }
    return Model(hit_miss_model(fields, swaps=swaps))


def test_written_rates_are_those_of_a_model_built_with_them():
    model, other = model_of([0.9, 0.06, 0.04], 10.0), model_of([0.6, 0.3, 0.1], 1.0)
    table, expected = model.tables(STATE)[0], other.tables(STATE)[0]
    before = field_score(table, STATE, 0)
    block = model.templates[0].parameters[0]
    block.write(table, STATE, other.templates[0].parameters[0].read(expected))
    assert field_score(table, STATE, 0) == pytest.approx(field_score(expected, STATE, 0))
    assert field_score(table, STATE, 0) != pytest.approx(before)
    # the second field and the model's own table keep theirs
    assert table.rate[1, 0] == model.templates[0].table.rate[0, 0] == 10.0
    assert block.summary(table)["a.equal"] == pytest.approx(0.6)


def test_written_swaps_are_those_of_values_given_swapped():
    given = model_of([0.9, 0.06, 0.04], 10.0, swaps=[FieldSwap("a", "b", [0] * 5, [0, 3, 4])])
    codes = CODES.copy()
    codes[:, [0, 4]] = codes[::-1, [0, 4]]
    expected = model_of([0.9, 0.06, 0.04], 10.0, codes).tables(STATE)[0]
    table, block = given.tables(STATE)[0], given.templates[0].parameters[0]
    block.write(table, STATE, np.array([1, 0, 1], np.int8))
    for q in range(2):
        assert field_score(table, STATE, q) == pytest.approx(field_score(expected, STATE, q))
    assert block.components == ("a.b 0", "a.b 3", "a.b 4")
    assert block.summary(table) == {"a.b.swapped": pytest.approx(0.4)}
