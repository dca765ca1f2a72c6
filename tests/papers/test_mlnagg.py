"""Objects against Pairs: the experiment runs on generated data, and its claim is read from rows."""

import json

import numpy as np
import pytest

from papers.mlnagg import experiment, report
from papers.mlnagg.__main__ import main
from papers.mlnagg.data import cora, dblp, matrix, rare
from papers.mlnagg.experiment import Row
from papers.mlnagg.models import WALK
from tests.papers.tiny_data import write_papers


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_papers(tmp_path)
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def test_it_runs_and_ends_with_json(data, capsys):
    assert main(["--quick", "--json", "--only", "citeseer"]) == 0
    shown = capsys.readouterr().out
    assert "SILVER" in shown and "82.3" in shown
    told = json.loads(shown.splitlines()[-1])
    assert told["claim"]["sets"] == 4
    methods = {row["method"] for row in told["rows"]}
    assert methods == {"Pairs", "Objects", WALK, "Pairs on merges", "Pairs, finer"}
    assert len(told["rows"]) == 4 * 5
    assert all(row["gain"] >= 0 for row in told["rows"] if row["method"] == WALK)
    assert all(0 <= row["f1"] <= 1 for row in told["rows"])
    assert np.mean([row["f1"] for row in told["rows"]]) > 0.7


def test_folds_share_no_entity_and_names_are_the_most_ambiguous(data):
    assert len(cora()) == 3 and all(one.n > 0 for one in cora())
    names = dblp()
    assert len(names) == 8
    assert [one.n for one in names] == sorted((one.n for one in names), reverse=True)
    assert set(names[0].alike) == {"title", "authors", "venue", "keyword", "abstract", "year"}
    assert len(names[0].near) > 0


def row(data, method, f1):
    return Row("citeseer", data, method, 9, 3, f1, f1, f1, 1.0, 0.0, 0.0)


def test_the_claim_is_read_from_the_rows():
    found = []
    for k in range(7):
        found += [row(str(k), "Pairs", 0.5), row(str(k), "Objects", 0.6 if k < 4 else 0.5)]
        found.append(row(str(k), "Pairs, finer", 0.55))
    told = report.verdict(found, [str(k) for k in range(7)])
    assert report.verdict(found, ["0"])["holds"] is None
    assert told["objects_above"]["Pairs"] == ["0", "1", "2", "3"] and told["holds"] is False
    found[3 * 4 + 1] = row("4", "Objects", 0.51)
    assert report.verdict(found, [str(k) for k in range(7)])["holds"]


def test_texts_are_alike_by_what_they_share():
    found = matrix(["a lorry load", "A lorry load", "a lorry", ""], "words")
    assert found[0, 1] == 1.0 and 0 < found[0, 2] < 1
    assert np.isnan(found[3]).all()
    assert rare([["a", "b"], ["a"], ["c"]]) == [["a"], ["a"], []]


def test_missing_data_and_bad_seeds_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["--only", "cora"]) == 1
    assert "PARTITA_DATA" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--seed", "-1"])
    assert experiment.QUICK.records
