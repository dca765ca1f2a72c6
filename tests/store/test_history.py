"""Events of runs, entities and records: pages, histories and their query plans."""

import shutil

import pytest

from partita.store.history import EVENTS, PAGE
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def changed(extended, tmp_path_factory):
    """A store with an add, corrections that merge and split entities, and an undo."""
    path = tmp_path_factory.mktemp("history") / "people.partita"
    store = Store(shutil.copy(extended, path))
    entities = store.export().group_by("cluster_id").aggregate([("id", "list")]).to_pylist()
    groups = [row["id_list"] for row in entities]
    pair = next(group for group in groups if len(group) == 2)
    one, other = [group for group in groups if len(group) == 1][:2]
    store.correct(apart=[pair])
    run = store.correct(together=[[one[0], other[0]]])["run"]
    store.undo(run)
    yield store
    store.close()


def test_pages_hold_every_event_once(changed):
    for run in range(1, 1 + len(changed.runs())):
        events, size = changed.events(run), 7
        pages = [changed.events(run, limit=size, offset=at) for at in range(0, len(events), size)]
        assert [len(page) for page in pages[:-1]] == [size] * (len(pages) - 1)
        listed = [event for page in pages for event in page]
        assert sorted(map(str, listed)) == sorted(map(str, events))


def test_histories_are_the_events_of_all_runs(changed):
    events = [event for row in changed.runs() for event in changed.events(row["run"])]
    assert {"created", "joined", "left", "merged", "split", "corrected", "restored"} <= {
        event["event"] for event in events
    }
    for id in {event["entity"] for event in events}:
        own = [
            event
            for event in events
            if event["entity"] == id or (event["other_entity"] == id and event["record"] is None)
        ]
        assert sorted(map(str, changed.history(id))) == sorted(map(str, own))
    for id in {event["record"] for event in events} - {None}:
        own = [event for event in events if event["record"] == id]
        assert changed.history(id) == own


@pytest.mark.parametrize(
    "where", ["v.entity = ?", "v.other = ? AND v.record IS NULL", "v.record = ?", "v.run = ?"]
)
def test_histories_scan_no_table_of_changes(changed, where):
    plan = changed._db.rows(f"EXPLAIN QUERY PLAN {EVENTS} WHERE {where}", (1,))
    scanned = {row[3] for row in plan if row[3].startswith("SCAN")}
    # models and corrections are few; v is the selected events
    assert scanned <= {"SCAN models", "SCAN c", "SCAN v"}
    changes = changed._db.rows(f"EXPLAIN QUERY PLAN {PAGE}", (1, 50, 0))
    assert not any(row[3] in ("SCAN record_changes", "SCAN entity_changes") for row in changes)


def test_runs_hold_the_number_of_their_changes(changed):
    rows = changed.runs()
    listed = {row["run"]: row["records_changed"] for row in rows}
    assert len({row["verb"] for row in rows}) >= 4
    counted = changed._db.rows("SELECT run, count(*) FROM record_changes GROUP BY run")
    assert listed == dict.fromkeys(listed, 0) | dict(counted)
    held = changed._db.rows("SELECT json_extract(detail, '$.records_changed') FROM runs ORDER BY 1")
    assert [row[0] for row in held] == sorted(listed.values())
