"""`partita generate`."""

import pytest

from partita.data import read
from partita.synthetic import authors, people
from tests.cli.running import refused, run, told


@pytest.mark.parametrize(("kind", "make"), [("people", people), ("authors", authors)])
def test_generated_files_hold_what_the_generator_makes(tmp_path, kind, make):
    path = tmp_path / "made.parquet"
    found = told("generate", 120, "--out", path, "--kind", kind, "--seed", 3)
    assert found == {"records": 120, "kind": kind, "seed": 3, "files": [str(path)]}
    assert read(path, id=False).table.equals(make(120, seed=3).table())


def test_the_message_names_the_column_of_the_truth(tmp_path):
    shown = run("generate", 50, "--out", tmp_path / "p.csv").stdout
    assert "column `entity` holds the truth: resolve with --ignore entity" in shown
    shown = run("generate", 50, "--out", tmp_path / "q.csv", "--truth", "none").stdout
    assert "--ignore" not in shown


def test_the_truth_may_go_beside(tmp_path):
    found = run("generate", 50, "--out", tmp_path / "p.csv", "--truth", "file")
    assert "50 records of people" in found.stdout
    assert "p.truth.csv" in found.stdout
    assert "entity" not in (tmp_path / "p.csv").read_text().splitlines()[0]
    run("generate", 50, "--out", tmp_path / "q.csv", "--truth", "none")
    assert "entity" not in (tmp_path / "q.csv").read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((0, "--out", "p.csv"), "n is 0"),
        ((5, "--out", "p.csv", "--kind", "dogs"), "kind is 'dogs'"),
        ((5, "--out", "p.csv", "--truth", "maybe"), "truth is 'maybe'"),
        ((5, "--out", "p.txt"), "must end in"),
        ((5, "--out", "nowhere/p.csv"), "there is no folder"),
        ((5, "--out", "p.csv", "--seed", "-1"), "seed is -1"),
    ],
)
def test_wrong_wishes_are_refused(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert said in refused("generate", *words)
    assert list(tmp_path.iterdir()) == []
