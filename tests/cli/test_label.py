"""`partita label`: answers are saved one by one, taken back, continued, and never lost."""

import csv
import json

import pytest
from rich.text import Text
from typer.testing import CliRunner

from partita.cli import app
from partita.cli.labelling import mark_value
from partita.synthetic import people
from tests.cli.running import refused

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("labelling")
    people(150, seed=1, truth="file").write(place / "people.csv")
    return place


def label(folder, out, keys, *more):
    """The outcome of a conversation in which these keys were pressed."""
    words = ["label", folder / "people.csv", "--out", out, *more]
    lines = "".join(f"{key}\n" for key in keys)
    found = CliRunner().invoke(app, [str(word) for word in words], input=lines)
    assert found.exit_code == 0, (found.stdout, found.stderr)
    return found


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_answers_are_saved_taken_back_and_continued(folder, tmp_path):
    out = tmp_path / "labels.csv"
    shown = label(folder, out, "ynxupy").stdout
    assert [one["label"] for one in rows(out)] == ["match", "non-match", "match"]
    assert list(rows(out)[0]) == ["unique_id_l", "unique_id_r", "label"]
    assert "press y, n, u, p or q" in shown
    assert shown.count("Pair 3") == 2
    assert "2 matches, 1 non-match, 0 unsure in" in shown
    assert "`partita train` needs at least 2 matches" in shown
    before = rows(out)
    shown = label(folder, out, "nq", "--ignore", "phone", "--no-one-to-one").stdout
    assert "people.csv --ignore phone --no-one-to-one --labels" in shown
    assert rows(out)[:3] == before
    assert len(rows(out)) == 4
    assert len({(one["unique_id_l"], one["unique_id_r"]) for one in rows(out)}) == 4
    assert "Pair 1 " not in shown
    label(folder, out, "pp")
    assert rows(out) == before[:2]


def test_an_empty_standard_input_ends_politely(folder, tmp_path):
    out = tmp_path / "labels.csv"
    shown = label(folder, out, "").stdout
    assert "no answers; nothing was written" in shown
    assert not out.exists()
    assert "there is no answer to undo" in label(folder, out, "p").stdout


def test_a_count_ends_it_and_json_tells(folder, tmp_path):
    out = tmp_path / "labels.csv"
    found = label(folder, out, "yyyyyy", "--count", 2, "--json")
    told = json.loads(found.stdout)
    assert told == {
        "labels": str(out),
        "match": 2,
        "non-match": 0,
        "unsure": 0,
        "asked_all": False,
    }
    assert len(rows(out)) == 2


def test_columns_of_the_file_stay(folder, tmp_path):
    out = tmp_path / "labels.csv"
    out.write_text("note,unique_id_l,unique_id_r,label\nmine,1,2,0\n")
    label(folder, out, "y")
    assert [one["note"] for one in rows(out)] == ["mine", ""]
    assert rows(out)[0]["label"] == "0"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("precious\n1\n", "has no column 'unique_id_l', so `partita label` cannot extend it"),
        ("unique_id_l,unique_id_r,label\n1,absent,match\n", "names the record 'absent'"),
        ("unique_id_l,unique_id_r,label\n1,2,maybe\n", "has the label 'maybe'"),
        ("unique_id_l,unique_id_r,label\n1,2,match\n2,1,non-match\n", "contradict each other"),
    ],
)
def test_a_file_that_cannot_be_continued_stays_as_it_is(folder, tmp_path, content, said):
    out = tmp_path / "labels.csv"
    out.write_text(content)
    assert said in refused("label", folder / "people.csv", "--out", out)
    assert out.read_text() == content


def test_the_input_is_never_the_output(folder):
    path = folder / "people.csv"
    assert "is an input already" in refused("label", path, "--out", path)


def test_what_differs_is_marked():
    assert mark_value("Anna Lee", "Ann Lee").spans
    assert mark_value("Bath", "Bath").style == "dim"
    assert [one.style for one in mark_value("Bath", "Zürich").spans] == ["bold yellow"]
    assert mark_value(None, "Bath") == Text("–")
