"""Chains with and without split-merge moves sample the same model and differ in cost."""

import pytest

from benchmarks import mixing
from benchmarks.peers.sets import prepare_people


def test_every_share_samples_the_same_model(tmp_path):
    data = prepare_people(120, 1, tmp_path)
    name, problem, model, start = next(mixing.problems(data, 0))
    assert name == "pairs"
    rows = [
        mixing.mixing(problem, model, start, share, mixing.Effort(60, 20), 1)
        for share in (0.0, 0.3)
    ]
    means = [row["entities"]["mean"] for row in rows]
    assert means[0] == pytest.approx(means[1], abs=3.0)
    assert rows[1]["accepted"]["split_merge_neighbour"] > 0
    assert rows[0]["splits"] == 0.0


def test_unknown_sets_are_named():
    with pytest.raises(SystemExit, match="no set 'x'"):
        mixing.main(["--sets", "x"])
