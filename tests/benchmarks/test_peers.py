import json
import stat
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.peers import child, links, report, running, sets, splink_plans, with_recordlinkage

RECORDS = """id,name,leak,source,entity,part_entity
a-1,Ann,x,one,7,1
a-2,Anne,x,two,7,2
b-1,Bob,y,one,8,3
b-2,,y,two,9,4
"""

STUB = """#!{python}
import json, sys, time
import pyarrow as pa, pyarrow.parquet as pq
request = json.load(open(sys.argv[3]))
{body}
"""

ANSWERS = """
table = pq.read_table(request["path"])
ids = table.column("id").to_pylist()
first = [(name or "-")[0] for name in table.column("name").to_pylist()]
pq.write_table(pa.table({"record": ids[::-1], "cluster": first[::-1]}), request["answer"])
cost = {"cpu_seconds": 2.0, "cpu_seconds_after_import": 1.0, "wall_seconds": 1.5,
        "wall_seconds_after_import": 0.5, "peak_megabytes": 8.0, "version": "0", "notes": {}}
json.dump(cost, open(request["cost"], "w"))
"""

THRESHOLD = """
path = request["others"]["0.2"]
pq.write_table(pa.table({"record": ids, "cluster": ["A"] * 4}), path)
path = request["others"]["0.9"]
pq.write_table(pa.table({"record": ids, "cluster": first}), path)
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    (folder / "records.csv").write_text(RECORDS)
    monkeypatch.setattr(sets, "DATA", tmp_path / "data")
    return sets.DataSet("tiny", drop=("leak",), source="source")


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """A stand-in for the Python of the baselines."""

    def made(body):
        path = tmp_path / "python"
        path.write_text(STUB.format(python=sys.executable, body=body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PARTITA_PEERS_PYTHON", str(path))

    return made


def test_tools_see_no_truth(data, tmp_path):
    found = sets.prepare(data, tmp_path)
    table = pq.read_table(found.path)
    assert table.column_names == ["id", "name", "source"]
    assert table.column("id").to_pylist() == [0, 1, 2, 3]
    truth = dict(zip(table.column("name").to_pylist(), found.truth.to_pylist(), strict=True))
    assert truth == {"Ann": "7", "Anne": "7", "Bob": "8", None: "9"}
    assert (found.name, found.source, found.records) == ("tiny", "source", 4)


def test_rows_lose_their_order(data, tmp_path):
    lines = "".join(f"{k},n{k},x,one,{k},0\n" for k in range(50))
    data.path.write_text(RECORDS.splitlines()[0] + "\n" + lines)
    names = pq.read_table(sets.prepare(data, tmp_path).path).column("name").to_pylist()
    assert names != sorted(names, key=lambda one: int(one[1:]))
    assert len(set(names)) == 50


def test_people_are_written_without_truth(tmp_path):
    found = sets.prepare_people(60, 3, tmp_path)
    table = pq.read_table(found.path)
    assert "entity" not in table.column_names
    assert table.num_rows == found.records == 60
    assert len(set(found.truth.to_pylist())) < 60
    linked = sets.prepare_people(60, 3, tmp_path, linked=True)
    seen = pq.read_table(linked.path)
    assert seen.drop_columns(["source"]).equals(table)
    assert set(seen.column("source").to_pylist()) == {"one", "two"}
    assert (linked.source, found.source) == ("source", None)


def test_every_set_has_a_plan_for_every_baseline():
    names = {*sets.SETS, sets.PEOPLE}
    assert set(splink_plans.PLANS) == names
    assert set(with_recordlinkage.RECIPES) == names


@pytest.mark.parametrize("name", sets.SETS)
def test_plans_name_columns_that_tools_see(name, tmp_path):
    if not sets.SETS[name].path.exists():
        pytest.skip(f"no {sets.SETS[name].path}; set PARTITA_DATA")
    seen = set(pq.read_schema(sets.prepare(sets.SETS[name], tmp_path).path).names)
    recipe = with_recordlinkage.RECIPES[name]
    asked = {*recipe.strings, *recipe.exact, *(one for block in recipe.blocks for one in block)}
    assert asked <= seen
    assert not {"entity", "label_raw", "text", "split", "orig_id"} & seen


def test_scores_do_not_depend_on_the_order_of_answers(data, tmp_path, tool):
    tool(ANSWERS)
    found = running.run_tool("splink", sets.prepare(data, tmp_path), running.Limits())
    assert found["status"] == "ok"
    assert found["pairwise"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert (found["found_entities"], found["true_entities"]) == (3, 3)
    assert found["cpu_seconds"] == 2.0


def test_joining_all_costs_precision(data, tmp_path, tool):
    tool(ANSWERS.replace('(name or "-")[0]', '"A"'))
    found = running.run_tool("splink", sets.prepare(data, tmp_path), running.Limits())
    assert found["pairwise"]["precision"] == pytest.approx(1 / 6)
    assert found["pairwise"]["recall"] == 1.0


def test_best_threshold_stands_beside_the_result(data, tmp_path, tool):
    tool(ANSWERS.replace('"cluster": first[::-1]', '"cluster": ids') + THRESHOLD)
    found = running.run_tool("splink", sets.prepare(data, tmp_path), running.Limits())
    assert found["pairwise"]["f1"] == 0.0
    assert found["best_threshold_by_truth"]["threshold"] == 0.9
    assert found["best_threshold_by_truth"]["pairwise"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (f"sys.exit({child.MISSING})", running.NOT_INSTALLED),
        ("raise RuntimeError('out of luck')", "crashed: RuntimeError: out of luck"),
        ("import os; os.kill(os.getpid(), 9)", "crashed: killed by SIGKILL; no message"),
        ("time.sleep(600)", "timed out after 1 s"),
        (
            ANSWERS.replace('"record": ids[::-1]', '"record": ids[:1] + ids[:3]'),
            "crashed: 4 answers are not one for each of 4 records",
        ),
    ],
    ids=["missing", "error", "killed", "slow", "lost"],
)
def test_failures_are_reported(data, tmp_path, tool, body, status):
    tool(body)
    limits = running.Limits(seconds=1 if "sleep" in body else 60)
    found = running.run_tool("splink", sets.prepare(data, tmp_path), limits)
    assert found == {"status": status}


@pytest.fixture
def request_file(tmp_path):
    path = tmp_path / "request.json"
    names = {"answer": str(tmp_path / "answer.parquet"), "cost": str(tmp_path / "cost.json")}
    others = {"0.5": str(tmp_path / "other.parquet")}
    path.write_text(json.dumps({"tool": "splink", "others": others, **names}))
    return path


class Tool:
    """A tool that takes the place of one that is imported."""

    def __init__(self, missing=None):
        self.missing = missing

    def load(self):
        if self.missing is not None:
            raise ModuleNotFoundError(f"No module named {self.missing}", name=self.missing)
        return "1.2"

    def run(self, request):
        tool = {"tool": request["tool"]}
        return links.Found([0, 1], ["a", "b"], tool, lambda threshold: ([0, 1], [threshold] * 2))


def test_child_tells_missing_tools_from_broken_ones(request_file, monkeypatch):
    monkeypatch.setattr(child.importlib, "import_module", lambda name: Tool("splink"))
    assert child.main([str(request_file)]) == child.MISSING
    monkeypatch.setattr(child.importlib, "import_module", lambda name: Tool("sqlglot"))
    with pytest.raises(ModuleNotFoundError, match="sqlglot"):
        child.main([str(request_file)])


def test_child_writes_answer_and_cost(request_file, tmp_path, monkeypatch):
    monkeypatch.setattr(child.importlib, "import_module", lambda name: Tool())
    assert child.main([str(request_file)]) == 0
    answer = pq.read_table(tmp_path / "answer.parquet")
    assert answer.equals(pa.table({"record": [0, 1], "cluster": ["a", "b"]}))
    other = pq.read_table(tmp_path / "other.parquet")
    assert other.column("cluster").to_pylist() == [0.5, 0.5]
    cost = json.loads((tmp_path / "cost.json").read_text())
    assert cost["cpu_seconds"] >= cost["cpu_seconds_after_import"] >= 0
    assert cost["peak_megabytes"] > 1
    assert (cost["version"], cost["notes"]) == ("1.2", {"tool": "splink"})


def test_links_become_clusters():
    assert links.components(6, [(5, 4), (4, 2), (1, 0)]).tolist() == [0, 0, 2, 3, 2, 2]
    assert links.one_to_one([(0, 9, 0.1), (0, 8, 0.9), (1, 8, 0.8)]) == [(0, 8)]


FACTS = {
    "status": "ok",
    "cpu_seconds": 4.0,
    "cpu_seconds_after_import": 3.0,
    "wall_seconds": 2.0,
    "peak_megabytes": 100.0,
    "pairwise": {"precision": 1.0, "recall": 0.5, "f1": 0.667},
    "bcubed": {"precision": 1.0, "recall": 0.6, "f1": 0.75},
}


def test_ratios_are_ours_over_theirs():
    ours = {**FACTS, "cpu_seconds": 1.0, "pairwise": {**FACTS["pairwise"], "f1": 0.767}}
    failed = {"status": running.NOT_INSTALLED}
    found = report.ratios({"partita": ours, "splink": FACTS, "goldenmatch": failed})
    assert set(found) == {"splink"}
    assert found["splink"]["cpu_seconds"] == 0.25
    assert found["splink"]["pairwise_f1_gain"] == pytest.approx(0.1)
    assert report.ratios({"partita": failed, "splink": FACTS}) == {}
    assert report.ratios({"splink": FACTS}) == {}


def test_last_line_is_json(data, tmp_path, tool, monkeypatch, capsys):
    tool(ANSWERS)
    monkeypatch.setattr(peers, "SETS", {"tiny": data})
    peers.main(["--tools", "splink", "--json"])
    out, told = capsys.readouterr()
    found = json.loads(out.splitlines()[-1])
    assert found["sets"]["tiny"]["tools"]["splink"]["pairwise"]["f1"] == 1.0
    assert found["threads"] == 1
    assert "1.000 / 1.000 / 1.000" in told


def test_ours_is_warmed_up_and_compared(data, tool, monkeypatch, capsys):
    tool("raise RuntimeError('no')")
    seen = []

    def ran(tool, data, limits, cache=None, more=None):
        seen.append((tool, data.name, cache is None))
        return FACTS if tool == running.OURS else {"status": running.NOT_INSTALLED}

    monkeypatch.setattr(peers, "SETS", {"tiny": data})
    monkeypatch.setattr(peers, "run_tool", ran)
    peers.main(["--tools", "partita,splink", "--cold"])
    ours = running.OURS
    assert [cached for _, _, cached in seen[:5]] == [True, True, True, False, True]
    assert {one[:2] for one in seen[:5]} == {(ours, "people")}
    assert seen[5:] == [(ours, "tiny", True), ("splink", "tiny", True)]
    told = capsys.readouterr().out
    assert "with nothing compiled" in told
    assert f"tiny, splink: {running.NOT_INSTALLED}" in told


def test_curve_is_cost_by_record(monkeypatch, capsys):
    monkeypatch.setattr(peers, "run_tool", lambda *given, **named: dict(FACTS))
    peers.main(["people", "--curve", "100,200", "--json"])
    rows = json.loads(capsys.readouterr().out.splitlines()[-1])["curve"]
    assert [row["cpu_microseconds_per_record"] for row in rows] == [40_000.0, 20_000.0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--sets", "nothing"], "there is no set 'nothing'"),
        (["--tools", "hammer"], "there is no tool 'hammer'"),
        (["--threads", "0"], "threads"),
    ],
)
def test_bad_arguments_are_one_line(given, told):
    with pytest.raises(SystemExit, match=told):
        peers.main([*given, "--tools", "splink"] if "--tools" not in given else given)


def test_absent_data_names_the_variable(tmp_path, monkeypatch):
    monkeypatch.setattr(sets, "DATA", tmp_path)
    with pytest.raises(SystemExit, match="PARTITA_DATA"):
        peers.main(["--tools", "splink", "--sets", "febrl3"])
