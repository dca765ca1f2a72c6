"""The benchmark of extraction: scores by the tree, and firings for other tools."""

import pytest

from benchmarks.extract.__main__ import list_firings, time_pass
from benchmarks.extract.addresses import FIELDS, score_labels
from benchmarks.extract.rates import rank_correlation
from papers.ads.data import ADDRESS_PARENTS
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import load_schema


def test_the_fields_are_those_of_the_ready_schema():
    schema = load_schema("us_address")
    assert set(FIELDS.values()) <= set(schema.labels)
    assert set(ADDRESS_PARENTS) <= set(schema.labels)
    assert len(schema.rules) <= 30


def test_weighted_scores():
    truth = ["name", "type", "unit_id", "city"]
    guess = ["type", "pre_type", "unit_type", "state"]
    assert score_labels(truth, truth) == (1.0, 1.0, 1.0)
    assert score_labels(truth, guess) == (0.0, pytest.approx((0.5 + 0.25 + 0.25) / 4), 0.75)


def test_firings_count_tokens_from_the_start_of_their_line():
    schema = load_schema("us_address")
    rules = compile_rules(schema, ["PO Box 7", "12 Oak St, Ames, IA 50010"])
    listed = list_firings(rules)
    assert any(firing[1:] == (1, 5, 6, "zip") for firing in listed)
    assert any(firing[1:] == (0, 0, 2, "box_type") for firing in listed)


def test_a_pass_is_timed():
    assert time_pass(1000, 3, 2, 2) >= 0


def test_rank_correlation():
    assert rank_correlation([1, 2, 3], [10, 20, 40]) == pytest.approx(1.0)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert rank_correlation([1, 1, 2], [1, 1, 2]) == pytest.approx(1.0)
