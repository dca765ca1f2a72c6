"""`partita resolve --recipe authors`, from tables and BibTeX to a file."""

import pytest

from partita.data import read
from partita.linkage.authors.recipe import resolve_authors
from partita.synthetic import authors
from tests.cli.running import refused, run, told

BIB = """
@article{a, author = {Ann Lee and Bob Orr}, title = {Sums of small sets}, journal = {Sets}}
@article{b, author = {Lee, Ann and Cy Day}, title = {More sums of sets}, journal = {Sets}}
@article{broken, author = {Dora
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("recipe")
    authors(120, seed=2).write(place / "authors.csv")
    (place / "a.bib").write_text(BIB)
    (place / "nameless.csv").write_text("first,title\nAnn,x\n")
    return place


def test_the_file_is_what_the_call_gives(folder, tmp_path):
    out = tmp_path / "r.parquet"
    words = ("resolve", "--recipe", "authors", folder / "authors.csv", "--seed", 3, "--out", out)
    found = told(*words)
    same = resolve_authors(folder / "authors.csv", seed=3)
    assert read(out, id="").table.equals(same.table())
    assert (found["records"], found["seed"]) == (120, 3)
    assert found["entities"] == same.summary()["entities"]
    assert found["files"] == {"result": str(out)}
    assert found["took"]["cpu"] > 0


def test_the_summary_names_the_engine_and_the_reason(folder, tmp_path):
    out = tmp_path / "r.csv"
    words = ("resolve", "--recipe", "authors", folder / "authors.csv", "--out", out)
    shown = " ".join(run(*words).stdout.split())
    for part in ("120", "flat aggregated Dirichlet-multinomial", "canopies", "does not sample"):
        assert part in shown
    assert read(out, id="").table.num_rows == 120
    silent = run(*words, "--force", "--quiet")
    assert (silent.exit_code, silent.stdout) == (0, "")


@pytest.fixture
def many(monkeypatch):
    """A size beyond which hundred records are many."""
    monkeypatch.setattr("partita.linkage.routing.MANY", 100)


def test_the_engine_is_chosen_by_size(folder, tmp_path, many):
    out = tmp_path / "r.csv"
    found = told("resolve", folder / "authors.csv", "--seed", 3, "--out", out)
    assert found["recipe"] == "authors"
    assert found["why_engine"].startswith("more than 100 records of authors; --engine draws")
    words = ("resolve", "--recipe", "authors", folder / "authors.csv", "--seed", 3, "--out", out)
    same = told(*words, "--force")
    assert same["entities"] == found["entities"]


def test_what_only_draws_can_give_is_drawn(folder, tmp_path, many):
    out = tmp_path / "r.csv"
    words = ("resolve", folder / "authors.csv", "--out", out)
    asked = told(*words, "--engine", "draws")
    assert (asked["engine"], "requested" in asked["why_engine"]) == ("draws", True)
    assert told(*words, "--force", "--pairs", tmp_path / "p.csv")["engine"] == "draws"


def test_few_records_and_others_are_drawn(folder, tmp_path):
    out = tmp_path / "r.csv"
    shown = " ".join(run("resolve", folder / "authors.csv", "--out", out).stdout.split())
    assert "draws: the file has at most 500,000 records" in shown


def test_bibtex_gives_a_row_for_each_author_and_a_warning(folder, tmp_path):
    out = tmp_path / "r.jsonl"
    found = told("resolve", "--recipe", "authors", folder / "a.bib", "--out", out)
    rows = read(out).table.to_pylist()
    assert [row["last"] for row in rows] == ["Lee", "Orr", "Lee", "Day"]
    assert [row["cluster_id"] for row in rows] == [0, 1, 0, 3]
    assert "1 broken entry left out, the first at line 4" in found["warnings"][0]


def test_bad_input_is_one_sentence_and_writes_nothing(folder, tmp_path):
    out = tmp_path / "r.csv"
    command = ("resolve", folder / "authors.csv", "--out", out)
    assert "no recipe 'books'; the recipes are authors" in refused(*command, "--recipe", "books")
    said = "engine is 'foo'; give draws, or with --recipe authors one of auto, flat, ray"
    assert said in refused(*command, "--engine", "foo")
    said = "--truth-column belongs to --recipe authors; to score a result use `partita evaluate`"
    assert said in refused(*command, "--truth-column", "author")
    assert "--address belongs to --recipe authors" in refused(*command, "--address", "auto")
    recipe = (*command, "--recipe", "authors")
    assert "has no option --chains" in refused(*recipe, "--chains", 2)
    assert "has no option --one-to-one" in refused(*recipe, "--one-to-one")
    assert "has no option --golden" in refused(*recipe, "--golden", tmp_path / "g.csv")
    assert "give one of auto, flat, ray" in refused(*recipe, "--engine", "spark")
    assert "no column 'gone'" in refused(*recipe, "--truth-column", "gone")
    lacking = ("resolve", "--recipe", "authors", folder / "nameless.csv", "--out", out)
    assert "no column of last names" in refused(*lacking)
    assert list(tmp_path.iterdir()) == []
