"""Drift: changed deliveries are reported, like deliveries are not, and training ends the report."""

from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
import pytest

import partita
from partita.store.drift import is_learning_due
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def change(part, name, values):
    return part.set_column(part.column_names.index(name), name, pa.array(values, pa.string()))


def test_a_like_delivery_is_no_drift(grown):
    assert grown.drift() == []


def test_a_column_that_empties_is_reported_until_training(store, table):
    part = table[0].slice(300)
    run = store.add(change(part, "surname", [None] * part.num_rows))["run"]
    filled = [one for one in store.drift() if one["measure"] == "filled"]
    assert [one["column"] for one in filled] == ["surname"]
    assert filled[0]["now"] == 0 and filled[0]["then"] > 0.9
    assert "surname is filled in 0% of the new records" in filled[0]["sentence"]
    store.undo(run)
    assert store.drift() == []
    store.add(change(part, "surname", [None] * part.num_rows))
    before = store.export()
    trial = store.train(dry_run=True)
    assert store.export().equals(before) and store.drift()
    done = store.train()
    assert {k: v for k, v in done.items() if k != "run"} == {
        k: v for k, v in trial.items() if k != "run"
    }
    assert store.drift() == [] and store.check() == []


def test_values_of_another_kind_are_reported(store, table):
    part = table[0].slice(300)
    names = [f"Qx{k}vz" for k in range(part.num_rows)]
    report = store.add(change(part, "given_name", names))
    new = [one for one in report["drift"] if one["measure"] == "new value"]
    assert [one["column"] for one in new] == ["given_name"] and new[0]["now"] == 1.0


def test_growth_beyond_a_given_model_is_reported(table, tmp_path):
    """A model that the user gives is not learned again."""
    part = table[0].slice(0, 40)
    learned = partita.resolve(part, seed=1, reading="em").learned_model()
    given = partita.resolve(part, seed=1, model=learned)
    with Store.create(given, tmp_path / "small.partita") as store:
        report = store.add(table[0].slice(40, 160))
        assert "growth" in {one["measure"] for one in report["drift"]}
        assert report["relearned"] == 0 and store._read_model()[0].learned.records <= 40


def test_corrections_are_labels_of_training(store, table):
    entity = table[1]
    groups = {}
    for row, truth in enumerate(entity[:300]):
        groups.setdefault(truth, []).append(row)
    several = [rows for rows in groups.values() if len(rows) > 1][:6]
    together = [rows[:2] for rows in several]
    apart = [(one[0], other[0]) for one, other in pairwise(several)]
    store.correct(together=together, apart=apart)
    store.train()
    model, _ = store._read_model()
    assert model.reading is None and store.check() == []
    assert not is_learning_due(store._db, replace(model, learned=replace(model.learned, records=9)))
    assert store.add(table[0].slice(300, 20))["new"] == 20
