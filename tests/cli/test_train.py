"""`partita train` and `resolve --model`: summary, and refused inputs."""

import csv
import json
from itertools import pairwise

import pytest

from partita.synthetic import people
from tests.cli.running import refused, run, told

pytestmark = pytest.mark.compiled

HEADER = "unique_id_l,unique_id_r,label\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("training")
    people(200, seed=1).write(place / "people.csv")
    with (place / "people.csv").open() as file:
        rows = list(csv.DictReader(file))
    lines = []
    for one, two in pairwise(rows):
        if one["entity"] != two["entity"] and len(lines) < 20:
            lines.append(f"{one['unique_id']},{two['unique_id']},non-match")
    ranked = sorted(rows, key=lambda row: int(row["entity"]))
    for one, two in pairwise(ranked):
        if one["entity"] == two["entity"] and len(lines) < 40:
            lines.append(f"{one['unique_id']},{two['unique_id']},match")
    (place / "labels.csv").write_text(HEADER + "\n".join(lines) + "\n")
    return place


def test_train_and_resolve_with_the_model(folder, tmp_path):
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    given = (folder / "people.csv", "--ignore", "entity")
    found = told("train", *given, "--labels", folder / "labels.csv", "--out", model)
    assert found["model"] == str(model)
    assert 0 < found["matches"] < found["labels"] <= 40
    assert found["loss"] <= found["loss_before"]
    assert found["weights"] == json.loads(model.read_text())["weights"]
    assert told("resolve", *given, "--model", model, "--out", out)["records"] == 200
    words = ("--labels", folder / "labels.csv", "--force", "--out", model)
    shown = run("train", *given, *words).stdout
    assert "held-out labels" in shown
    assert "wrong" in shown
    following = f"people.csv --ignore entity --model {model} --constraints"
    assert following in " ".join(shown.split())


def test_a_column_of_the_truth(folder, tmp_path):
    model = tmp_path / "model.json"
    found = told("train", folder / "people.csv", "--truth-column", "entity", "--out", model)
    assert found["labels"] > 40


@pytest.fixture
def old(tmp_path):
    """An older model, which must stay as it is."""
    path = tmp_path / "model.json"
    path.write_text("precious\n")
    yield path
    assert path.read_text() == "precious\n"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("", "there are no labels"),
        ("0,1,unsure\n", "there are no labels except 1 that are unsure"),
        ("0,1,match\n2,3,match\n", "all 2 labels are matches"),
        ("0,1,non-match\n2,3,non-match\n", "all 2 labels are non-matches"),
        ("0,1,match\n1,0,non-match\n", "the labels contradict each other"),
        ("0,1,match\n1,2,match\n0,2,non-match\n", "other labels link them as matches"),
        ("0,absent,match\n", "names the record 'absent', which the data does not have"),
    ],
)
def test_labels_that_teach_nothing(folder, tmp_path, old, labels, said):
    path = tmp_path / "labels.csv"
    path.write_text(HEADER + labels)
    given = (folder / "people.csv", "--ignore", "entity", "--labels", path, "--force", "--out", old)
    assert said in refused("train", *given)


def test_what_else_is_refused(folder, tmp_path, old):
    given = (folder / "people.csv", "--force", "--out", old)
    assert "give either --labels or --truth-column" in refused("train", *given)
    assert "no column 'who'" in refused("train", *given, "--truth-column", "who")
    wrong = ("train", folder / "people.csv", "--truth-column", "entity", "--out")
    assert "must end in .json" in refused(*wrong, tmp_path / "model.txt")
    out = tmp_path / "out.csv"
    used = ("resolve", folder / "people.csv", "--out", out, "--model")
    assert "model.json is not JSON" in refused(*used, old)
    assert "cannot be read" in refused(*used, tmp_path / "gone.json")
    assert not out.exists()


def test_a_model_of_another_version_or_other_columns(folder, tmp_path):
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    given = (folder / "people.csv", "--truth-column", "entity", "--ignore", "phone")
    run("train", *given, "--out", model)
    used = ("resolve", "--out", out, "--model", model)
    other = folder / "other.csv"
    other.write_text("unique_id,name,town\n1,Ann Lee,Ely\n2,Anne Lee,Ely\n3,Bob Orr,Bath\n")
    assert "trained for other columns" in refused(*used, other)
    saved = json.loads(model.read_text())
    model.write_text(json.dumps(saved | {"version": 7}))
    assert "has version 7 but this Partita reads 1" in refused(*used, folder / "people.csv")
    assert not out.exists()
