"""The panel: tasks hide the truth, baselines cluster, summaries count what they should."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from benchmarks.panel import interval
from benchmarks.panel.__main__ import main
from benchmarks.panel.naive import run
from benchmarks.panel.scoring import summarise
from benchmarks.panel.sets import PANEL, PanelSet, cut_in_two, join_columns, prepare_task

ROWS = "id,source,name,entity\n1,a,Ann Lee,x\n2,b,ann lee,x\n3,a,Bob Orr,y\n4,b,Cy Poe,z\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "records.csv").write_text(ROWS)
    monkeypatch.setattr("benchmarks.panel.sets.DATA", tmp_path)
    return PanelSet("small", "people", linked=True)


def test_a_task_hides_truth_ids_and_sources(data, tmp_path):
    task = prepare_task(data, tmp_path)
    tables = [pq.read_table(path) for path in task.paths]
    assert [table.column_names for table in tables] == [["id", "name"]] * 2
    ids = [value for table in tables for value in table.column("id").to_pylist()]
    assert sorted(ids) == [0, 1, 2, 3]
    names = dict(zip(ids, (v for t in tables for v in t.column("name").to_pylist()), strict=True))
    same = {names[k].lower() for k in range(4) if task.truth[k].as_py() == "x"}
    assert same == {"ann lee"}


@pytest.mark.parametrize("baseline", ["exact", "tf-idf"])
def test_baselines_join_equal_texts(data, tmp_path, baseline):
    task = prepare_task(data, tmp_path)
    request = {"paths": [str(path) for path in task.paths], "baseline": baseline}
    found = run(request)
    label = dict(zip(found.records.to_pylist(), found.clusters.tolist(), strict=True))
    truth = task.truth.to_pylist()
    for a in range(4):
        for b in range(a):
            assert (label[a] == label[b]) == (truth[a] == truth[b])


def row(f1, naive, covers=1.0, domain="people", counted=True):
    return {
        **{"domain": domain, "counted": counted},
        **{"f1": f1, "naive_f1": naive, "near_ece": 0.1},
        **{"interval_covers": covers, "interval_width": 0.2},
    }


def test_lines_hold_all_values(data, tmp_path):
    task = prepare_task(data, tmp_path)
    lines = join_columns(task, tmp_path)
    for path, joined in zip(task.paths, lines.paths, strict=True):
        before, after = pq.read_table(path), pq.read_table(joined)
        assert after.column_names == ["id", "text"]
        assert after.column("id").equals(before.column("id"))
        for row, text in zip(before.to_pylist(), after.column("text").to_pylist(), strict=True):
            assert all(str(value) in text for key, value in row.items() if key != "id" and value)


def test_two_files_share_some_entities(data, tmp_path):
    rows = [f"{k},a,name {k},{k % 40}" for k in range(120)]
    (tmp_path / "small" / "records.csv").write_text("\n".join(["id,source,name,entity", *rows]))
    task = cut_in_two(prepare_task(replace(data, linked=False), tmp_path), tmp_path, 0.2)
    ids = [pq.read_table(path).column("id").to_pylist() for path in task.paths]
    left, right = ([task.truth[k].as_py() for k in part] for part in ids)
    assert len(set(left)) == len(left) == 20 and len(set(right)) == len(right) == 25
    assert len(set(left) & set(right)) == 5


def test_the_summary_leaves_silver_labels_out():
    games = row(0.4, 0.6, 0.0, "single text")
    sets = {"febrl3": row(0.9, 0.5), "games": games, "silver": row(0.0, 1.0, counted=False)}
    summary = summarise(sets)
    assert summary["sets"] == 2
    assert summary["f1_median"] == pytest.approx(0.65)
    assert summary["f1_worst"] == 0.4
    assert summary["below_naive"] == ["games"]
    assert summary["intervals_cover"] == 1
    assert summary["by_domain"] == {"people": 0.9, "single text": 0.4}


def test_every_domain_has_a_counted_set():
    assert len(PANEL) == 20
    domains = {data.domain for data in PANEL.values()}
    assert domains == {data.domain for data in PANEL.values() if data.counted}
    assert len(domains) == 8


def test_a_folder_of_other_sets_is_run_with_the_shipped_prior(tmp_path, monkeypatch, capsys):
    for name, rows in {"fj_two": ROWS, "fj_one": "name,entity\nAnn Lee,x\nBob Orr,y\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "records.csv").write_text(rows)
    priors = []

    def measure(task, seed, prior, limits):
        priors.append(prior)
        return {"status": "ok", "f1": 1.0}

    monkeypatch.setattr("benchmarks.panel.__main__.measure_ours", measure)
    main(["--folder", str(tmp_path), "--seeds", "1", "--no-splink", "--json"])
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {name: row["records"] for name, row in printed["sets"].items()} == {
        "fj_one": 2,
        "fj_two": 4,
    }
    assert printed["summary"]["by_domain"] == {"fj": 1.0}
    assert priors == [None, None]


def test_a_folder_without_sets_or_truth_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="holds no set"):
        main(["--folder", str(tmp_path)])
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "records.csv").write_text("name\nAnn Lee\n")
    with pytest.raises(SystemExit, match="no column 'entity'"):
        main(["--folder", str(tmp_path)])


def test_an_unknown_set_is_refused():
    with pytest.raises(SystemExit, match="no set 'x'"):
        main(["--sets", "x"])


def test_absent_data_is_skipped(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("benchmarks.panel.sets.DATA", tmp_path)
    main(["--sets", "games", "--json"])
    printed = capsys.readouterr()
    assert "games: skipped" in printed.err
    assert '"sets": {}' in printed.out.splitlines()[-1]


def test_the_range_is_calibrated_on_other_domains(tmp_path, capsys):
    def row(domain, entities, true, agreement):
        run = {"status": "ok", "reading": "em", "agreement": {"em-prior": agreement}}
        run |= {"found_entities": entities, "true_entities": true, "identical": 0, "columns": 3}
        return {"domain": domain, "counted": True, "records": 1000, "runs": [run]}

    sets = {
        "a": row("x", 500, 510, 1.0),
        "b": row("y", 500, 620, 0.5),
        "c": row("z", 500, 490, 1.0),
    }
    path = tmp_path / "panel.json"
    path.write_text("a line before\n" + json.dumps({"sets": sets}))
    interval.main([str(path), "--json"])
    found = json.loads(capsys.readouterr().out)
    by_name = {row["name"]: row for row in found["sets"]}
    # the width of b is chosen without b, on files whose readings agree
    assert not by_name["b"]["covers"] and by_name["a"]["covers"]
    assert by_name["a"]["slope"] > by_name["b"]["slope"] == 0
    assert found["summary"]["covered"] == 2
