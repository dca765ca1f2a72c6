"""Kills, other processes, full disks, read-only files, and files that are no store."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import warnings

import pytest

from partita.errors import InputError
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from partita.store.store import Store

store = Store(sys.argv[1])
row = store.export().slice(0, 1).drop_columns(["cluster_id", "p_member", "p_cluster"])
row = row.to_pylist()[0]
number = 10_000
while True:
    number += 1
    print(len(store.runs()), flush=True)
    store.add([{**row, "id": number}])
    store.correct(apart=[(row["id"], number)])
    store.undo(len(store.runs()))
"""


def start_writer(path):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_killed_writers_and_readers_of_whole_runs(store):
    """A reader sees whole runs only, and a kill leaves the last committed run."""
    for delay in (0.02, 0.2, 0.5):
        writer = start_writer(store.path)
        # the writer has begun
        assert int(writer.stdout.readline()) >= 1
        before, table, after = len(store.runs()), store.export(), len(store.runs())
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert any(table.equals(store.export(run=run)) for run in range(before, after + 1))
        assert store.check() == []
    with Store(store.path) as reopened:
        assert reopened.check() == [] and reopened.export().num_rows >= 300


def test_a_second_writer_waits_and_then_names_the_cause(store):
    with Store(store.path, wait=0.1) as other, store._db.write(is_trial=True):
        with pytest.raises(InputError, match="another process writes"):
            other.add(delete=[3])
        assert other.export().num_rows == 300


def test_a_full_disk_changes_nothing(store, table):
    before = store.export()
    pages = store._db.value("PRAGMA page_count")
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(InputError, match="is full and the store is unchanged"):
        store.add(table[0].slice(300))
    store._db.execute("PRAGMA max_page_count = 1000000")
    assert store.export().equals(before) and store.check() == []


def test_a_store_that_cannot_be_written(store, tmp_path):
    store.close()
    copy = tmp_path / "copy.partita"
    shutil.copy(store.path, copy)
    uri = f"{copy.as_uri()}?mode=ro"
    with Store(copy) as opened:
        opened._db.connection.close()
        opened._db.connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        assert opened.export().num_rows == 300
        with pytest.raises(InputError, match="is read-only"):
            opened.add(delete=[3])


def test_newer_and_damaged_files(store, tmp_path):
    store.close()
    newer, damaged = tmp_path / "newer.partita", tmp_path / "damaged.partita"
    shutil.copy(store.path, newer)
    with sqlite3.connect(newer) as connection:
        connection.execute("UPDATE meta SET value = 99 WHERE key = 'version'")
    connection.close()
    with pytest.raises(InputError, match="schema version 99"):
        Store(newer)
    data = bytearray(store.path.read_bytes())
    data[8192 * 3 : 8192 * 6] = b"\xff" * (8192 * 3)
    damaged.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged|cannot be used"), Store(damaged) as opened:
        assert opened.check() == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE meta SET value = 'x' WHERE key = 'version'", "its schema version"),
        ("UPDATE models SET content = '{'", "its model cannot be read"),
        ("UPDATE models SET content = CAST(x'fffe' AS TEXT)", "damaged .a text is not UTF-8"),
        ("UPDATE postings SET records = x'0102'", "an index cannot be read"),
        ("UPDATE vectors SET scales = x'01020304'", "a block of vectors has 1 numbers"),
        ("UPDATE records SET entity = 'x'", "`partita check` names the fault"),
    ],
)
def test_changed_values_are_named(store, tmp_path, statement, sentence):
    path = tmp_path / "changed.partita"
    store.close()
    shutil.copy(store.path, path)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(InputError, match=sentence), Store(path) as opened:
        opened.add(delete=["3"]) if "models" in statement else opened.find({"surname": "Lee"})


def test_a_failed_creation_keeps_the_file(result, store, monkeypatch):
    import partita.store.create as create

    def fail(*arguments):
        raise InputError("stop")

    monkeypatch.setattr(create, "write_index", fail)
    with pytest.raises(InputError, match="stop"), warnings.catch_warnings():
        Store.create(result, store.path)
    assert store.check() == []


def test_runs_in_the_journal_of_a_store_that_cannot_be_written(store, tmp_path):
    with Store(store.path) as reader, reader._db.read():
        # an open reader keeps the run in the journal
        store.add(delete=[3])
        copy = tmp_path / "copy.partita"
        for ending in ("", "-wal"):
            shutil.copy(f"{store.path}{ending}", f"{copy}{ending}")
    # without shared memory, SQLite can open the store only as it is on disk
    copy.with_name(f"{copy.name}-shm").symlink_to(tmp_path / "absent" / "memory")
    with pytest.raises(InputError, match="holds runs that are not in it yet"):
        Store(copy)
    copy.with_name(f"{copy.name}-wal").unlink()
    with Store(copy) as opened:
        assert opened.export().num_rows == 300
