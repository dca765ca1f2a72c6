"""`partita facts`, as a user runs it."""

import csv

import pytest

from tests.cli.running import refused, run, told
from tests.knowledge.generated import RULES, make_families


@pytest.fixture
def files(tmp_path):
    kept, _ = make_families(25)
    (tmp_path / "facts.tsv").write_text("".join("\t".join(row) + "\n" for row in kept), "utf-8")
    (tmp_path / "rules.pl").write_text(RULES, "utf-8")
    return tmp_path


def rows_of(path):
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def small(folder, *words):
    rules = folder / "rules.pl"
    out = folder / "out.csv"
    return ("facts", folder / "facts.tsv", "--rules", rules, "--out", out, "--rank", "0", *words)


def test_facts_rules_and_conflicts_are_written(files):
    rated, conflicts = files / "rated.csv", files / "conflicts.csv"
    found = run(*small(files, "--rated", rated, "--conflicts", conflicts))
    assert found.exit_code == 0, found.stderr
    assert "Rules against the facts" in found.stdout
    rows = rows_of(files / "out.csv")
    assert [float(row["p"]) for row in rows] == sorted([float(r["p"]) for r in rows], reverse=True)
    assert len(rows_of(rated)) == 4
    assert conflicts.exists()


def test_json_with_an_explanation(files):
    run(*small(files, "--quiet"))
    row = rows_of(files / "out.csv")[0]
    fact = "\t".join(row[name] for name in ("head", "relation", "tail"))
    content = told(*small(files, "--force", "--explain", fact))
    assert content["facts"] > 0 and len(content["rules"]) == 4
    assert content["explained"][0]["pulls"]


def test_an_embedding_supports_the_rules(files):
    words = ("facts", files / "facts.tsv", "--rules", files / "rules.pl", "--out", files / "e.csv")
    found = run(*words, "--rank", "4", "--epochs", "2", "--quiet")
    assert found.exit_code == 0 and found.stdout == ""
    assert float(rows_of(files / "e.csv")[0]["p_embedding"]) >= 0


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            "livesIn(x,y) :- marriedTo(x,z)",
            "line 1 of",
        ),
        ("livesIn(x,y) :- marryTo(x,y)", "unknown relation 'marryTo'; did you mean 'marriedTo'?"),
        ("nothing here", "is no rule"),
    ],
)
def test_bad_rules_are_refused(files, rules, words):
    (files / "rules.pl").write_text(rules, "utf-8")
    assert words in refused(*small(files))


def test_bad_facts_are_refused(files):
    (files / "facts.tsv").write_text("a\tr\tb\na\tr\n", "utf-8")
    assert "line 2 of" in refused(*small(files))
    assert "give head, relation and tail" in refused(*small(files, "--explain", "a b"))


def test_a_wrong_fact_to_explain_is_refused_before_the_run(files, monkeypatch):
    row = (files / "facts.tsv").read_text("utf-8").splitlines()[0].split("\t")

    def fail(*given, **named):
        raise AssertionError("the run started")

    monkeypatch.setattr("partita.knowledge.facts.complete", fail)
    typed = f"{row[0]}q\t{row[1]}\t{row[2]}"
    assert f"did you mean {row[0]!r}?" in refused(*small(files, "--explain", typed))
    assert "is observed to be true" in refused(*small(files, "--explain", "\t".join(row)))
    assert not (files / "out.csv").exists()


def test_a_fact_that_no_rule_derives_leaves_the_output(files):
    row = (files / "facts.tsv").read_text("utf-8").splitlines()[0].split("\t")
    other = f"{row[0]}\t{row[1]}\t{row[0]}"
    assert "name the fact in ask" in refused(*small(files, "--explain", other))
    assert rows_of(files / "out.csv")
