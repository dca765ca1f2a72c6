"""Streams and packed files are read like the files that they hold."""

import gzip
import io
import os
import sqlite3
import subprocess
import sys
import threading
import zipfile
from contextlib import closing

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.data.files import read_file
from partita.data.read import read
from partita.errors import InputError

CSV = b"id,name\n1,Ann\n2,Bob\n"
LINES = b'{"id": "1", "name": "Ann"}\n{"id": "2", "name": "Bob"}\n'
ARRAY = b'[{"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"}]'
ROWS = [{"id": "1", "name": "Ann"}, {"id": "2", "name": "Bob"}]


def parquet():
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), out)
    return out.getvalue()


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, data in members.items():
            archive_file.writestr(name, data)
    return out.getvalue()


FORMATS = {
    **{"csv": CSV, "semicolon": CSV.replace(b",", b";"), "utf16": CSV.decode().encode("utf-16")},
    **{"lines": LINES, "array": ARRAY, "parquet": parquet(), "gzip": gzip.compress(LINES)},
    "zip": archive(**{"a.csv": CSV}),
}


def put(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("data", FORMATS.values(), ids=FORMATS)
def test_standard_input_holds_any_format(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_file("-").to_pylist() == ROWS


def test_standard_input_is_a_source_with_a_name(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV)))
    records = read(["-", put(tmp_path, CSV, "b.csv")])
    assert records.source_names == ("stdin", "b")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input is empty"):
        read("-")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="no /dev/stdin")  # noqa: PTH110
@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
@pytest.mark.parametrize("piped", [True, False])
def test_a_child_reads_its_standard_input(tmp_path, path, piped):
    program = f"from partita.data import read; print(read({path!r}).original().to_pylist())"
    command = [sys.executable, "-c", program]
    if piped:
        done = subprocess.run(command, input=CSV, capture_output=True, timeout=120, check=True)
    else:
        with put(tmp_path, CSV, "a").open("rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, timeout=120, check=True)
    assert done.stdout.decode().strip() == str(ROWS)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("data", FORMATS.values(), ids=FORMATS)
def test_named_pipes(tmp_path, data):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    assert read_file(path).to_pylist() == ROWS
    writer.join()


@pytest.mark.parametrize(
    ("name", "data"), [("a.csv", CSV), ("a.jsonl", LINES), ("a.json", ARRAY), ("a.tsv", CSV)]
)
def test_gzip_of_any_text(tmp_path, name, data):
    path = put(tmp_path, gzip.compress(data), f"{name}.gz")
    assert read_file(path).to_pylist() == ROWS
    # the content decides, and not the name
    assert read_file(put(tmp_path, gzip.compress(data), name)).to_pylist() == ROWS
    cut = put(tmp_path, gzip.compress(data * 100)[:-9], f"cut_{name}.gz")
    with pytest.raises(InputError, match=r"cut_a\..*\.gz is not a whole gzip file"):
        read_file(cut)
    with pytest.raises(InputError, match="is not a whole gzip file"):
        read_file(put(tmp_path, data, f"plain_{name}.gz"))


def test_bibtex_may_be_packed(tmp_path):
    entry = b"@article{a, author = {Ann Lee and Bob Orr}, title = {On}, year = 1999}\n"
    path = put(tmp_path, gzip.compress(entry), "a.bib.gz")
    assert read_file(path)["last"].to_pylist() == ["Lee", "Orr"]


def test_an_archive_with_one_table(tmp_path):
    hidden = {"folder/": b"", "__MACOSX/._a.csv": b"x", "folder/.DS_Store": b"x"}
    path = put(tmp_path, archive(**{"folder/a.csv": CSV, **hidden}), "data.zip")
    assert read_file(path).to_pylist() == ROWS
    assert read_file(f"{path}::folder/a.csv").to_pylist() == ROWS
    packed = put(tmp_path, archive(**{"a.jsonl.gz": gzip.compress(LINES)}), "more.zip")
    assert read_file(packed).to_pylist() == ROWS


def test_an_archive_with_several_tables(tmp_path):
    path = put(tmp_path, archive(**{"a.csv": CSV, "b.jsonl": LINES, "c.csv": b"x"}), "data.zip")
    with pytest.raises(InputError, match=r"has 3 files; write .*data.zip::NAME with one of: a.csv"):
        read_file(path)
    assert read_file(f"{path}::b.jsonl").to_pylist() == ROWS
    with pytest.raises(InputError, match=r"has no file 'd\.csv'"):
        read_file(f"{path}::d.csv")
    with pytest.raises(InputError, match=r"data.zip::c.csv has a header and no records"):
        read_file(f"{path}::c.csv")
    records = read([f"{path}::a.csv", f"{path}::b.jsonl"])
    assert records.source_names == ("data.a.csv", "data.b.jsonl")


def test_a_database_in_an_archive(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db")) as opened:
        opened.execute("CREATE TABLE people (id, name)")
        opened.execute("CREATE TABLE towns (name)")
        opened.executemany("INSERT INTO people VALUES (?, ?)", [("1", "Ann"), ("2", "Bob")])
        opened.commit()
    archive_file = archive(**{"a.db": (tmp_path / "a.db").read_bytes(), "b.csv": CSV})
    path = put(tmp_path, archive_file, "data.zip")
    assert read_file(f"{path}::a.db::people").to_pylist() == ROWS
    with pytest.raises(InputError, match=r"data.zip::a.db has 2 tables; .* people, towns"):
        read_file(f"{path}::a.db")


def test_a_broken_archive(tmp_path):
    whole = archive(**{"a.csv": CSV * 1000})
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_file(put(tmp_path, whole[:-30], "data.zip"))
    with pytest.raises(InputError, match="has 0 files"):
        read_file(put(tmp_path, archive(**{"folder/": b""}), "empty.zip"))
