"""CSV values are read unchanged, as text."""

import csv
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.data import csv as text
from partita.data import dialect
from partita.data.files import read_file
from partita.errors import InputError


def put(tmp_path, data, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def rows(path):
    return read_file(path).to_pylist()


def test_values_are_read_unchanged(tmp_path):
    path = put(tmp_path, 'Code,name,Name\n007,"x, ""y""",\n1e5, "z" ,TRUE\n')
    assert rows(path) == [
        {"Code": "007", "name": 'x, "y"', "Name": None},
        {"Code": "1e5", "name": "z", "Name": "TRUE"},
    ]


def test_files_of_the_csv_module_are_read(tmp_path):
    cells = ['a"b', "c,d", "e\nf", "g;h", "'i", "\\j", "k\ttab", "ü", "0001", "#no comment"]
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["n", "cell"], *enumerate(cells)])
    assert [row["cell"] for row in rows(path)] == cells


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_encodings_are_rewritten(tmp_path, encoding):
    path = put(tmp_path, "id,name\n1,Zoë Müller\n2,Ann\n".encode(encoding))
    assert rows(path)[0] == {"id": "1", "name": "Zoë Müller"}


CELLS = st.text(st.sampled_from(list("ab ,;'\"\n\\é|")), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8), st.sampled_from(",;\t|"))
def test_any_table_that_python_writes(table, delimiter):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
            writer.writerows([("x", "y", "z"), *table])
        cells = rows(path)
    assert [tuple(value or "" for value in row.values()) for row in cells] == table


def test_column_names_become_distinct(tmp_path):
    path = put(tmp_path, ",x,x,x_2,X\n0,1,2,3,4\n")
    assert list(rows(path)[0]) == ["column_1", "x", "x_3", "x_2", "X"]


def test_line_ends_blank_lines_and_gzip(tmp_path):
    same = [{"a": "1", "b": "x\ny"}, {"a": "2", "b": None}]
    assert rows(put(tmp_path, '\n\na,b\r\n1,"x\ny"\r\n\n2,\n')) == same
    assert rows(put(tmp_path, 'a,b\r1,"x\ny"\r2,\r')) == same
    assert rows(put(tmp_path, gzip.compress(b'a;b\n1;"x\ny"\n2;\n'), "a.csv.gz")) == same


def test_one_column_keeps_its_blank_records(tmp_path):
    assert rows(put(tmp_path, "a\n1\n\n2\n")) == [{"a": "1"}, {"a": None}, {"a": "2"}]


def test_a_header_alone_is_an_error(tmp_path):
    with pytest.raises(InputError, match="has a header and no records"):
        read_file(put(tmp_path, "a,b\n"))


def test_a_lost_record_is_an_error(tmp_path, monkeypatch):
    parse = text._parse
    monkeypatch.setattr(text, "_parse", lambda *given: parse(*given).slice(1))
    with pytest.raises(InputError, match="holds 2 records, but 1 were read"):
        read_file(put(tmp_path, "a,b\n1,2\n3,4\n"))


@pytest.mark.compiled
def test_a_cell_of_ten_megabytes(tmp_path):
    long = "x" * 10_000_000
    path = put(tmp_path, f'a,b\n1,{long}\n2,"{long}"\n3,y\n')
    assert [len(row["b"]) for row in rows(path)] == [10_000_000, 10_000_000, 1]


def test_a_file_is_read_in_two_passes(tmp_path, monkeypatch):
    passes = []
    chunks = dialect.read_chunks
    for module in (dialect, text):
        monkeypatch.setattr(
            module, "read_chunks", lambda path, *size: passes.append(size) or chunks(path, *size)
        )
    parse = text._parse
    monkeypatch.setattr(text, "_parse", lambda *given: passes.append("parse") or parse(*given))
    path = put(tmp_path, "a,b\n" + "1,é\n" * 100_000)
    assert len(rows(path)) == 100_000
    # a sample of the beginning, all bytes once, and the parser
    assert passes == [(dialect.SAMPLE_BYTES,), (), "parse"]
