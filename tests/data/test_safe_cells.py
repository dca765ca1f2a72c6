"""Cells that a spreadsheet would run as formulas."""

import csv

import pyarrow as pa
import pytest

from partita.data.safe_cells import safe_cells
from partita.data.write import write_table
from tests.cli.running import refused, run

ATTACKS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]


def cells(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_formulas_are_marked_on_request_only(tmp_path):
    table = pa.table({"=n": [*ATTACKS, "a=1", None], "x": [-1] * 8})
    path = tmp_path / "a.csv"
    write_table(table, path)
    assert [row[0] for row in cells(path)][:7] == ["=n", *ATTACKS]
    with safe_cells():
        write_table(table, path)
        write_table(table, tmp_path / "a.jsonl")
    rows = cells(path)
    assert [row[0] for row in rows] == ["'=n", *(f"'{text}" for text in ATTACKS), "a=1", ""]
    assert {row[1] for row in rows[1:]} == {"-1"}
    assert "'=" not in (tmp_path / "a.jsonl").read_text()


@pytest.mark.compiled
def test_the_command_marks_formulas(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("id,name,town\n1,=cmd(),Ely\n2,=cmd(),Ely\n3,Bob Orr,Bath\n")
    assert run("resolve", source, "--out", out, "--safe-cells", "-q").exit_code == 0
    assert [row[1] for row in cells(out)] == ["name", "'=cmd()", "'=cmd()", "Bob Orr"]
    other = ("--out", tmp_path / "out.parquet", "--safe-cells")
    assert "no effect without a CSV output" in refused("resolve", source, *other)
