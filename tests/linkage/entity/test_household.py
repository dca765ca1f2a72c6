"""Households: values that a household shares are frequent in it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from partita.linkage.entity.household import find_households, list_linked_pairs, lowest_cost
from partita.linkage.pairwise.household import HouseholdClass
from partita.states import Partition

R, ODDS = [np.array([0.8, 0.2]), np.array([0.01, 0.99])], 0.001
PHI = [np.array([0.001, 0.5]), np.array([0.002, 0.002, 0.5])]
# records 0, 1 and 2 share a street, 0 and 1 the name as well; 3 is missing one; 4 shares nothing
CODES = [np.array([0, 0, 0, -1, 1]), np.array([0, 0, 1, 1, 2])]


def levels(pairs):
    found = np.ones((len(pairs), 2), np.int8)
    for q, codes in enumerate(CODES):
        one, two = codes[np.asarray(pairs)].T
        found[:, q] = np.where((one < 0) | (two < 0), -1, (one != two).astype(int))
    return found


def scored(household=True, pairs=((0, 1), (0, 2), (2, 3), (3, 4))):
    model = SimpleNamespace(
        household=HouseholdClass(R, ODDS) if household else None,
        u=[np.array([0.001, 0.999]), np.array([0.002, 0.998])],
    )
    return SimpleNamespace(
        n=5,
        model=model,
        pairs=np.array(pairs),
        scores=SimpleNamespace(levels=levels(pairs)),
        comparisons=SimpleNamespace(levels=levels),
    )


def households(labels, **given):
    columns = [SimpleNamespace(codes=codes) for codes in CODES]
    return find_households(columns, PHI, scored(**given), Partition.of(np.array(labels)))


def test_none_without_relatives():
    assert households([0, 1, 2, 3, 4], household=False) is None


def test_shared_values_are_as_frequent_as_relatives_share_them():
    found = households([0, 0, 1, 2, 3])
    # 0 and 1: 0.8 / 0.001 times 0.01 / 0.002 is more than odds of 0.001 against it; 0 and 2: not
    np.testing.assert_allclose(np.exp(found.own[0][:3]), [0.8, 0.8, 0.001])
    assert found.own[0][4] == pytest.approx(math.log(0.5))
    np.testing.assert_allclose(found.cost, np.log([ODDS, ODDS, 1, 1, 1]))
    np.testing.assert_allclose(np.exp(found.own[1]), [0.01, 0.01, 0.002, 0.002, 0.5])


def test_an_entity_pays_once_however_many_records_it_has():
    cost = np.log([ODDS, ODDS, 1.0])
    assert lowest_cost(cost, np.array([2])) == 0.0
    assert (
        lowest_cost(cost, np.array([2, 0, 1])) == lowest_cost(cost, np.array([1])) == math.log(ODDS)
    )
    template = households([0, 1, 2, 3, 4]).template(np.array([0, 2]))
    assert template.name == "household"


def test_records_are_compared_with_the_first_of_linked_clusters():
    labels = np.array([0, 0, 1, 1, 2])
    found = list_linked_pairs(np.array([[1, 3], [0, 1]]), labels)
    assert sorted(map(tuple, found.tolist())) == [(0, 2), (1, 2), (2, 0), (3, 0)]
