"""The benchmark of extraction: scores by the tree, and firings for other tools."""

import pytest

from benchmarks.extract.__main__ import LEAF_ROW, describe_limit, time_pass
from benchmarks.extract.addresses import FIELDS, refine_truth, score_labels
from benchmarks.extract.rates import rank_correlation
from benchmarks.extract.running import list_firings
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


def test_a_tool_without_an_error_has_half_the_credit_for_the_parts_of_whole_streets():
    truth = ["number", "name", "name", "name", "city"]
    leaves = ["number", "pre_direction", "name", "type", "name"]
    refined = refine_truth(truth, leaves)
    assert refined == ["number", "pre_direction", "name", "type", "city"]
    assert score_labels(truth, refined) == (0.6, pytest.approx(0.8), 1.0)
    # where the truth has the parts of streets, it is the truth at the leaves
    assert refine_truth([*truth, "type"], [*leaves, "type"]) == [*truth, "type"]


def test_the_limit_at_the_leaves_is_described():
    rows = [{"tool": name, "us50_test top": 0.97} for name in ("partita, tree", "usaddress")]
    limit = {"tool": LEAF_ROW, "us50_test weighted": 0.899}
    assert "has 0.899 weighted" in describe_limit([*rows, limit])
    assert "needs usaddress" in describe_limit(rows[:1])
