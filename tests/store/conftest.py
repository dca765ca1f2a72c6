"""Stores of generated people."""

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


@pytest.fixture
def store(result, tmp_path):
    """A store of the first 300 people."""
    with Store.create(result, tmp_path / "people.partita") as made:
        yield made
