"""The comparison of HCOREF: one score in two ways, fair accounts, claims that can fail."""

import json

import numpy as np
import pytest

from papers.hcoref import course, data, flat, report
from papers.hcoref.lazy import lazy_pairwise
from papers.hcoref.learned import Learned, climbed
from papers.hcoref.methods import LAZY, METHODS
from partita import Partition
from partita.estimators import exact
from partita.proposals import move_to_entity
from partita.scale import aggregated_pairwise, local, plan, scratch
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
    for scheme in (
        lazy_pairwise(words, WEIGHTS, 1.5),
        aggregated_pairwise(words, WEIGHTS, cost=1.5),
    ):
        model = scheme.model(chunk)
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
    assert [one["holds"] for one in report.claims(rows, [], [])] == ["yes", "yes"]
    for row in rows:
        row.update({"to_90%": 20.0, "over_lazy": 3.0})
    assert [one["holds"] for one in report.claims(rows, [], [])] == ["no", "no"]
    threads = [{"digest": 1, "wall": 4.0, "threads": 1}, {"digest": 2, "wall": 3.0, "threads": 2}]
    assert [one["holds"] for one in report.claims([], [], threads)] == ["no", "no"]


def test_cost_by_size():
    rows = flat.costs(KNOWN, 0, (10, 30))
    assert len(rows) == 6
    assert all(row["nanoseconds"] > 0 and row["accepted"] < 0.2 for row in rows)


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
    top = climbed(lambda at: -((at["a"] - 1.6) ** 2) - at["b"] ** 2, {"a": 0.0, "b": 0.8})
    assert top == pytest.approx({"a": 1.6, "b": 0.0})


def test_a_course_is_plain_json(courses):
    told = json.dumps([vars(one) for one in courses], allow_nan=False)
    assert course.Course(**json.loads(told)[0]) == courses[0]
