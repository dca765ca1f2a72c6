"""`partita profile`, `partita init` and `partita block`."""

import errno
from pathlib import Path

import pytest

from partita.linkage.config import load_settings
from partita.synthetic import people
from tests.cli.commands import refused, run, told


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("looking") / "people.csv"
    people(150, seed=1, truth=None).write(path)
    return path


def test_profile_shows_every_column(file):
    shown = run("profile", file).stdout
    assert "surname" in shown
    assert "150 records" in shown
    found = told("profile", file, "--ignore", "city")
    assert found["records"] == 150
    types = {one["name"]: one["type"] for one in found["columns"]}
    assert types["date_of_birth"] == "date"
    assert not {"unique_id", "city"} & set(types)


def test_profile_names_columns_that_resolve_cannot_use(tmp_path):
    path = tmp_path / "people.csv"
    names = [f"ann{k} lee{k}" for k in range(60)]
    rows = [f"k{k},{name},{name.replace(' ', ',')},same,\n" for k, name in enumerate(names)]
    path.write_text("key,full_name,first,last,fixed,empty\n" + "".join(rows))
    shown = run("profile", path).stdout
    for note in ("repeats", "always missing", "nearly unique", "one value"):
        assert note in shown


def test_init_writes_what_resolve_would_use(file, tmp_path):
    out = tmp_path / "mine.toml"
    found = told("init", file, "--out", out, "--ignore", "city")
    assert found["config"] == str(out)
    settings = load_settings(out)
    assert settings.ignore == ("city",)
    assert {name: one.type for name, one in settings.columns.items()} == {
        name: one["type"] for name, one in found["columns"].items()
    }


def test_init_replaces_nothing_unless_forced(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("partita.toml")
    path.write_text("mine")
    assert "--force" in refused("init", file)
    assert path.read_text() == "mine"
    assert "partita.toml" in run("init", file, "--force").stdout
    assert load_settings(path).seed == 0
    assert [one.name for one in tmp_path.iterdir()] == ["partita.toml"]


def test_init_on_a_full_disk_leaves_the_old_file(file, tmp_path, monkeypatch):
    out = tmp_path / "mine.toml"
    out.write_text("mine")

    def full(self, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "No space left" in refused("init", file, "--out", out, "--force")
    assert out.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["mine.toml"]


def test_init_checks_the_path_first(file, tmp_path):
    assert "ends in none of .toml" in refused("init", file, "--out", tmp_path / "a.txt")
    assert "no folder" in refused("init", file, "--out", tmp_path / "a" / "b.toml")


@pytest.mark.compiled
def test_block_shows_pairs_by_rule_and_pair_completeness(file, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text('[blocking]\nrules = [["surname", "city"], ["sex"]]\nlargest_block = 20\n')
    found = told("block", file, "--config", config)
    assert [one["rule"] for one in found["rules"]][:2] == ["exact values", "n-grams"]
    assert len(found["rules"]) == 4
    assert found["rules"][-1]["cumulative"] == found["pairs"]
    assert sum(one["new"] for one in found["rules"]) == found["pairs"]
    assert found["rules"][3]["largest"][0]["size"] > 20
    share = found["completeness"]
    assert 0 < share["records_low"] <= share["records"] <= 1
    assert share["pairs"] == share["records"] * share["within"]
    assert found["unblocked"]["records"] == len(found["unblocked"]["first"])
    shown = run("block", file, "--config", config).stdout
    for part in ("n-grams", "surname", "pair completeness", "no candidate", "warning"):
        assert part in shown


@pytest.mark.compiled
def test_block_without_the_searches_has_no_estimate(file, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text('[blocking]\nneighbours = 0\nrules = [["surname", "city"]]\n')
    found = told("block", file, "--config", config)
    assert found["completeness"] is None
    assert found["unblocked"]["records"] > 0
    assert "cannot be estimated" in run("block", file, "--config", config).stdout
