"""Stores of generated people."""

import shutil
import warnings

import pytest

import partita
from partita.store.store import Store
from partita.synthetic import people


@pytest.fixture(scope="session")
def table():
    """Generated people with their truth in a column of its own."""
    made = people(400, 3, truth=None)
    rows = made.table()
    named = ["id" if name == "unique_id" else name for name in rows.column_names]
    return rows.rename_columns(named), made.truths().column("entity").to_pylist()


@pytest.fixture(scope="session")
def result(table):
    """The first 300 people, resolved."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return partita.resolve(table[0].slice(0, 300), seed=1, reading="em")


@pytest.fixture(scope="session")
def created(result, tmp_path_factory):
    """The file of a store of the first 300 people, which tests copy."""
    path = tmp_path_factory.mktemp("stores") / "people.partita"
    Store.create(result, path).close()
    return path


@pytest.fixture
def store(created, tmp_path):
    """A store of the first 300 people."""
    with Store(shutil.copy(created, tmp_path / "people.partita")) as opened:
        yield opened


@pytest.fixture(scope="session")
def extended(created, table, tmp_path_factory):
    """The file of a store to which a run has added the other 100 people."""
    path = tmp_path_factory.mktemp("stores") / "people.partita"
    with Store(shutil.copy(created, path)) as opened:
        opened.add(table[0].slice(300))
    return path


@pytest.fixture
def grown(extended, tmp_path):
    """A store of 300 people to which run 2 has added the other 100."""
    with Store(shutil.copy(extended, tmp_path / "people.partita")) as opened:
        yield opened
