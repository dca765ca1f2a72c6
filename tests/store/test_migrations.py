"""Older schemas: a real file of version 1, made by SQL, opens after a backup."""

import gzip
import sqlite3
from pathlib import Path

import pytest

import partita.store.migrations as migrations
from partita.errors import InputError
from partita.store.schema import VERSION
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


@pytest.fixture
def old(tmp_path):
    """A store that the first version of the schema wrote."""
    path = tmp_path / "old.partita"
    text = gzip.decompress((Path(__file__).parent / "version_1.sql.gz").read_bytes()).decode()
    with sqlite3.connect(path) as connection:
        connection.executescript(text)
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    return path


def read_all(path, sql):
    with sqlite3.connect(path) as connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


def test_an_old_store_opens_and_works(old):
    entities = read_all(old, "SELECT * FROM entities")
    with Store(old) as store:
        assert store._db.value("SELECT value FROM meta WHERE key = 'version'") == VERSION
        assert store.check() == []
        assert store._db.rows("SELECT * FROM entities") == [tuple(row) for row in entities]
        row = {"id": 100, "given_name": "Ann", "surname": "Lee", "city": "Ely"}
        report = store.add([row])
        assert report["joined"] == 1 and report["drift"] == []
        assert store.check() == []
        assert store.train()["run"] == 3 and store.check() == []
    backup = old.with_name("old.partita.version-1")
    assert read_all(backup, "SELECT value FROM meta WHERE key = 'version'") == [(1,)]
    assert read_all(backup, "SELECT * FROM entities") == entities


def test_a_failed_step_leaves_the_old_store(old, monkeypatch):
    def fail(connection):
        connection.execute("DELETE FROM models")
        raise InputError("stop")

    monkeypatch.setattr(migrations, "STEPS", {**migrations.STEPS, 1: fail})
    with pytest.raises(InputError, match="stop"):
        Store(old)
    assert read_all(old, "SELECT value FROM meta WHERE key = 'version'") == [(1,)]
    assert len(read_all(old, "SELECT run FROM models")) == 1


def test_a_version_without_a_step_is_refused(old, monkeypatch):
    monkeypatch.setattr(migrations, "STEPS", {})
    with pytest.raises(InputError, match=r"schema version 1 and this Partita reads \d+"):
        Store(old)
    assert not old.with_name("old.partita.version-1").exists()


def test_every_version_has_a_step():
    assert sorted(migrations.STEPS) == list(range(1, VERSION))
