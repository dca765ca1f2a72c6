"""Related pairs: the formula, and that they are found where they are, and only there."""

import math

import numpy as np
import pytest

from partita.metrics import evaluate
from partita.resolution.pipeline import resolve
from partita.resolution.related import Related, _telling, relief, table_of
from partita.synthetic import Population
from tests.resolution.made import persons

U = [np.array([0.1, 0.9]), np.array([0.05, 0.15, 0.8])]
R = [np.array([0.95, 0.05]), np.array([0.1, 0.2, 0.7])]


def test_relief_is_its_formula():
    rng = np.random.default_rng(1)
    levels = np.stack([rng.integers(-1, 2, 50), rng.integers(-1, 3, 50)], 1).astype(np.int8)
    rarity = rng.normal(size=50)
    related = Related(R, 0.03)
    for found, row, rare in zip(relief(related, U, levels, rarity), levels, rarity, strict=True):
        product = math.exp(rare)
        for q, level in enumerate(row):
            product *= 1.0 if level < 0 else R[q][level] / U[q][level]
        assert found == pytest.approx(-math.log(1 + 0.03 * product))


def test_missing_values_say_nothing():
    table = table_of(R, U)
    assert table.shape == (2, 4)
    assert (table[:, 0] == 0).all()
    np.testing.assert_allclose(table[0, 1:3], np.log(R[0] / U[0]))


def test_columns_tell_where_relatives_differ_as_strangers_do():
    m = [np.array([0.9, 0.1]), np.array([0.8, 0.1, 0.1])]
    assert _telling(m, U, U) == 2
    assert _telling(m, m, U) == 0
    assert _telling(U, U, U) == 0


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [4, 6])
def test_households_are_told_from_persons(seed):
    table, truth = persons(3000, seed)
    found = resolve(table, seed=1)
    assert found.pair_model.related is not None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [4, 6])
def test_without_households_there_are_no_relatives(seed):
    table, truth = persons(3000, seed, population=Population(household=0.0))
    found = resolve(table, seed=1)
    assert found.pair_model.related is None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95
