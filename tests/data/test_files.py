"""Every file format, and the messages for files that cannot be read."""

import datetime
import sqlite3
from contextlib import closing

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.data.files import read_file
from partita.data.sources import split_table
from partita.errors import InputError


def put(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_json_lines_keep_every_key_and_every_string(tmp_path):
    lines = [
        '{"id": "001", "born": "1990-02-03", "n": 1}',
        "",
        '{"id": "2", "n": 2, "more": ["x", "y"], "mixed": 5}',
        '{"id": "3", "mixed": "five", "deep": {"k": 1}}',
    ]
    table = read_file(put(tmp_path, "\n".join(lines), "a.jsonl"))
    assert table.column_names == ["id", "born", "n", "more", "mixed", "deep"]
    assert table["id"].to_pylist() == ["001", "2", "3"]
    assert table["born"].to_pylist() == ["1990-02-03", None, None]
    assert table["n"].type == pa.int64()
    assert table["more"].to_pylist() == [None, ["x", "y"], None]
    assert table["mixed"].to_pylist() == [None, "5", "five"]


def test_json_keys_that_differ_in_case(tmp_path):
    path = put(tmp_path, '{"a": 1, "a_1": 2, "a_2": 3}\n', "a.jsonl")
    assert read_file(path).to_pylist() == [{"a": 1, "a_1": 2, "a_2": 3}]
    with pytest.raises(InputError, match="in case only"):
        read_file(put(tmp_path, '{"a": 1, "A": 2}\n', "b.jsonl"))


def test_names_with_stars_and_brackets_are_names(tmp_path):
    for name, text in {"a*.csv": "n,m\n1,2\n", "a[1].jsonl": '{"n": "1"}\n'}.items():
        put(tmp_path, text.replace("1", "5"), name.replace("*", "b").replace("[1]", "1"))
        assert read_file(put(tmp_path, text, name))["n"].to_pylist() == ["1"]


def test_a_json_array_is_read(tmp_path):
    table = read_file(put(tmp_path, '[{"a": 1}, {"a": 2}]', "a.json"))
    assert table["a"].to_pylist() == [1, 2]


def test_parquet_keeps_types_and_names(tmp_path):
    table = pa.table({"a": [1, None], "A": ["x", "y"], "d": [datetime.date(1990, 1, 2), None]})
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table, tmp_path / "without_suffix")
    assert read_file(tmp_path / "a.parquet").equals(table)
    assert read_file(tmp_path / "without_suffix").equals(table)
    assert read_file(tmp_path / "a.parquet", memory=10).equals(table)


def test_duckdb_tables_are_named(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.execute("CREATE TABLE one AS SELECT 1 AS a, '007' AS b")
    assert read_file(path).to_pylist() == [{"a": 1, "b": "007"}]
    with duckdb.connect(str(path)) as opened:
        opened.execute('CREATE SCHEMA s; CREATE TABLE s."t w" AS SELECT 2 AS a')
    assert read_file(f"{path}::s.t w").to_pylist() == [{"a": 2}]
    with pytest.raises(InputError, match=r"has 2 tables; write .*::NAME with one of: one, s.t w"):
        read_file(path)
    with pytest.raises(InputError, match="has no table 'two'"):
        read_file(f"{path}::two")


def test_sqlite_types_come_from_the_values(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as opened:
        opened.execute('CREATE TABLE "t w" (i, r, t, m, b)')
        opened.executemany(
            'INSERT INTO "t w" VALUES (?, ?, ?, ?, ?)',
            [(1, 1.5, "007", 1, b"\xff"), (None, 2, None, "x", None)],
        )
        opened.commit()
    table = read_file(f"{path}::t w")
    assert table.to_pylist() == [
        {"i": 1, "r": 1.5, "t": "007", "m": "1", "b": "FF"},
        {"i": None, "r": 2.0, "t": None, "m": "x", "b": None},
    ]
    assert table.schema.types[:3] == [pa.int64(), pa.float64(), pa.string()]
    assert split_table(f"{path}::t w") == (path, "t w")


def test_missing_files_folders_and_wrong_formats(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*none\.csv"):
        read_file(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_file(tmp_path)
    with pytest.raises(InputError, match="is empty"):
        read_file(put(tmp_path, b"", "a.csv"))
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_file(put(tmp_path, b"PK\x03\x04 and more", "a.csv"))
    with pytest.raises(InputError, match="no database, workbook or archive"):
        read_file(f"{put(tmp_path, 'a,b', 'b.csv')}::t")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n', "line"),
        ("a.jsonl", '{"a": 1}\n5\n', "cannot be read"),
        ("a.parquet", b"PAR1 and no more", "not a whole Parquet file"),
        ("a.db", b"SQLite format 3\x00 and no more", "cannot be read"),
        ("a.duckdb", b"12345678DUCK and no more", "cannot be read"),
    ],
)
def test_broken_files_are_one_sentence(tmp_path, name, data, message):
    with pytest.raises(InputError, match=message) as caught:
        read_file(put(tmp_path, data, name))
    assert "\n" not in str(caught.value)


def test_files_without_records(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "a.parquet")
    with closing(sqlite3.connect(tmp_path / "a.db")) as opened:
        opened.execute("CREATE TABLE t (a)")
        opened.commit()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as opened:
        opened.execute("CREATE TABLE t (a INT)")
    for name in ("a.parquet", "a.db", "a.duckdb"):
        with pytest.raises(InputError, match="holds no records"):
            read_file(tmp_path / name)
