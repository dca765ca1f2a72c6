"""`partita block`."""

import pytest

from partita.synthetic import people
from tests.cli.running import run, told


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("block") / "people.csv"
    people(150, seed=1, truth=None).write(path)
    return path


@pytest.mark.compiled
def test_block_shows_pairs_by_rule_and_pair_completeness(file, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text('[blocking]\nrules = [["surname", "city"], ["sex"]]\nlargest_block = 20\n')
    found = told("block", file, "--config", config)
    assert [one["rule"] for one in found["rules"]][:3] == [
        "exact values",
        "n-grams",
        "close numbers",
    ]
    assert len(found["rules"]) == 5
    assert found["rules"][-1]["cumulative"] == found["pairs"]
    assert sum(one["new"] for one in found["rules"]) == found["pairs"]
    assert found["rules"][4]["largest"][0]["size"] > 20
    share = found["completeness"]
    assert 0 < share["records_low"] <= share["records"] <= 1
    assert share["pairs"] == share["records"] * share["within"]
    assert found["unblocked"]["records"] == len(found["unblocked"]["first"])
    shown = run("block", file, "--config", config)
    for part in ("n-grams", "surname", "pair completeness", "no candidate"):
        assert part in shown.stdout
    assert shown.stderr.startswith("warning: ")


@pytest.mark.compiled
def test_block_without_the_searches_has_no_estimate(file, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text('[blocking]\nneighbours = 0\nrules = [["surname", "city"]]\n')
    found = told("block", file, "--config", config)
    assert found["completeness"] is None
    assert found["unblocked"]["records"] > 0
    assert "cannot be estimated" in run("block", file, "--config", config).stdout
