"""Sensitivity: constants are found, changed in an overlay alone, and their effects compared."""

import fnmatch
import json

import pyarrow as pa
import pytest

from benchmarks.panel.sets import PanelSet, prepare_task
from benchmarks.sensitivity.__main__ import main
from benchmarks.sensitivity.constants import (
    EXCLUDED,
    PACKAGE,
    STAGES,
    Constant,
    change,
    find_constants,
    overlay,
    reason_excluded,
)
from benchmarks.sensitivity.reach import find_readers, trace_functions
from benchmarks.sensitivity.running import compare
from partita.data.clean import clean


@pytest.mark.parametrize(
    ("value", "less", "more"),
    [
        (100, 70, 130),
        (2, 1, 3),
        (1, 0, 2),
        (-1, 0, -2),
        (-6.0, -4.2, -7.8),
        (0.05, 0.035, 0.065),
        (0.5, 0.35, 0.65),
        (0.99, 0.987, 0.993),
        ((0.9, 0.3), (0.87, 0.21), (0.93, 0.39)),
        ({"a": 8.0}, {"a": 5.6}, {"a": 10.4}),
    ],
)
def test_values_change_by_their_type(value, less, more):
    assert change(value, 0.7) == less
    assert change(value, 1.3) == more


def test_marked_constants_are_found_in_all_stages():
    constants = find_constants()
    keys = [constant.key for constant in constants]
    assert len(set(keys)) == len(keys) > 50
    assert {key.partition(".")[0] for key in keys} <= set(STAGES)
    value = dict(zip(keys, (constant.value for constant in constants), strict=True))
    assert isinstance(value["comparison.automatic.JARO_WINKLER"], tuple)


def test_every_exclusion_matches_a_constant():
    keys = [constant.key for constant in find_constants()]
    for pattern in EXCLUDED:
        # labels are needed by supervision, whether or not its numbers are marked
        assert fnmatch.filter(keys, pattern) or pattern == "linkage.supervision.*"
    assert reason_excluded(Constant("linkage.supervision.refit", "MIN_M", 1e-9))


def test_an_overlay_changes_one_line():
    constant = next(found for found in find_constants() if found.name == "JARO_WINKLER")
    with overlay(PACKAGE.parent, constant, (0.5, 0.25)) as folder:
        copies = {path.relative_to(folder / "partita") for path in folder.rglob("*.py")}
        assert copies == {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")}
        changed = [
            path
            for path in copies
            if (folder / "partita" / path).read_text() != (PACKAGE / path).read_text()
        ]
        assert [str(path) for path in changed] == ["comparison/automatic.py"]
        before = (PACKAGE / changed[0]).read_text().splitlines()
        after = (folder / "partita" / changed[0]).read_text().splitlines()
        assert [line for line in after if line not in before] == ["JARO_WINKLER = (0.5, 0.25)"]
        assert len(after) == len(before)


def scores(f1, ece, digest):
    return {"status": "ok", "f1": f1, "near_ece": ece, "digest": digest}


def test_the_largest_change_of_either_sign_is_reported():
    before = {"sets": {"a": scores(0.9, 0.1, "1"), "b": scores(0.5, None, "2")}}
    less = {"sets": {"a": scores(0.7, 0.1, "3"), "b": scores(0.6, 0.3, "4")}, "cpu_seconds": 1.0}
    more = {"sets": {"a": scores(0.9, 0.2, "5"), "b": {"status": "crashed: x"}}, "cpu_seconds": 2.0}
    row = compare(before, {"-": less, "+": more})
    assert row["f1"] == {"change": pytest.approx(-0.2), "set": "a", "variant": "-"}
    assert row["near_ece"] == {"change": pytest.approx(0.1), "set": "a", "variant": "+"}
    assert row["f1_mean"] == {"-": pytest.approx(-0.05), "+": 0.0}
    assert row["failures"] == ["b at +: crashed: x"]
    assert not row["identical"]
    assert compare(before, {"-": before | {"cpu_seconds": 1.0}})["identical"]


def test_a_subsample_keeps_whole_entities(tmp_path, monkeypatch):
    rows = [f"{k},name {k},{k // 3}" for k in range(60)] + [f"{k},many,many" for k in range(60, 90)]
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "records.csv").write_text("\n".join(["id,name,entity", *rows]))
    monkeypatch.setattr("benchmarks.panel.sets.DATA", tmp_path)
    task = prepare_task(PanelSet("small", "people"), tmp_path, limit=20)
    truth = task.truth.to_pylist()
    assert len(truth) == 18
    assert all(truth.count(entity) == 3 for entity in truth)


MODULE = """
from functools import cache
from partita.kernel import entry

USED = 1
UNUSED = 2
COMPILED = 3
DERIVED = 4
OTHER = 2 * DERIVED

def outer(n):
    return [inner(k) for k in range(n)]

def inner(k):
    return (lambda: k + USED)()

class Box:
    def unused(self, by=USED):
        return UNUSED

@entry
def compiled():
    return COMPILED
"""


def test_functions_that_read_a_number_are_found(tmp_path):
    (tmp_path / "linkage").mkdir()
    (tmp_path / "linkage" / "one.py").write_text(MODULE.replace("by=USED", "by=1"))
    two = "from partita.linkage.one import USED as FACTOR\n\ndef twice():\n    return 2 * FACTOR\n"
    (tmp_path / "two.py").write_text(two)
    names = ("USED", "UNUSED", "COMPILED", "DERIVED")
    constants = [Constant("linkage.one", name, 1) for name in names]
    readers = find_readers(constants, tmp_path)
    (tmp_path / "three.py").write_text("from partita.linkage import one\n\nx = one.UNUSED\n")
    assert find_readers(constants, tmp_path)["linkage.one.UNUSED"] is None
    assert readers == {
        "linkage.one.USED": {"linkage.one:inner", "two:twice"},
        "linkage.one.UNUSED": {"linkage.one:Box.unused"},
        "linkage.one.COMPILED": None,
        "linkage.one.DERIVED": None,
    }
    (tmp_path / "linkage" / "one.py").write_text(MODULE)
    assert find_readers(constants, tmp_path)["linkage.one.USED"] is None


def test_executed_functions_are_traced():
    outcome, functions = trace_functions(lambda: clean(pa.array(["Ann"])).to_pylist(), PACKAGE)
    assert outcome == ["ann"]
    assert "data.clean:clean" in functions and "data.clean:<lambda>" not in functions


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--sets", "x"])
    assert "no set 'x'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"'x\.\*' matches no tuned number"):
        main(["--constants", "x.*"])


def test_two_constants_on_generated_people(capsys):
    names = (
        "comparison.automatic.JARO_WINKLER,blocking.features.MAX_LENGTH,blocking.nearest.MAX_MISSED"
    )
    main(["--sets", "generated_people", "--records", "400", "--constants", names, "--json"])
    printed = capsys.readouterr()
    facts = json.loads(printed.out.splitlines()[-1])
    assert facts["baseline"]["sets"]["generated_people"]["f1"] > 0.9
    strong, weak = facts["constants"]
    assert (strong["name"], weak["name"]) == ("JARO_WINKLER", "MAX_LENGTH")
    assert weak["identical"] and not strong["identical"]
    assert not strong["failures"] + weak["failures"]
    assert strong["variants"]["-30 %"]["value"] == pytest.approx([0.922, 0.844, 0.74, 0.61])
    assert all(seconds > 0 for seconds in strong["cpu_seconds"].values())
    assert list(facts["excluded"]) == ["blocking.nearest.MAX_MISSED"]
    assert "blocking.features.MAX_LENGTH: no result changes" in printed.err
