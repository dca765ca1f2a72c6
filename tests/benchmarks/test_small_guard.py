"""The guard on cost: its limits, its repeats, and its record."""

import json

import pytest

from benchmarks.guard import __main__ as guard

COSTS = {"candidates": 1000.0, "peak megabytes": 400.0, guard.RATIO: 4.0}


def test_ten_per_cent_more_work_or_memory_is_allowed():
    assert guard.exceeding(COSTS, COSTS) == {}
    near = {"candidates": 1099.0, "peak megabytes": 439.0, guard.RATIO: 5.9}
    assert guard.exceeding(near, COSTS) == {}
    far = {"candidates": 1101.0, "peak megabytes": 441.0, guard.RATIO: 6.1}
    assert set(guard.exceeding(far, COSTS)) == set(COSTS)


def test_a_measure_without_a_record_is_an_error():
    with pytest.raises(SystemExit, match=r"draws.*make record"):
        guard.exceeding({**COSTS, "draws": 1.0}, COSTS)


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Costs of successive runs instead of resolutions; the list shows which were made."""
    monkeypatch.setattr(guard, "SETS", {"people": lambda folder, n: [folder / str(n)]})
    monkeypatch.setattr(guard, "RECORD", tmp_path / "record.json")
    ratios, made = [], []

    def run_child(paths):
        made.append(paths[0].name)
        return {**COSTS, guard.RATIO: ratios.pop(0)}

    monkeypatch.setattr(guard, "run_child", run_child)
    return ratios, made


def test_the_best_of_three_runs_counts(runs, tmp_path):
    ratios, made = runs
    guard.RECORD.write_text(json.dumps({"people": COSTS}))
    ratios[:] = [99.0, 9.0, 5.0]
    assert guard.main([]) == 0
    # the small run compiles, and nothing runs after the first run within the limits
    assert made == [str(guard.SMALL), "50000", "50000"]
    ratios[:] = [99.0, 9.0, 7.0, 8.0]
    assert guard.main([]) == 1


def test_the_record_is_rewritten(runs, capsys):
    runs[0][:] = [99.0, 9.0, 5.0, 7.0]
    assert guard.main(["--record"]) == 0
    assert json.loads(guard.RECORD.read_text())["people"][guard.RATIO] == 5.0
    runs[0][:] = [99.0, 5.0]
    assert guard.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["above"] == {}


def test_the_committed_record_covers_all_sets():
    record = json.loads(guard.RECORD.read_text())
    assert set(record) == set(guard.SETS) == set(guard.SIZES)
    for costs in record.values():
        assert {"candidates", "pairs compared", "feature rows", "draws"} <= set(costs)
        assert all(value > 0 for value in costs.values())
