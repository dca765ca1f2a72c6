"""The benchmark of labels on generated records: labels, scores with and without them, the table."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from benchmarks.labels import __main__ as labels
from benchmarks.labels.drawing import draw
from benchmarks.labels.report import show, summary
from benchmarks.peers.running import Limits
from benchmarks.peers.sets import Prepared, prepare_people

pytestmark = pytest.mark.compiled


def test_the_first_labels_are_those_of_fewer_questions(tmp_path):
    data = prepare_people(300, 1, tmp_path)
    many, few = draw(data, 30, 0), draw(data, 10, 0)
    assert many[:10] == few
    truth = data.truth.to_pylist()
    assert all((truth[a] == truth[b]) == match for a, b, match in many)
    assert 0 < sum(match for _, _, match in many) < 30


def test_pairs_that_were_labelled_can_be_left_out(tmp_path):
    path = tmp_path / "answer.parquet"
    pq.write_table(pa.table({"record": [3, 2, 1, 0], "cluster": [9, 9, 7, 7]}), path)
    data = Prepared("tiny", tmp_path, pa.array(["a", "a", "b", "c"]))
    assert labels.without(path, data, []) == pytest.approx(2 / 3)
    assert labels.without(path, data, [(2, 3, False)]) == 1.0
    assert labels.without(path, data, [(0, 1, True)]) == 0.0


def test_ours_is_measured_with_and_without_labels(tmp_path):
    data = prepare_people(300, 1, tmp_path)
    quiet = Console(file=io.StringIO())
    found = labels.compare(data, ["partita"], [20], [0], Limits(seconds=600), quiet)
    start, trained = found["rows"]
    assert (start["labels"], trained["labels"]) == (0, 20)
    assert start["status"] == trained["status"] == "ok"
    assert 0.5 < trained["f1_others"] <= 1.0
    screen = Console(file=io.StringIO(), width=200)
    show({"sets": {"people": found}, "notes": ["a note"]}, screen)
    assert "a note" in screen.file.getvalue()


def test_a_tool_that_failed_on_a_set_is_not_tried_again(tmp_path, monkeypatch):
    tried = []

    def fails(tool, data, limits, **_):
        tried.append(tool)
        return {"status": "timed out after 1 s"}

    monkeypatch.setattr(labels, "run_tool", fails)
    data, quiet = prepare_people(300, 1, tmp_path), Console(file=io.StringIO())
    found = labels.compare(data, ["dedupe"], [10, 20], [0], Limits(), quiet)
    assert tried == ["dedupe"]
    assert found["rows"][-1]["labels"] == 20
    again = "not tried again: with 10 labels timed out after 1 s"
    assert found["rows"][-1]["status"] == again


def test_rows_of_several_seeds_are_one_row():
    def row(seed, f1):
        scores = {"pairwise": {"f1": f1}, "bcubed": {"f1": 0.9}, "cpu_seconds": 2.0}
        return {"tool": "t", "labels": 50, "seed": seed, "status": "ok", "f1_others": f1, **scores}

    failed = {"tool": "t", "labels": 50, "seed": 2, "status": "timed out after 1 s"}
    (one,) = summary([row(0, 0.8), row(1, 0.9), failed])
    assert (one["f1"], one["f1_least"], one["f1_most"]) == (pytest.approx(0.85), 0.8, 0.9)
    assert one["runs"] == 2
    assert one["status"] == "timed out after 1 s"
    assert np.isclose(one["f1_others"], 0.85)


def test_bad_arguments_are_one_sentence():
    for words, said in ((["--sets", "moon"], "no set 'moon'"), (["--labels", "x"], "labels are")):
        with pytest.raises(SystemExit, match=said):
            labels.main(words)
