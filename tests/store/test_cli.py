"""Commands on a store, from the shell."""

import json

import pytest

from partita.data.write import write_table
from tests.cli.running import run

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def test_a_store_from_the_shell(table, tmp_path):
    people, monday, out = (tmp_path / name for name in ("p.csv", "monday.csv", "out.csv"))
    store = str(tmp_path / "p.partita")
    write_table(table[0].slice(0, 300), people)
    write_table(table[0].slice(300), monday)
    config = tmp_path / "partita.toml"
    config.write_text('[inference]\nreading = "em"\n')
    made = run("resolve", str(people), "--store", store, "--config", str(config), "--quiet")
    assert made.exit_code == 0, made.stderr
    dry = json.loads(run("add", store, str(monday), "--dry-run", "--json").stdout)
    report = json.loads(run("add", store, str(monday), "--json").stdout)
    assert dry == report and report["new"] == 100 and report["run"] == 2
    assert run("export", store, "--out", str(out)).exit_code == 0
    golden = tmp_path / "golden.csv"
    rules = ("--survivorship", "surname=longest")
    assert run("export", store, "--golden", str(golden), *rules).exit_code == 0
    assert golden.read_text().startswith("cluster_id,cluster_size,p_cluster,")
    header = out.read_text().partition("\n")[0]
    assert header.endswith("cluster_id,p_member,p_cluster")
    runs = json.loads(run("log", store, "--json").stdout)["runs"]
    assert [one["verb"] for one in runs] == ["resolve", "add"]
    events = json.loads(run("log", store, "--run", "2", "--json").stdout)["events"]
    entity = next(event["entity"] for event in events if event["event"] == "joined")
    assert "joined" in run("history", store, entity).stdout
    assert json.loads(run("diff", store, "1", "2", "--json").stdout)["differences"]
    page = json.loads(run("log", store, "--run", "2", "--limit", "3", "--json").stdout)["events"]
    assert len(page) == 3
    assert json.loads(run("correct", store, "--apart", "0", "1", "--json").stdout)["run"] == 3
    assert "apart" in run("correct", store).stdout
    assert json.loads(run("undo", store, "3", "--json").stdout)["run"] == 4
    name = table[0].column_names[1]
    value = table[0].column(name)[3].as_py()
    assert run("find", store, f"{name}={value}").exit_code == 0
    assert run("forget", store, "5").exit_code == 0
    assert json.loads(run("check", store, "--json").stdout) == {"sound": True, "broken": []}


def test_mistakes_are_one_sentence(tmp_path):
    bad = tmp_path / "bad.partita"
    bad.write_text("this is no database, but a text that is long enough" * 30)
    for words, text in (
        (("check", str(tmp_path / "none.partita")), "there is no store"),
        (("check", str(bad)), "is damaged or is not a store"),
        (("add", str(bad)), "there is nothing to add"),
    ):
        found = run(*words)
        assert found.exit_code == 2 and text in found.stderr and "Traceback" not in found.stderr
