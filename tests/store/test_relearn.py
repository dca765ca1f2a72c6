"""A small store that grows learns its model again; entities that no record touches stay."""

import shutil

import pytest

import partita
from partita.errors import InputError
from partita.store import drift
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

FIRST, ADDED = 60, 50
"""Records of the first run and of the add that learns again."""


@pytest.fixture(scope="module")
def small(table, tmp_path_factory):
    """The file of a store of few people."""
    path = tmp_path_factory.mktemp("small") / "people.partita"
    first = partita.resolve(table[0].slice(0, FIRST), seed=1, reading="em")
    Store.create(first, path).close()
    return path


@pytest.fixture
def few(small, tmp_path):
    """A store of few people."""
    with Store(shutil.copy(small, tmp_path / "few.partita")) as opened:
        yield opened


def learned(store):
    return store._read_model()[0].learned.records


def test_the_model_is_learned_again_and_untouched_entities_stay(few, table):
    before, first = few.export().to_pylist(), learned(few)
    report = few.add(table[0].slice(FIRST, ADDED))
    assert report["relearned"] == 1 and report["new"] == ADDED
    assert learned(few) == few._db.meta("distinct") >= drift.LEARNING_GROWTH * first
    events = few.events(report["run"])
    assert [event["event"] for event in events].count("relearned") == 1
    touched = {event[key] for event in events for key in ("entity", "other_entity")}
    after = {row["id"]: row["cluster_id"] for row in few.export().to_pylist()}
    assert all(
        after[row["id"]] == row["cluster_id"] for row in before if row["cluster_id"] not in touched
    )
    # all records are in the counts of the model: no rates follow, and nothing drifts
    assert few._db.meta("rates") is None and few.drift() == [] and few.check() == []
    # the model has learned from enough records for the next add
    assert few.add(table[0].slice(FIRST + ADDED, 10))["relearned"] == 0
    assert few._db.meta("rates") is not None and few.check() == []


def test_copies_join_the_records_that_they_repeat(few, table):
    """The learned index holds one of identical records, which may be the new one."""
    old = table[0].slice(0, 20).to_pylist()
    copies = [{**row, "id": 1_000 + row["id"]} for row in old]
    report = few.add([*table[0].slice(FIRST, ADDED).to_pylist(), *copies])
    entity = {row["id"]: row["cluster_id"] for row in few.export().to_pylist()}
    assert report["relearned"] == 1 and few.check() == []
    assert all(entity[row["id"]] == entity[1_000 + row["id"]] for row in old)


def test_undo_restores_entities_and_keeps_the_model(few, table):
    before = few.export()
    run = few.add(table[0].slice(FIRST, ADDED))["run"]
    state, records = few.export(), learned(few)
    undone = few.undo(run)["run"]
    assert few.export().equals(before) and few.check() == []
    assert learned(few) == records and few._db.meta("distinct") < records
    few.undo(undone)
    assert few.export().equals(state) and few.check() == []
    with pytest.raises(InputError, match="is undone"):
        few.undo(undone)


def test_learning_is_repeatable_and_a_dry_run_shows_it(few, small, table, tmp_path):
    part = table[0].slice(FIRST, ADDED)
    before = few.export()
    trial = few.add(part, dry_run=True)
    assert few.export().equals(before) and few._db.value("SELECT count(*) FROM models") == 1
    assert few.add(part) == trial
    with Store(shutil.copy(small, tmp_path / "again.partita")) as again:
        again.add(part)
        assert again.export().equals(few.export())
        sql = "SELECT run, content FROM models ORDER BY run"
        assert again._db.rows(sql) == few._db.rows(sql)


def test_corrections_changes_and_removals_hold_while_learning(few, table):
    rows = few.export().to_pylist()
    a, b = rows[0], next(row for row in rows if row["cluster_id"] != rows[0]["cluster_id"])
    few.correct(together=[(a["id"], b["id"])])
    part = table[0].slice(FIRST, ADDED).to_pylist()
    changed = {**table[0].slice(5, 1).to_pylist()[0], "surname": "Zebulon"}
    gone = next(row["id"] for row in rows[10:] if row["id"] != b["id"])
    report = few.add([*part, changed], delete=[gone])
    assert (report["relearned"], report["changed"], report["removed"]) == (1, 1, 1)
    after = {row["id"]: row for row in few.export().to_pylist()}
    assert after[a["id"]]["cluster_id"] == after[b["id"]]["cluster_id"]
    assert gone not in after and after[changed["id"]]["surname"] == "Zebulon"
    assert few.check() == []


def test_a_settled_model_stays(few, table, monkeypatch):
    monkeypatch.setattr(drift, "SETTLED_RECORDS", FIRST // 2)
    first = learned(few)
    assert few.add(table[0].slice(FIRST, ADDED))["relearned"] == 0 and learned(few) == first
