"""Nearest records of a fixed table, against searches of the whole."""

import numpy as np
import pyarrow as pa
import pytest

from partita.blocking.query_index import QueryIndex
from partita.data import read
from partita.synthetic import people

NAMES = ["given_name", "surname", "city", "email"]


def columns_of(table):
    records = read(table.select(NAMES), id=False)
    return {name: records.column(name) for name in NAMES}


@pytest.fixture(scope="module")
def table():
    return people(300, seed=3).table()


def test_a_record_of_the_table_finds_itself(table):
    index = QueryIndex(columns_of(table), k=5)
    query, record = index.find(columns_of(table))
    own = {(int(q), int(r)) for q, r in zip(query, record, strict=True)}
    assert sum((k, k) in own for k in range(table.num_rows)) > 0.99 * table.num_rows
    assert len(own) == query.size
    assert record.min() >= 0 and record.max() < table.num_rows


def test_queries_do_not_depend_on_each_other(table):
    index = QueryIndex(columns_of(table), k=4, seed=2)
    query, record = index.find(columns_of(table))
    for row in (0, 17, 299):
        _, alone = index.find(columns_of(table.slice(row, 1)))
        assert alone.tolist() == record[query == row].tolist()


def test_a_feature_of_a_single_record_finds_it():
    names = ["alpha", "beta", "gamma", "delta"]
    index = QueryIndex(columns_of(make_table(names)), k=2)
    query, record = index.find(columns_of(make_table(["gamma", "zzzz", None])))
    assert [record[query == k].tolist() for k in range(3)] == [[2], [], []]


def make_table(names):
    none = pa.nulls(len(names), pa.string())
    return pa.table({name: pa.array(names) if name == "surname" else none for name in NAMES})


def test_no_record_is_found_where_no_feature_is_shared():
    index = QueryIndex(columns_of(make_table(["alpha", "beta"])), k=2)
    query, record = index.find(columns_of(make_table(["xyxyx"])))
    assert query.size == record.size == 0
    assert query.dtype == np.int64
