"""Columns of several files under one name, by --map."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from partita.cli.inputs import input_path
from partita.data import inputs, read
from partita.linkage import routing
from partita.synthetic import people
from tests.cli.running import refused, run, told

A = "id,name,town\n1,Ann Lee,Ely\n2,Bob Orr,Bath\n3,Cyd Fox,York\n4,Dee Day,Hull\n"
B = "id,title,town\n7,Ann Leigh,Ely\n8,Bob Orr,Bath\n9,Eve Ash,Deal\n"


@pytest.fixture
def files(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text(A)
    b.write_text(B)
    return a, b


def test_mapped_columns_are_one(files):
    found = told("profile", *files, "--map", "b.title=a.name")
    assert [column["name"] for column in found["columns"]] == ["name", "town"]
    assert found["sources"] == ["a", "b"]
    assert found["records"] == 7


@pytest.mark.compiled
def test_resolve_compares_mapped_columns(files, tmp_path):
    out = tmp_path / "o.csv"
    found = told("resolve", *files, "--map", "b.title=a.name", "--mode", "link", "--out", out)
    assert found["records"] == 7
    assert read(out).table.column_names[:4] == ["source_dataset", "id", "name", "town"]


@pytest.mark.compiled
def test_a_config_maps_columns_and_states_that_there_is_no_header(files, tmp_path):
    config, out = tmp_path / "partita.toml", tmp_path / "o.csv"
    config.write_text('[input]\nmap = ["b.title=a.name"]\nmode = "link"\n')
    assert told("resolve", *files, "--config", config, "--out", out)["records"] == 7
    assert "title" not in read(out).table.column_names
    config.write_text("[input]\nheader = false\n")
    assert told("block", files[0], "--config", config)["records"] == 5


def test_what_cannot_be_mapped_is_refused(files):
    for text, said in (
        ("c.title=a.name", "c"),
        ("b.titel=a.name", "'titel'"),
        ("b.title=a.town", "two columns 'town'"),
    ):
        assert said in refused("profile", *files, "--map", text)


def test_a_file_without_a_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(A.partition("\n")[2])
    assert told("profile", path, "--no-header")["records"] == 4
    assert told("profile", path, "--header")["records"] == 3


def test_a_generated_table_goes_through_pipes(tmp_path):
    made = run("generate", 30, "--out", "-", "--seed", 1)
    assert made.exit_code == 0
    assert made.stdout.startswith('"unique_id",')
    assert made.stdout.count("\n") == 31
    assert "30 records of people in standard output" in made.stderr
    assert "--truth file" in refused("generate", 30, "--out", "-", "--truth", "file")


@pytest.mark.compiled
def test_resolve_reads_and_writes_pipes():
    table = people(60, seed=1, truth=None).table()
    content = pa.BufferOutputStream()
    csv.write_csv(table, content)
    found = subprocess.run(
        [sys.executable, "-m", "partita", "resolve", "-", "--out", "-", "--draws", "20"],
        input=content.getvalue().to_pybytes(),
        capture_output=True,
        check=True,
        timeout=240,
    )
    written = csv.read_csv(pa.BufferReader(found.stdout))
    assert written.column_names == [*table.column_names, "cluster_id", "p_member", "p_cluster"]
    assert written.column("unique_id").to_pylist() == list(range(60))
    assert b"records" in found.stderr and b"entities" in found.stderr


def test_names_without_an_ending_are_files_and_no_texts():
    assert "there is no file Ann" in refused("profile", "Ann", "Bob")


@pytest.mark.compiled
def test_a_large_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    people(60, seed=1, truth=None).write(path)
    calls = []
    load = inputs.read_file
    monkeypatch.setattr(inputs, "read_file", lambda *given: calls.append(given) or load(*given))
    monkeypatch.setattr(routing, "MIN_BYTES", 0)
    run("resolve", path, "--out", tmp_path / "out.csv")
    assert len(calls) == 1


def test_the_address_of_a_database_is_no_path():
    """A path has one slash where the address of a reference or of aliases has two."""
    address = "postgresql://ann@host/db::people"
    assert input_path(address) == address
    assert input_path("people.csv") == Path("people.csv")
    assert input_path(None) is None
