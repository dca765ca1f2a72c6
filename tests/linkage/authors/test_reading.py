"""`resolve` reads a mention file by names and contents, and gives probabilities."""

import json

import numpy as np
import pytest

from partita import resolve
from partita.errors import InputError
from partita.metrics import pairwise
from partita.synthetic import authors
from tests.linkage.authors.test_detection import whole_names

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

BRIEF = {"seed": 1, "threads": 1, "draws": 20}


@pytest.fixture(scope="module")
def mentions():
    return authors(600, seed=3).table().drop_columns(["mention_id"])


@pytest.fixture(scope="module")
def result(mentions):
    return resolve(mentions, ignore="author", **BRIEF)


def test_mentions_find_more_of_their_entities_than_records(mentions, result):
    truth = mentions.column("author").to_numpy()
    as_records = resolve(mentions, ignore="author", mentions="off", **BRIEF)
    assert pairwise(result.labels, truth).recall > pairwise(as_records.labels, truth).recall
    assert pairwise(result.labels, truth).f1 > 0.6


def test_the_result_has_all_probabilities(result):
    assert ((result.p_member >= 0) & (result.p_member <= 1)).all()
    assert ((result.p_cluster >= 0) & (result.p_cluster <= 1)).all()
    p = result.record_pairs.p_same
    assert ((p >= 0) & (p <= 1)).all()
    assert result.pairs().num_rows == p.size
    assert {"cluster_id", "p_member", "p_cluster"} <= set(result.table().column_names)


def test_the_summary_names_the_reading_and_its_flag(result):
    summary = result.summary()
    assert "author mentions" in summary["why_reading"]
    assert "--mentions off" in summary["why_reading"]
    json.dumps(summary)


def test_the_range_is_wide_and_the_result_is_not_trusted(result):
    _, low, high = result.entity_count
    assert low < result.labels.max() + 1 < high <= result.records.n
    assert result.trust.level == "disagree"


def test_explains_a_pair_of_equal_names(result):
    left, right = result.scored.pairs[np.argmax(result.scored.scores.total)]
    rows = result.prepared.numbering.wide
    assert str(result.explain(*result.names.take([rows[left], rows[right]]).to_pylist()))


def test_writes_a_report(result, tmp_path):
    assert result.report(tmp_path / "report.html").stat().st_size > 0


def test_same_seed_same_result(mentions, result):
    again = resolve(mentions, ignore="author", **BRIEF)
    assert np.array_equal(again.labels, result.labels)
    assert np.array_equal(again.p_member, result.p_member)


def test_off_and_settings_of_columns_exclude_the_reading():
    table = whole_names(400)
    for settings in ({"mentions": "off"}, {"model": "entities"}, {"rules": [["venue"]]}):
        assert "mentions:" not in resolve(table, **BRIEF, **settings).why_model


def test_refuses_an_unknown_value():
    with pytest.raises(InputError, match="mentions is 'yes'; give one of auto, off"):
        resolve(whole_names(40), mentions="yes")


def test_authors_of_one_paper_with_one_last_name_are_two_records():
    """The parts of a name are columns, and the list of authors includes the mentioned one."""
    rng = np.random.default_rng(2)
    firsts, lasts = ("ann", "bob", "carl", "dora", "eve", "finn"), ("lee", "orr", "zimmer")
    persons = [(first, last) for first in firsts for last in lasts]
    papers = [[0, 3, 4], *(rng.choice(len(persons), 3, replace=False) for _ in range(40))]
    rows = []
    for number, paper in enumerate(papers):
        authors = [persons[place] for place in paper]
        names = "; ".join(" ".join(author) for author in authors)
        title = f"study {number} of topic {number % 7} in field {number % 5}"
        rows += [
            {"first_name": first, "last_name": last, "authors": names, "title": title}
            for first, last in authors
        ]
    found = resolve(rows, **BRIEF)
    assert found.reading.name == "mentions"
    assert found.prepared.n == len(rows)
    assert found.p_same(0, 1) < 0.5
