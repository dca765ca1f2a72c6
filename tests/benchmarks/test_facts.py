import json
import stat
import sys

import numpy as np
import pytest

from benchmarks.facts import compare
from benchmarks.facts.__main__ import main
from benchmarks.facts.answers import Answers, Graph
from benchmarks.facts.speed import RULES, make_graph
from benchmarks.peers.child import MISSING
from benchmarks.peers.running import OURS, Limits

STUB = """#!{python}
import json, sys
import numpy as np
request = json.load(open(sys.argv[3]))
{body}
"""

ANSWERS = """
graph = np.load(request["path"])
queries = graph["queries"]
scores = np.zeros((2, len(queries), int(graph["entities"])), np.float32)
if request["settings"]["right"]:
    rows = np.arange(len(queries))
    scores[0, rows, queries[:, 2]] = scores[1, rows, queries[:, 0]] = 1
np.save(open(request["answer"], "wb"), scores)
cost = {"cpu_seconds": 2.0, "peak_megabytes": 8.0, "version": "0", "notes": {}}
json.dump(cost, open(request["cost"], "w"))
"""


@pytest.fixture
def task(monkeypatch):
    """A generated graph in place of the real ones, with one small configuration of ours."""
    triples = make_graph(600)
    hidden = np.arange(triples.n) % 10
    parts = [triples.without(hidden != k) for k in (0, 1)]
    made = compare.RankTask("generated", triples.without(hidden < 2), *parts, RULES)
    monkeypatch.setattr(compare, "SETS", ("generated",))
    monkeypatch.setattr(compare, "load_task", lambda name: made)
    monkeypatch.setitem(compare.CONFIGURATIONS, OURS, [{"rank": 4, "epochs": 1}])
    trials = [{"right": False}, {"right": True}]
    monkeypatch.setitem(compare.CONFIGURATIONS, compare.PEER, trials)
    return made


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """A stand-in for the Python of PyKEEN."""

    def make(body):
        path = tmp_path / "python"
        path.write_text(STUB.format(python=sys.executable, body=body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PARTITA_PEERS_PYTHON", str(path))

    return make


def test_the_graph_has_its_facts():
    triples = make_graph(2000)
    assert triples.n == 2000
    assert len(triples.relations) == 50


def test_one_json_line(capsys):
    main(["--json", "--quick"])
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["facts"] == 2000
    assert found["groundings"]["latent"] > 0


def test_an_absent_peer_is_named_beside_our_ranks(task, peer, capsys):
    peer(f"sys.exit({MISSING})")
    main(["ranks", "--sets", "generated", "--rules", "--json"])
    out = capsys.readouterr().out
    rows = {row["tool"]: row for row in json.loads(out.splitlines()[-1])["rows"]}
    for tool in (OURS, f"{OURS} with rules"):
        assert rows[tool]["status"] == "ok"
        assert 0 < rows[tool]["mrr"] <= 1
        assert rows[tool]["queries"] == 2 * task.test.n
        assert rows[tool]["cpu_seconds"] > 0
    assert "not installed" in rows[compare.PEER]["status"]
    assert "generated, pykeen: not installed; install pykeen with" in out


def test_validation_facts_choose_the_configuration(task, peer):
    peer(ANSWERS)
    row = compare.tune_tool(compare.PEER, task, Limits())
    assert row["settings"] == {"right": True}
    assert row["mrr"] == row["valid_mrr"] == 1.0
    assert row["tuning_cpu_seconds"] == 4.0
    # all entities but the known answers have the same score
    assert row["tried"][0][1] < 0.1


def test_a_configuration_that_fails_does_not_count(task, peer):
    peer('assert request["settings"]["right"], "wrong"' + ANSWERS)
    row = compare.tune_tool(compare.PEER, task, Limits())
    assert (row["status"], row["mrr"], row["tuning_cpu_seconds"]) == ("ok", 1.0, 2.0)
    assert row["tried"][0][1] == "crashed: AssertionError: wrong"


def test_a_peer_that_fails_has_its_reason(task, peer):
    peer("raise RuntimeError('out of luck')")
    row = compare.tune_tool(compare.PEER, task, Limits())
    assert row["status"] == "crashed: RuntimeError: out of luck"


def test_graphs_and_answers_are_read_as_written(tmp_path):
    graph = Graph(np.array([[0, 1, 2]]), np.array([[2, 0, 1]]), 3, 2)
    graph.write(tmp_path / "graph.npz")
    loaded = Graph.read(tmp_path / "graph.npz")
    assert loaded.train.tolist() == [[0, 1, 2]]
    assert (loaded.queries.tolist(), loaded.entities, loaded.relations) == ([[2, 0, 1]], 3, 2)
    Answers(np.ones((2, 1, 3), np.float32), {}).write(str(tmp_path / "answer.npy"))
    assert np.load(tmp_path / "answer.npy").shape == (2, 1, 3)


def test_an_unknown_graph_is_one_line():
    with pytest.raises(SystemExit, match="there is no graph 'nothing'"):
        main(["ranks", "--sets", "nothing"])
