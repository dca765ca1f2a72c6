import json

import pytest

from partita.errors import InputError
from partita.factors import Model, affinity, entity_cost
from partita.learning import load_weights, save_weights
from partita.learning.files import VERSION


def model(features=("a", "b")):
    return Model(affinity([[0, 1]], [[1.0, 2.0]], 2, features=features), entity_cost(0.3))


def test_weights_come_back_by_name(tmp_path):
    path = tmp_path / "model.json"
    made = model().set_weights([0.1, -2.5, 1 / 3])
    save_weights(made, path, {"epochs": 4})
    found = load_weights(model(), path)
    assert found.weights.tolist() == made.weights.tolist()
    text = json.loads(path.read_text())
    assert text["version"] == VERSION and text["about"] == {"epochs": 4}
    assert text["weights"]["affinity.b"] == -2.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d | {"version": 99}, "has version 99 but this Partita reads 1"),
        (lambda d: d | {"format": "other"}, "is not a Partita model"),
        (lambda d: d | {"kind": "Labels"}, "is a model of 'Labels', not of 'Partition'"),
        (lambda d: [], "is not a Partita model"),
        (lambda d: d | {"weights": 3}, "holds no weights"),
        (lambda d: d | {"weights": d["weights"] | {"new": 1.0}}, "weight of 'new'"),
        (lambda d: d | {"weights": {}}, "no weight of 'affinity.a'"),
        (lambda d: d | {"weights": d["weights"] | {"affinity.a": "x"}}, "are not numbers"),
    ],
)
def test_files_that_are_refused(tmp_path, change, words):
    path = tmp_path / "model.json"
    save_weights(model(), path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(InputError, match=words):
        load_weights(model(), path)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_weights(model(), tmp_path / "none.json")
    (tmp_path / "text").write_text("weights")
    with pytest.raises(InputError, match="is not JSON"):
        load_weights(model(), tmp_path / "text")
    with pytest.raises(InputError, match="there is no folder"):
        save_weights(model(), tmp_path / "none" / "model.json")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.json"
    save_weights(model(), path)
    before = path.read_text()
    with pytest.raises(TypeError):
        save_weights(model(), path, {"bad": object()})
    assert path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
