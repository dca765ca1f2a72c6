"""The benchmark of links: its generated task, and its table."""

import json

import pytest

from benchmarks.link import LinkTask, load_people, main, measure_rapidfuzz

pytestmark = pytest.mark.compiled


def test_generated_people_are_linked(capsys):
    main(["--sets", "", "--people", "300", "--json"])
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]
    assert rows[0]["accuracy"] > 0.9
    assert rows[0]["ece"] < 0.1


def test_some_generated_people_are_not_in_the_master():
    truth = load_people(300).truth
    assert 0.05 < sum(one is None for one in truth) / len(truth) < 0.6


def test_a_peer_has_the_best_threshold():
    task = LinkTask(
        [{"name": "ann lee"}, {"name": "zzzz"}], [{"id": 1, "name": "Ann Lee"}], ["1", None]
    )
    pytest.importorskip("rapidfuzz")
    assert measure_rapidfuzz(task)["accuracy"] == 1.0
