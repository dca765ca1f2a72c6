"""The n-gram search runs for all records, or for a sample where exact values find enough."""

import numpy as np
import pytest

from partita.blocking import nearest as module
from partita.blocking.candidates import find_candidates, summarise_blocking
from partita.blocking.nearest import SearchSettings, find_neighbours
from tests.blocking.test_candidates import people

EVERYONE = SearchSettings(np.empty(0, np.int32), 8, 1000, 0, 1)


@pytest.fixture
def small_sample(monkeypatch):
    """A sample of 40 decides from 100 records on, and a few near pairs suffice."""
    monkeypatch.setattr(module, "SAMPLE_ABOVE", 100)
    monkeypatch.setattr(module, "SAMPLE_RECORDS", 40)
    monkeypatch.setattr(module, "MIN_NEAR_PAIRS", 5)
    return monkeypatch


def silent(share):
    pass


def test_few_records_are_not_sampled():
    columns, _ = people(120)
    neighbours = find_neighbours(columns, {}, EVERYONE, silent)
    assert neighbours.sampled is None
    assert neighbours.messages == ("", "")
    assert [near.shape for _, near in neighbours.lists] == [(240, 8), (240, 8)]


def test_ngrams_run_for_a_sample_where_exact_values_find_enough(small_sample):
    columns, _ = people(120, errors=0.1)
    whole = find_neighbours(columns, {}, EVERYONE._replace(cores=2), silent)
    small_sample.setattr(module, "MAX_MISSED", 1.0)
    neighbours = find_neighbours(columns, {}, EVERYONE, silent)
    assert neighbours.sampled.tolist() == list(range(0, 240, 6))
    records, near = neighbours.lists[1]
    assert records.tolist() == neighbours.sampled.tolist()
    assert "sample of 40 records only: exact values find" in neighbours.messages[1]
    # a search for all finds the same neighbours
    small_sample.setattr(module, "MAX_MISSED", -1.0)
    everyone = find_neighbours(columns, {}, EVERYONE, silent)
    assert everyone.sampled is None
    assert np.array_equal(everyone.lists[1][1][records], near)
    assert np.array_equal(neighbours.lists[0][1], everyone.lists[0][1])
    assert np.array_equal(whole.lists[0][1], everyone.lists[0][1])


def test_ngrams_run_for_all_where_exact_values_miss_much(small_sample):
    # an error in every column: no value is shared
    columns, _ = people(120, errors=1.0)
    neighbours = find_neighbours(columns, {}, EVERYONE, silent)
    assert neighbours.sampled is None
    assert neighbours.lists[1][0].size == 240


def test_too_few_near_pairs_decide_nothing(small_sample):
    small_sample.setattr(module, "MIN_NEAR_PAIRS", 10_000)
    small_sample.setattr(module, "MAX_MISSED", 0.99)
    columns, _ = people(120, errors=0.1)
    assert find_neighbours(columns, {}, EVERYONE, silent).sampled is None


def test_completeness_is_estimated_from_the_sample(small_sample):
    small_sample.setattr(module, "MAX_MISSED", 1.0)
    columns, truth = people(150, errors=0.2)
    candidates = find_candidates(columns, k=8)
    assert candidates.sampled.size == 43
    assert [row.rule for row in summarise_blocking(candidates)] == ["exact values", "n-grams"]
    assert "sample of 43 records only" in summarise_blocking(candidates)[1].message
    share = candidates.estimate_completeness(
        truth[candidates.pairs[:, 0]] == truth[candidates.pairs[:, 1]]
    )
    assert 0.9 < share.records <= 1.0
    small_sample.setattr(module, "MAX_MISSED", -1.0)
    both = find_candidates(columns, k=8)
    assert both.sampled is None
    share = both.estimate_completeness(truth[both.pairs[:, 0]] == truth[both.pairs[:, 1]])
    assert abs(share.records - 1) < 0.1
