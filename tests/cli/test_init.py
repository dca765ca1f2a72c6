"""`partita init`."""

import errno
from pathlib import Path

import pytest

from partita.linkage.config import load_settings
from partita.synthetic import people
from tests.cli.running import refused, run, told


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("init") / "people.csv"
    people(150, seed=1, truth=None).write(path)
    return path


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
    assert "must end in .toml" in refused("init", file, "--out", tmp_path / "a.txt")
    assert "no folder" in refused("init", file, "--out", tmp_path / "a" / "b.toml")
