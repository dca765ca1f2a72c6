"""Output in input order, complete or absent, in the type of the input."""

import csv
import datetime
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.data.read import read
from partita.data.write import check_output, check_path, extend_input, write
from partita.errors import InputError

ROWS = [{"id": f"{at:03}", "name": text} for at, text in enumerate(['x, "y"', None, "z\nü"])]
NEW = {"cluster_id": np.array([5, 5, 9]), "p_member": np.array([0.5, 0.25, 1.0])}
WANTED = [
    {**row, "cluster_id": number, "p_member": p}
    for row, number, p in zip(ROWS, [5, 5, 9], [0.5, 0.25, 1.0], strict=True)
]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", ".CSV"])
def test_written_files_can_be_read(tmp_path, suffix):
    path = write(read(ROWS), NEW, tmp_path / f"out{suffix}")
    back = read(path)
    assert back.original().column_names == ["id", "name", "cluster_id", "p_member"]
    rows = [
        {**row, "cluster_id": int(row["cluster_id"]), "p_member": float(row["p_member"])}
        for row in back.original().to_pylist()
    ]
    assert rows == WANTED
    assert list(tmp_path.iterdir()) == [path]


def test_parquet_keeps_types(tmp_path):
    path = write(read(ROWS), {"cluster_id": pa.array(["a", None, "b"])}, tmp_path / "o.parquet")
    table = pq.read_table(path)
    assert table["cluster_id"].to_pylist() == ["a", None, "b"]
    assert pq.read_schema(path).field("name").type == pa.string()


def test_rows_stay_in_order(tmp_path):
    n = 300_000
    table = pa.table({"id": np.arange(n), "a": np.full(n, "x")})
    path = write(read(table), {"cluster_id": np.arange(n)[::-1]}, tmp_path / "o.csv")
    frame = pd.read_csv(path)
    assert (frame["id"] == np.arange(n)).all()
    assert (frame["cluster_id"] == n - 1 - frame["id"]).all()


def test_a_failure_leaves_the_older_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("older")

    def fail(table, beside, options):
        beside.write_text("half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys.modules[write.__module__], "_copy", fail)
    with pytest.raises(InputError, match=r"could not be written \(No space left on device\)"):
        write(read(ROWS), NEW, path)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk(tmp_path):
    program = f"""
import resource, signal, numpy as np, pyarrow as pa
from partita.errors import InputError
from partita.data import read, write
records = read(pa.table({{"a": np.random.default_rng(0).random(200_000)}}))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for suffix in ("csv", "parquet", "jsonl"):
    try:
        write(records, {{"cluster_id": np.arange(200_000)}}, r"{tmp_path}/out." + suffix)
    except InputError as error:
        assert "could not be written" in str(error), error
        assert chr(10) not in str(error)
    else:
        raise AssertionError(suffix)
"""
    if sys.platform == "win32":
        pytest.skip("limits of file sizes are a matter of POSIX")
    for suffix in ("csv", "parquet", "jsonl"):
        (tmp_path / f"out.{suffix}").write_text("older")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("out.csv", "out.jsonl", "out.parquet"),
    ]
    assert (tmp_path / "out.csv").read_text() == "older"


def test_rights_and_links_stay(tmp_path):
    target = tmp_path / "real.csv"
    target.write_text("older")
    target.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    write(read(ROWS), NEW, link)
    assert link.is_symlink()
    assert target.read_text().startswith("id,name,cluster_id,p_member\n")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    fresh = write(read(ROWS), NEW, tmp_path / "fresh.csv")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o666 & ~mask


def test_the_input_can_be_the_output(tmp_path):
    path = write(read(ROWS), {}, tmp_path / "a.parquet")
    write(read(path), NEW, path)
    assert read(path).original().to_pylist() == WANTED


@pytest.mark.parametrize(
    ("rows", "names", "name", "message"),
    [
        (ROWS, ["name"], "a.csv", "has a column 'name' already"),
        (ROWS, ["x"], "a.txt", "must end in .csv or .parquet or .jsonl"),
        (ROWS, ["x"], "none/a.csv", "there is no folder"),
        (ROWS, ["x"], "folder.csv", "is a folder"),
        (ROWS, ["Name"], "a.csv", "'name' and 'Name' differ in case only"),
    ],
)
def test_output_is_checked_before_the_work(tmp_path, rows, names, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=message):
        check_output(read(rows), names, tmp_path / name)
    with pytest.raises(InputError, match=message):
        write(read(rows), {item: [1, 2, 3] for item in names}, tmp_path / name)


