"""Codes, distinct values and counts of columns of every type."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from partita.data.table import Records, encode
from partita.errors import InputError


def records(**columns):
    table = pa.table(columns)
    return Records(table, tuple(columns), pa.array(np.arange(table.num_rows)))


def test_codes_lead_to_cleaned_values():
    column = records(a=["Ann", None, "BOB", "ann ", "n/a", "Bób"]).column("a")
    assert column.values.to_pylist() == ["ann", "bob"]
    assert column.codes.tolist() == [0, -1, 1, 0, -1, 1]
    assert column.counts.tolist() == [2, 2]
    assert (column.codes.dtype, column.values.type) == (np.int32, pa.string())


def test_columns_are_made_once_and_cannot_be_changed():
    table = records(a=["x", "y"])
    column = table.column("a")
    assert table.column("a") is column
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1
    raw = table.column("a", cleaned=False)
    assert table.column("a") is column
    assert raw.values.to_pylist() == ["x", "y"]


def test_raw_values_are_unchanged():
    table = records(a=["A.B", "a b", None])
    assert table.column("a", cleaned=False).values.to_pylist() == ["A.B", "a b"]
    assert table.column("a").values.to_pylist() == ["a b"]
    assert table.raw_texts("a", np.array([2, 1, 1])) == ["a b", "a b"]
    assert table.column("a").texts(np.array([0])) == ["a b"]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (pa.array([1, None, 10]), ["1", "10"]),
        (pa.array([1.0, 2.5, None]), ["1", "2.5"]),
        (pa.array([True, None]), ["true"]),
        (pa.array([Decimal("1.50"), None]), ["1.50"]),
        (pa.array([datetime.date(1990, 1, 2)]), ["1990-01-02"]),
        (pa.array([datetime.datetime(1990, 1, 2), None], pa.timestamp("ns")), ["1990-01-02"]),
        (pa.array([datetime.datetime(1990, 1, 2, 3)], pa.timestamp("s")), ["1990-01-02 03:00:00"]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x"]),
        (pa.array(["x", None], pa.large_string()), ["x"]),
        (pa.array(["x", None], pa.string_view()), ["x"]),
        (pa.array([["x", "y"], None, ["z"]]), ["x; y", "z"]),
        (pa.array([[1, 2], None]), ["1; 2"]),
        (pa.array([{"k": 1}, None]), ["{'k': 1}"]),
        (pa.array([b"x", b"\xff"]), ["x", "\\xFF"]),
        (pa.nulls(2), []),
        (pa.array([None, None], pa.string()), []),
    ],
)
def test_every_type_becomes_text(values, wanted):
    codes, texts = encode(pa.chunked_array([values]))
    assert texts.to_pylist() == wanted
    assert texts.type == pa.string()
    assert ((codes == -1) == np.array(values.is_null())).all()
    # one dictionary over all chunks
    twice, same = encode(pa.chunked_array([values, values]))
    assert same.to_pylist() == wanted
    assert twice.tolist() == codes.tolist() * 2


def test_the_original_comes_back_in_any_order():
    table = records(a=["x", "y", "z"])
    assert table.original() is table.table
    assert table.original([2, 0])["a"].to_pylist() == ["z", "x"]
    assert table.original([]).num_rows == 0
    for rows in ([3], [-1]):
        with pytest.raises(InputError, match="outside 0 to 2"):
            table.original(rows)


def test_bad_records_are_refused():
    table = records(a=["x"])
    assert (table.n, len(table)) == (1, 1)
    with pytest.raises(InputError, match="no column 'b'; there are a"):
        table.column("b")
    with pytest.raises(InputError, match="no column 'b'"):
        Records(table.table, ("b",), table.ids)
    with pytest.raises(InputError, match="2 ids for 1 records"):
        Records(table.table, ("a",), pa.array([1, 2]))
