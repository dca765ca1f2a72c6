import json

import numpy as np
import pytest

from benchmarks import cases, walk
from benchmarks.growth import KINDS
from benchmarks.measure import interleave

pytestmark = pytest.mark.compiled

TINY = walk.Plan(
    n=60, steps=300, repeats=2, settle=600, loads=1, sizes=(4, 12), cases=("labels", "partition")
)


@pytest.mark.parametrize("temperature", [1.0, walk.HOT])
@pytest.mark.parametrize("name", cases.CASES)
def test_twin_ends_in_the_same_state(name, temperature):
    case = cases.CASES[name](60)
    compiled = case.compile()
    ours, theirs = case.chain(compiled, 3), case.chain(compiled, 3)
    ours.run(4000, temperature)
    score, accepted = case.twin(theirs, 4000, temperature)
    assert cases.ended_alike(ours, theirs)
    assert score == ours.score
    assert accepted == ours.tally[0, 1]
    # from the truth, a cold chain need not move at all
    assert accepted > 0 or temperature == 1.0


def test_chains_of_other_seeds_do_not_end_alike():
    case = cases.CASES["partition"](60)
    compiled = case.compile()
    one, other = case.chain(compiled, 3), case.chain(compiled, 4)
    one.run(4000, walk.HOT)
    other.run(4000, walk.HOT)
    assert not cases.ended_alike(one, other)


def test_comparison_refuses_a_twin_that_goes_astray(monkeypatch):
    monkeypatch.setattr(walk, "ended_alike", lambda ours, theirs: False)
    with pytest.raises(RuntimeError, match="do not end in the same state"):
        walk.compare("labels", TINY, 1.0)


def test_contestants_take_turns():
    order = []

    def prepare():
        return lambda: order.append("ours"), lambda: order.append("theirs")

    timing = interleave(prepare, 4, lambda: order.append("|"))
    assert "".join(order) == "ourstheirs|theirsours|ourstheirs|theirsours|"
    assert len(timing.ours) == len(timing.theirs) == 4


def test_last_line_is_json_with_every_figure(capsys):
    walk.main(["--json", "--quick"], TINY)
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(found) >= {"cases", "startup", "growth", "run", "machine", "targets"}
    for name in TINY.cases:
        assert found["cases"][name]["same_state"] is True
        assert set(found["cases"][name]) >= {"composed_ns", "fused_ns", "ratio", "met", "hot"}
        assert set(found["startup"][name]) >= {"compile_seconds", "load_seconds", "import_seconds"}
    assert set(found["growth"]) >= set(KINDS)
    assert all(len(row["ns"]) == len(TINY.sizes) for row in found["growth"].values())
    assert set(found["run"]) >= {"cpu_seconds", "wall_seconds", "peak_megabytes"}
    assert found["machine"]["cores"] >= 1
    figures = [found["cases"][name]["ratio"] for name in TINY.cases]
    assert np.isfinite(figures).all()


def test_tables_alone_end_without_json(capsys, monkeypatch):
    monkeypatch.setattr(walk, "report", lambda plan, quick: SMALL)
    walk.main(["--quick"])
    out = capsys.readouterr().out
    assert "partition" in out
    assert not out.splitlines()[-1].startswith("{")


RATES = {
    "temperature": 1.0,
    "composed_ns": 2.0,
    "fused_ns": 1.0,
    "ratio": 2.0,
    "accepted": 0.5,
    "factors_per_step": 3.0,
    "same_state": True,
}
SMALL = {
    "cases": {"partition": {"about": "two mentions", **RATES, "hot": RATES}},
    "startup": {},
    "growth": {
        "dense": {"sizes": [10], "ns": [1.0], "ratio": 1.0, "widest_ratio": 1.0, "met": True}
    },
    "run": {"cpu_seconds": 1.0},
    "machine": {"cores": 1},
}