def test_names_that_differ_in_case_are_refused_without_a_path():
    with pytest.raises(InputError, match="'name' and 'Name' differ in case only"):
        check_output(read(ROWS), ["Name"])
    with pytest.raises(InputError, match="'A' and 'a' differ in case only"):
        check_output(read([{"A": 1, "a": 2}]), ["cluster_id"])


def test_a_folder_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "access", lambda *given: False)
    with pytest.raises(InputError, match="nothing can be written to"):
        check_output(read(ROWS), [], tmp_path / "a.csv")


def test_a_wrong_number_of_values(tmp_path):
    with pytest.raises(InputError, match="'cluster_id' has 2 values for 3 records"):
        write(read(ROWS), {"cluster_id": [1, 2]}, tmp_path / "a.csv")


def test_the_input_type_is_returned():
    frame = pd.DataFrame(ROWS, index=["p", "p", "q"]).astype({"name": "category"})
    back = extend_input(read(frame), NEW)
    assert isinstance(back, pd.DataFrame)
    assert back.index.tolist() == ["p", "p", "q"]
    assert back["name"].dtype == "category"
    assert back["cluster_id"].tolist() == [5, 5, 9]
    assert list(frame.columns) == ["id", "name"]
    assert extend_input(read(pl.DataFrame(ROWS)), NEW).to_dicts() == WANTED
    assert extend_input(read(pa.Table.from_pylist(ROWS)), NEW).to_pylist() == WANTED
    relation = extend_input(read(duckdb.from_arrow(pa.Table.from_pylist(ROWS))), NEW)
    assert isinstance(relation, duckdb.DuckDBPyRelation)
    assert relation.to_arrow_table().to_pylist() == WANTED
    assert extend_input(read(ROWS), NEW) == WANTED
    assert extend_input(read(ROWS), {}) == ROWS
    assert "cluster_id" not in ROWS[0]


def test_dicts_keep_their_own_keys():
    rows = [{"a": 1}, {"b": "x", "a": 2}]
    assert extend_input(read(rows), {"k": [7, 8]}) == [{"a": 1, "k": 7}, {"b": "x", "a": 2, "k": 8}]


def test_several_inputs_come_back_as_one():
    back = extend_input(read([pd.DataFrame(ROWS), pd.DataFrame(ROWS)]), {"k": np.arange(6)})
    assert isinstance(back, pd.DataFrame)
    assert back["source_dataset"].tolist() == ["source_1"] * 3 + ["source_2"] * 3
    both = extend_input(read([pl.DataFrame(ROWS), pl.DataFrame(ROWS)]), {"k": np.arange(6)})
    assert isinstance(both, pl.DataFrame)
    assert len(extend_input(read([ROWS, ROWS]), {"k": np.arange(6)})) == 6


def test_paths_give_arrow(tmp_path):
    path = write(read(ROWS), {}, tmp_path / "a.parquet")
    assert extend_input(read(path), NEW).to_pylist() == WANTED


def test_old_names_are_refused_in_frames_too():
    with pytest.raises(InputError, match="'name' already"):
        extend_input(read(ROWS), {"name": [1, 2, 3]})


@pytest.mark.parametrize("path", ["-", Path("-")])
def test_standard_output_gets_csv(capfdbinary, path):
    sys.stdout.write("before\n")
    assert write(read(ROWS), {"k": [1, 2, 3]}, path) == Path("-")
    printed, _, text = capfdbinary.readouterr().out.decode().partition("\n")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert printed == "before"
    assert [row["k"] for row in lines] == ["1", "2", "3"]
    assert [row["name"] for row in lines] == [row["name"] or "" for row in ROWS]
    with pytest.raises(InputError, match="must end in"):
        check_path("-", (".html",))


@pytest.mark.parametrize("hours", [1, -1])
def test_durations_stay_durations(tmp_path, hours):
    spans = [datetime.timedelta(hours=hours), datetime.timedelta(days=2), None]
    table = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"], "span": pa.array(spans)})
    pq.write_table(table, tmp_path / "in.parquet")
    records = read(tmp_path / "in.parquet")
    out = pq.read_table(write(records, {"cluster_id": [0, 1, 2]}, tmp_path / "out.parquet"))
    assert pa.types.is_duration(out.schema.field("span").type)
    assert out.column("span").to_pylist() == spans
