"""The search by grams is made for all records, or for some where values find nearly all."""

import numpy as np
import pytest

from partita.blocking import nearest as module
from partita.blocking.candidates import candidates, report
from partita.blocking.nearest import Task, nearest
from tests.blocking.test_candidates import people

EVERYONE = Task(np.empty(0, np.int32), 8, 1000, 0, 1)


@pytest.fixture
def asking(monkeypatch):
    """Records are asked from a hundred on, and a few near pairs are enough to tell."""
    monkeypatch.setattr(module, "MANY", 100)
    monkeypatch.setattr(module, "ASKED", 40)
    monkeypatch.setattr(module, "LEAST_NEAR", 5)
    return monkeypatch


def silent(share):
    pass


def test_few_records_are_not_asked():
    columns, _ = people(120)
    found = nearest(columns, EVERYONE, silent)
    assert found.asked is None
    assert found.messages == ("", "")
    assert [near.shape for _, near in found.parts] == [(240, 8), (240, 8)]


def test_grams_are_left_to_those_asked_where_values_find_enough(asking):
    columns, _ = people(120, errors=0.1)
    whole = nearest(columns, EVERYONE._replace(cores=2), silent)
    asking.setattr(module, "MISSED", 1.0)
    found = nearest(columns, EVERYONE, silent)
    assert found.asked.tolist() == list(range(0, 240, 6))
    records, near = found.parts[1]
    assert records.tolist() == found.asked.tolist()
    assert "grams were searched for 40 records only: values find" in found.messages[1]
    # what is found for them is what a search for all finds
    asking.setattr(module, "MISSED", -1.0)
    everyone = nearest(columns, EVERYONE, silent)
    assert everyone.asked is None
    assert np.array_equal(everyone.parts[1][1][records], near)
    assert np.array_equal(found.parts[0][1], everyone.parts[0][1])
    assert np.array_equal(whole.parts[0][1], everyone.parts[0][1])


def test_grams_are_searched_for_all_where_values_miss_much(asking):
    # an error in every column: no value is shared
    columns, _ = people(120, errors=1.0)
    found = nearest(columns, EVERYONE, silent)
    assert found.asked is None
    assert found.parts[1][0].size == 240


def test_too_few_near_pairs_tell_nothing(asking):
    asking.setattr(module, "LEAST_NEAR", 10_000)
    asking.setattr(module, "MISSED", 0.99)
    columns, _ = people(120, errors=0.1)
    assert nearest(columns, EVERYONE, silent).asked is None


def test_what_is_kept_is_estimated_from_those_asked(asking):
    asking.setattr(module, "MISSED", 1.0)
    columns, truth = people(150, errors=0.2)
    found = candidates(columns, k=8)
    assert found.asked.size == 43
    assert [row.rule for row in report(found)] == ["values", "grams"]
    assert "grams were searched for 43 records only" in report(found)[1].message
    kept = found.kept(truth[found.pairs[:, 0]] == truth[found.pairs[:, 1]])
    assert 0.9 < kept.records <= 1.0
    asking.setattr(module, "MISSED", -1.0)
    both = candidates(columns, k=8)
    assert both.asked is None
    assert abs(both.kept(truth[both.pairs[:, 0]] == truth[both.pairs[:, 1]]).records - 1) < 0.1
