"""Model files: a round trip, other columns and versions, and what `model=` may be."""

import json

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.errors import InputError
from partita.linkage.supervision.trained_model import load_model
from partita.metrics import pairwise
from tests.linkage.made import persons

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    table, truth = persons(400, seed=3)
    trained = partita.train(table.append_column("who", [truth]), truth_column="who", seed=1)
    return table, trained, trained.save(tmp_path_factory.mktemp("models") / "model.json")


def test_a_saved_model_is_the_same_model(made):
    table, trained, path = made
    back = load_model(path)
    assert back.held_out == trained.held_out
    assert back.named() == pytest.approx(trained.named(), abs=1e-9)
    one, two = (partita.resolve(table, model=model, seed=1) for model in (trained, str(path)))
    assert np.array_equal(one.labels, two.labels)
    assert one.pair_model.weights()[0] == pytest.approx(trained.pair_model.weights()[0])


def test_weights_stand_in_the_file_by_name(made):
    _, trained, path = made
    saved = json.loads(path.read_text())
    assert saved["version"] == 1
    assert saved["weights"] == trained.named()
    assert "surname = exact" in saved["weights"]


def test_columns_may_stand_in_another_order_and_others_are_only_searched(made):
    table, trained, _ = made
    names = table.column_names
    moved = table.select([names[0], *names[:0:-1]])
    moved = moved.append_column("extra", pa.array([f"v{k % 50}" for k in range(table.num_rows)]))
    found = partita.resolve(moved, model=trained, seed=1)
    assert sorted(found.pair_model.names) == sorted(trained.pair_model.names)
    weights = dict(zip(found.pair_model.names, found.pair_model.weights(), strict=True))
    for name, one in zip(trained.pair_model.names, trained.pair_model.weights(), strict=True):
        np.testing.assert_allclose(weights[name], one)
    assert found.settings.columns["extra"].role in ("block", "ignore")


def test_fewer_records_make_a_match_of_two_likelier(made):
    _, trained, _ = made
    names = trained.pair_model.names
    half = trained.for_records(names, trained.records // 2)
    assert half.prior - trained.pair_model.prior == pytest.approx(np.log(2), abs=0.01)


def test_a_model_for_other_columns_is_refused(made):
    table, trained, _ = made
    with pytest.raises(InputError, match="trained for other columns: it compares 'surname'"):
        partita.resolve(table.drop_columns(["surname"]), model=trained)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 99}, "has version 99 but this Partita reads 1"),
        ({"kind": "Partition"}, "is a model of 'Partition'"),
        ({"format": "other"}, "is not a Partita model"),
        ({"weights": {}}, "was changed, or is not complete"),
        ({"pairs": {}}, "was changed, or is not complete"),
    ],
)
def test_other_files_are_refused(made, tmp_path, change, said):
    table, _, path = made
    other = tmp_path / "other.json"
    other.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=said):
        partita.resolve(table, model=other)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("neural", "model is 'neural'; give one of auto, entities, pairs, or the file"),
        ("gone.json", "gone.json cannot be read"),
        (7, "model is 7; give auto, entities, pairs, a trained model or its file"),
    ],
)
def test_what_model_cannot_be(model, said):
    with pytest.raises(InputError, match=said):
        partita.resolve([{"name": "a"}, {"name": "b"}], model=model)


@pytest.mark.parametrize("reading", ["em", "pooled"])
def test_a_model_without_labels_applies_to_other_records(tmp_path, reading):
    table, truth = persons(600, seed=5)
    first, rest = table.slice(0, 300), table.slice(300)
    learned = partita.resolve(first, seed=1, reading=reading)
    path = learned.save_model(tmp_path / "model.json")
    assert json.loads(path.read_text())["held_out"] is None
    again = partita.resolve(first, seed=1, model=path)
    assert again.reading.name == learned.reading.name and again.trust.level == learned.trust.level
    assert np.array_equal(again.labels, learned.labels)
    names = rest.column_names
    moved = rest.select([names[0], *names[:0:-1]])
    one, two = (partita.resolve(data, seed=1, model=path) for data in (rest, moved))
    true = truth[300:].tolist()
    direct = pairwise(partita.resolve(rest, seed=1, reading=reading).labels, true).f1
    assert pairwise(one.labels, true).f1 == pytest.approx(direct, abs=0.03)
    assert pairwise(two.labels, true).f1 == pytest.approx(direct, abs=0.03)


def test_a_model_of_another_mode_is_a_warning(tmp_path):
    table, _ = persons(300, seed=5)
    path = partita.resolve(table, seed=1, reading="em").save_model(tmp_path / "model.json")
    sources = pa.array([f"s{k % 2}" for k in range(table.num_rows)])
    linked = table.append_column("from", sources)
    result = partita.resolve(linked, source="from", mode="link", model=path, seed=1)
    assert any("learned in mode 'dedupe'" in note for note in result.warnings)
