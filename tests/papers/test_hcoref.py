"""The comparison of HCOREF: one score in two ways, fair accounts, claims that can fail."""

import json
from dataclasses import replace

import numpy as np
import pytest

from papers.hcoref import course, data, flat, report
from papers.hcoref.lazy import lazy_pairwise
from papers.hcoref.learned import Learned, Stride, climbed, learn
from papers.hcoref.methods import AS_PAPER, LAZY, METHODS
from papers.hcoref.trees import BY_HAND, pair_trees
from partita import Partition
from partita.estimators import exact
from partita.proposals import move_to_entity
from partita.scale import aggregated_pairwise, local, plan, scratch
from partita.states import Forest
from partita.walks import compile_chain, total_score
from tests.scale.cases import CONCENTRATION, WEIGHTS

KNOWN = Learned(WEIGHTS, -2.0, CONCENTRATION, 0.0)
FLAT = (LAZY, "aggregated pairwise, moves of the paper", "Dirichlet-multinomial")


@pytest.fixture(scope="module")
def case():
    return data.made(2000, 5)


def test_lazy_and_aggregated_scores_are_one(case):
    chunk = local(case.mentions, plan(case.mentions, 60)[0], scratch(case.mentions))
    words, labels = case.mentions.vocabulary, case.truth[: chunk.size] % 5
    scores = []
    for method in (
        lazy_pairwise(words, WEIGHTS, 1.5),
        aggregated_pairwise(words, WEIGHTS, cost=1.5),
    ):
        model = method.model(chunk)
        compiled = compile_chain(model, move_to_entity(), exact())
        scores.append(total_score(model, exact(), compiled, Partition.of(labels)))
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)


@pytest.fixture(scope="module")
def courses(case):
    methods = [one for one in METHODS if one.name in FLAT]
    return [course.follow(case, method, KNOWN, 0, most=1.0) for method in methods]


def test_courses_rise_and_end(courses):
    for one in courses:
        assert one.f1[-1] > 0.7
        assert all(np.diff(one.seconds) >= 0)
        assert one.peak > 10
        assert len(one.seconds) == len(one.f1) == len(one.recall)


def test_rows_and_claims_follow_the_courses(courses):
    rows = report.rows(courses)
    assert [row["method"] for row in rows] == list(FLAT)
    for row, size in zip(rows, (145_000,) * 3, strict=True):
        row.update({"mentions": size, "to_90%": 2.0, "over_lazy": 30.0})
    assert [one["holds"] for one in report.claims(rows, [])] == ["yes", "yes"]
    for row in rows:
        row.update({"to_90%": 20.0, "over_lazy": 3.0})
    assert [one["holds"] for one in report.claims(rows, [])] == ["no", "no"]


def test_cost_by_size():
    rows = flat.costs(KNOWN, 0, (10, 30))
    assert len(rows) == 8
    assert all(row["nanoseconds"] > 0 and row["accepted"] < 0.2 for row in rows)
    assert [row["size"] for row in rows if row["method"] == flat.READING] == [10, 30]


def test_a_case_survives_its_files(case, tmp_path):
    data.save(case, tmp_path)
    again = data.load(tmp_path)
    assert np.array_equal(case.mentions.key, again.mentions.key)
    assert np.array_equal(case.truth, again.truth)
    assert np.array_equal(case.mentions.vocabulary.mass, again.mentions.vocabulary.mass)


def test_development_is_a_sample_of_all_sizes():
    part = data.development(4000, 0, 1000)
    assert 500 < part.mentions.size < 2000
    assert part.truth.size == part.mentions.size
    assert np.diff(part.mentions.canopy).max() > 20


def test_climbing_finds_the_top():
    def quality(at):
        return -((at["a"] - 1.6) ** 2) - at["b"] ** 2

    top = climbed(quality, {"a": 0.0, "b": 0.8}, Stride(0.8, 0.4, 1e-4))
    assert top == pytest.approx({"a": 1.6, "b": 0.0})
    # what the first axis has to give shows only once the second is right
    later = climbed(
        lambda at: -abs(at["a"] - 1.6) + (at["b"] >= 0.8) * (at["a"] >= 1.6),
        {"b": 0.0, "a": 0.0},
        Stride(0.8, 0.8, 1e-4),
    )
    assert later == pytest.approx({"a": 1.6, "b": 0.8})


def test_trees_over_pairs_score_what_pairs_do(case):
    chunk = local(case.mentions, plan(case.mentions, 60)[0], scratch(case.mentions))
    words, labels = case.mentions.vocabulary, case.truth[: chunk.size] % 5
    flat_model = aggregated_pairwise(words, WEIGHTS, cost=1.5).model(chunk)
    compiled = compile_chain(flat_model, move_to_entity(), exact())
    flat_score = total_score(flat_model, exact(), compiled, Partition.of(labels))
    method = pair_trees(words, WEIGHTS, 1.5)
    model = method.model(chunk)
    compiled = compile_chain(model, method.proposal(chunk), exact())
    forest = Forest.of(labels, canopies=chunk.canopies.canopy)
    found = total_score(model, exact(), compiled, forest)
    widths = np.bincount(labels)
    widths = widths[widths > 1]
    # the only other factor: every node likes to have eight children
    shape = (1.0 / (np.abs(widths - 8) + 1.0)).sum()
    assert found == pytest.approx(flat_score + shape, rel=1e-9)


TREES = [one for one in METHODS if one.name.startswith("trees")]


@pytest.mark.parametrize("method", TREES, ids=lambda one: one.name)
def test_trees_find_entities(case, method):
    known = replace(KNOWN, trees={"paper": BY_HAND, "true": BY_HAND})
    found = course.follow(case, method, known, 0)
    assert found.stopped == "settled"
    assert found.precision[-1] > 0.9
    assert found.recall[-1] > (0.2 if method.name != TREES[-1].name else 0.7)


def test_a_method_stops_when_its_budget_is_spent(case):
    method = next(one for one in METHODS if one.name == AS_PAPER)
    found = course.follow(case, method, KNOWN, 0, most=0.0)
    assert found.stopped == "after 0 CPU s"
    assert len(found.f1) == 2


def test_weights_of_trees_are_learned_and_help(monkeypatch):
    monkeypatch.setattr("papers.hcoref.learned.TREE_SIZES", {"paper": 600})
    monkeypatch.setattr("papers.hcoref.learned.BY_WEIGHT", Stride(4.0, 4.0, 1e-2))
    part = data.development(4000, 0, 1500)
    known = learn(part, 0, ["paper"])
    assert set(known.trees) == {"paper"}
    assert known.trees["paper"] != BY_HAND
    method = next(one for one in METHODS if one.trees == "paper")
    by_hand = replace(known, trees={"paper": dict(BY_HAND)})
    other = data.made(4000, 11)
    learned, printed = (course.follow(other, method, one, 0).f1[-1] for one in (known, by_hand))
    assert learned > printed


def test_a_course_is_plain_json(courses):
    told = json.dumps([vars(one) for one in courses], allow_nan=False)
    assert course.Course(**json.loads(told)[0]) == courses[0]
