"""`partita generate`."""

import pytest

from partita.data import read
from partita.synthetic import (
    TextErrors,
    albums,
    authors,
    companies,
    films,
    people,
    places,
    products,
)
from tests.cli.running import refused, run, told

MAKERS = (people, authors, products, companies, places, films, albums)


@pytest.mark.parametrize(("kind", "make"), [(make.__name__, make) for make in MAKERS])
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
        (("abc",), "the number of records is 'abc'; give a whole number, such as partita generate"),
        (("places",), "partita generate 1000 --kind places --out places.csv"),
        ((5, "--out", "p.csv", "--sources", 2), "people have one source"),
        ((5, "--out", "-", "--kind", "places", "--sources", 2), "--sources needs a file name"),
        ((5, "--out", "p.csv", "--kind", "places", "--sources", 0), "sources is 0"),
        ((5, "--out", "p.csv", "--kind", "authors", "--noise", 2), "authors have no noise level"),
        ((5, "--out", "p.csv", "--noise", -1), "the noise level is -1.0"),
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


def test_sources_are_files_without_duplicates(tmp_path):
    path = tmp_path / "made.parquet"
    files = told("generate", 300, "--out", path, "--kind", "products", "--sources", 2)["files"]
    assert files == [str(tmp_path / "made.a.parquet"), str(tmp_path / "made.b.parquet")]
    tables = [read(file, id=False).table for file in files]
    assert sum(table.num_rows for table in tables) == 300
    entities = [table["entity"].to_pylist() for table in tables]
    assert all(len(set(part)) == len(part) for part in entities)
    assert len(set(entities[0]) & set(entities[1])) > 50
    assert "source" not in tables[0].column_names
    said = refused("generate", 300, "--out", path, "--kind", "products", "--sources", 2)
    assert "made.a.parquet" in said


def test_noise_scales_all_error_rates(tmp_path):
    path = tmp_path / "made.parquet"
    told("generate", 200, "--out", path, "--kind", "companies", "--noise", 0)
    quiet = companies(200, errors=TextErrors().scaled(0)).table()
    assert read(path, id=False).table.equals(quiet)
