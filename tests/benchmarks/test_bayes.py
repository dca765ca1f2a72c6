"""The benchmark of the full posterior judges by the truth, and its table has a row for each set."""

import json

import numpy as np
import pytest

from benchmarks import bayes
from benchmarks.peers.sets import prepare_people
from partita.errors import InputError
from partita.linkage.resolve import resolve


def test_scores_of_a_resolution(tmp_path):
    data = prepare_people(150, 1, tmp_path)
    found = resolve(data.path, posterior="quick", seed=0)
    told = bayes.judge(found, data.truth)
    assert told["entities"] == len(set(data.truth.to_pylist()))
    assert told["expected"]["low"] <= told["expected"]["high"]
    assert told["inside"] == (
        told["expected"]["low"] <= told["entities"] <= told["expected"]["high"]
    )
    assert 0 <= told["ece"] <= 1
    assert told["near_pairs"] == int((found.record_pairs.p_same >= 0.01).sum())
    assert all(np.isfinite(value) for value in told["r_hat"].values())


def test_the_last_line_is_json(capsys):
    bayes.main(["--sets", "people", "--n", "120", "--posterior", "quick", "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["name"] for row in told["sets"]] == ["people"]
    assert told["baselines"]["RLdata10000"]["d-blink (published)"]["f1"] == 0.775


def test_unknown_sets_are_named(tmp_path):
    with pytest.raises(InputError, match="no set 'x'"):
        bayes._prepared("x", 10, 0, tmp_path)
