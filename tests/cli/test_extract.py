"""`partita extract` and `partita schema`: outputs, pipes, and one sentence for bad input."""

import csv
import io
import json
import subprocess
import sys

import pytest

from tests.cli.running import refused, run, told
from tests.text.extraction.making import FIELDS, references

SCHEMA = """
fields = ["author", "date"]
[[rules]]
field = "author"
place = "first"
[[rules]]
field = "date"
pattern = '(19|20)\\d\\d'
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SCHEMA)
    (tmp_path / "lines.txt").write_text("Lee 1999\nOrr in 2001\n")
    return tmp_path


def test_a_table_and_a_report(folder):
    found = told("extract", "lines.txt", "-s", "s.toml", "-o", "o.csv", "--report", "r.html")
    assert found["lines"] == 2 and found["fields"] == {"author": 1.0, "date": 1.0}
    rows = list(csv.DictReader((folder / "o.csv").read_text().splitlines()))
    assert [row["date"] for row in rows] == ["1999", "2001"]
    page = (folder / "r.html").read_text()
    assert "Orr" in page and "Doubtful lines" in page and "src=" not in page
    said = refused("extract", "lines.txt", "-s", "s.toml", "-o", "o.csv")
    assert "o.csv exists; add --force" in said
    assert run("extract", "lines.txt", "-s", "s.toml", "-o", "o.csv", "--force").exit_code == 0


def test_standard_input_and_output(folder):
    words = ["extract", "-", "-s", "s.toml", "-o", "-", "-q", "--n-best", "2"]
    found = subprocess.run(
        [sys.executable, "-m", "partita", *words],
        input="Lee 1999\n",
        capture_output=True,
        text=True,
        check=True,
    )
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert rows[0]["author"] == "Lee" and len(json.loads(rows[0]["n_best"])) == 2


def test_columns_of_a_level_or_of_listed_fields(folder):
    (folder / "tree.toml").write_text(SCHEMA.replace('"date"', '"when > date"', 1))
    words = ("extract", "lines.txt", "-s", "tree.toml", "-q", "--force", "-o", "o.csv")
    for options in (("--level", "1"), ("--field", "author", "--field", "when")):
        assert run(*words, *options).exit_code == 0
        rows = list(csv.DictReader((folder / "o.csv").read_text().splitlines()))
        assert [row["when"] for row in rows] == ["1999", "2001"] and "date" not in rows[0]


def test_suggestions_are_tagged(folder):
    found = run("extract", "lines.txt", "-s", "s.toml", "-o", "o.csv", "--suggest", "1", "-q")
    assert found.stdout.count("\n") == 1 and "<date>" in found.stdout


def test_verbose_prints_rules_and_stages(folder):
    shown = run("extract", "lines.txt", "-s", "s.toml", "-o", "o.csv", "-v").stdout
    assert "seems right in" in shown and "decode" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no.txt", "-s", "s.toml", "-o", "o.csv"), "no.txt"),
        (("lines.txt", "-s", "no.toml", "-o", "o.csv"), "or one of citation"),
        (("lines.txt", "-s", "bad.toml", "-o", "o.csv"), "no field 'dat'; do you mean 'date'?"),
        (("lines.txt", "-s", "s.toml", "-o", "o.pdf"), "must end in"),
        (("lines.txt", "-s", "s.toml", "-o", "lines.txt"), "is an input already"),
        (("lines.txt", "-s", "s.toml", "-o", "o.csv", "--n-best", "-1"), "n_best is -1"),
        (("lines.txt", "-s", "s.toml", "-o", "o.csv", "--suggest", "-1"), "suggest is -1"),
        (("lines.txt", "-s", "s.toml", "-o", "o.csv", "--level", "0"), "level is 0"),
        (("lines.txt", "-s", "s.toml", "-o", "o.csv", "--field", "dat"), "do you mean 'date'?"),
    ],
)
def test_refusals(folder, words, message):
    (folder / "bad.toml").write_text(SCHEMA + '[[rules]]\nfield = "dat"\npattern = "x"\n')
    assert message in refused("extract", *words)
    assert not (folder / "o.csv").exists()


def test_a_draft_can_be_used(folder):
    (folder / "tagged.txt").write_text("\n".join(references(30)))
    found = told("schema", "tagged.txt")
    assert found["fields"] == FIELDS and found["rules"]
    assert "schema.toml exists" in refused("schema", "tagged.txt")
    assert run("extract", "lines.txt", "-s", "schema.toml", "-o", "o.csv", "-q").exit_code == 0
    assert "fields = " in run("schema", "lines.txt", "--out", "-").stdout
