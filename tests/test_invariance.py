"""The partition that `resolve` finds does not depend on the form in which the records arrive."""

import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import partita
from tests.data.test_excel import workbook
from tests.linkage.made import persons

pytestmark = pytest.mark.compiled

N = 400
SEED = 3


def groups(result, ids):
    """The entities as sets of the given ids."""
    members = {}
    for id, label in zip(ids, result.labels.tolist(), strict=True):
        members.setdefault(label, set()).add(id)
    return {frozenset(one) for one in members.values()}


@pytest.fixture(scope="module")
def table():
    return persons(N, seed=11)[0]


@pytest.fixture(scope="module")
def entities(table):
    return resolved(table)


def resolved(table):
    return groups(partita.resolve(table, seed=SEED), table["unique_id"].to_pylist())


def test_column_order(table, entities):
    assert resolved(table.select(table.column_names[::-1])) == entities


RENAMED = {
    "given_name": "first_name",
    "surname": "last_name",
    "date_of_birth": "dob",
    "city": "town",
    "phone": "telephone",
}


def test_column_names(table, entities):
    names = [RENAMED.get(name, name) for name in table.column_names]
    assert names != table.column_names
    assert resolved(table.rename_columns(names)) == entities


def write_lines(table, path):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()), "utf-8")


def write_workbook(table, path):
    rows = [list(row.values()) for row in table.to_pylist()]
    workbook(path, People=[table.column_names, *rows])


WRITERS = {
    "csv": pa.csv.write_csv,
    "parquet": pa.parquet.write_table,
    "jsonl": write_lines,
    "xlsx": write_workbook,
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_file_format(table, entities, suffix, tmp_path):
    path = tmp_path / f"people.{suffix}"
    WRITERS[suffix](table, path)
    result = partita.resolve(str(path), seed=SEED)
    assert groups(result, table["unique_id"].to_pylist()) == entities


def test_a_duplicated_file(table, entities):
    """Each record twice: the copies join their originals, and nothing else changes."""
    ids = table["unique_id"].to_pylist()
    copies = table.set_column(0, "unique_id", pa.array([f"{id}-copy" for id in ids]))
    originals = table.set_column(0, "unique_id", pa.array([str(id) for id in ids]))
    both = pa.concat_tables([originals, copies])
    expected = {frozenset({*map(str, one), *(f"{id}-copy" for id in one)}) for one in entities}
    assert resolved(both) == expected
