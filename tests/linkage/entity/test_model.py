"""The entity model's priors against their formulas, written out."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from partita.linkage.entity import model as entities
from partita.linkage.entity.model import (
    GEOMETRIC_SHARE,
    _ratios,
    count_entities,
    list_mergeable_values,
    size_scores,
)
from partita.states import Partition


def naive_scores(labels):
    """log f(n) + log n! + log E of each size, above n entities of one record."""
    n, sizes = len(labels), np.unique(labels, return_counts=True)[1]
    entities = len(sizes)
    p = min(0.98, max(0.02, (n - entities) / n))
    prior = GEOMETRIC_SHARE * entities + 1.0

    def log_f(size):
        shown = int((sizes == size).sum())
        return math.log((shown + prior * (1 - p) * p ** (size - 1)) / (entities + prior))

    def score(size):
        return log_f(size) + math.log(math.factorial(size)) + math.log(entities)

    return [0.0] + [score(size) - size * score(1) for size in range(1, n + 1)]


@pytest.mark.parametrize(
    "labels", [[0, 0, 1, 2, 2, 2, 3], [0, 1, 2, 3], [0, 0, 0, 0, 0], [0]], ids=str
)
def test_sizes_score_as_the_formula_says(labels):
    found = size_scores(Partition.of(labels))
    np.testing.assert_allclose(found, naive_scores(labels), atol=1e-9)
    assert found[1] == pytest.approx(0.0)


def test_values_are_counted_once_for_an_entity():
    start = Partition.of([0, 0, 0, 1, 2])
    column = SimpleNamespace(codes=np.array([1, 1, 0, 1, -1]), values=["a", "b", "c"])
    assert count_entities(column, start).tolist() == [1, 2, 0]


def test_a_column_without_values_is_no_field():
    columns = [
        SimpleNamespace(codes=np.array([0, 1]), values=["a", "b"]),
        SimpleNamespace(codes=np.array([-1, -1]), values=[]),
    ]
    rates = np.array([0.9, 0.1])
    pair_model = SimpleNamespace(
        names=["name", "email"],
        m=[rates] * 2,
        u=[rates[::-1]] * 2,
        common=[0.1] * 2,
        comparisons=[SimpleNamespace(term_frequency_adjustments=True)] * 2,
    )
    levels = np.array([[1, -1]], np.int8)
    start = Partition.of([0, 1])
    fields = entities.entity_fields(columns, [[0, 1]], levels, pair_model, start, np.arange(2))
    assert list(fields) == ["name"]


def test_one_record_errs_half_as_often_as_two():
    m, u = np.array([0.8, 0.15, 0.05]), np.array([0.01, 0.09, 0.9])
    found = _ratios(m, u)
    assert found[0] == pytest.approx(math.log(0.9))
    np.testing.assert_allclose(found[1:], np.log(m[1:] / 2 / u[1:]))


def test_values_meet_in_a_cluster_and_across_a_link(monkeypatch):
    monkeypatch.setattr(entities, "FEW_VALUES", 2)
    codes, labels = np.array([0, 1, 2, 3, 2, -1]), np.array([0, 0, 1, 2, 1, 2])
    found = {
        tuple(sorted(pair)) for pair in list_mergeable_values(codes, labels, np.array([[1, 4]]))
    }
    assert found == {(0, 1), (0, 2), (1, 2)}
    assert not len(list_mergeable_values(np.full(3, -1), np.arange(3), np.zeros((0, 2), np.int64)))


def test_few_values_meet_all_of_them():
    codes, labels = np.array([4, 1, -1, 4]), np.arange(4)
    assert list_mergeable_values(codes, labels, np.zeros((0, 2), np.int64)).tolist() == [[1, 0]]
