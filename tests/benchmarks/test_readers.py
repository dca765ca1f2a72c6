"""The benchmark of readers: Partita is right in every case, and DuckDB alone is not."""

import numpy as np
import pytest

from benchmarks.readers import _measure_reach, compare_bibtex, compare_csv, compare_neighbours

pytestmark = pytest.mark.compiled


def test_every_csv_case_is_read_or_refused(tmp_path):
    rows = compare_csv(tmp_path)
    assert all(row["correct"] for row in rows if row["reader"] == "partita")
    assert not all(row["correct"] for row in rows if row["reader"] == "duckdb")


def test_authors_and_neighbours_are_right(tmp_path):
    assert compare_bibtex(tmp_path, 30)[0]["correct"]
    assert compare_neighbours(tmp_path, 600)[0]["reached"] > 0.95


def test_reach_counts_records_with_a_match():
    truth = np.array([0, 0, 1, 1, 2])
    assert _measure_reach(np.array([[0, 1], [2, 4]]), truth) == 0.5
