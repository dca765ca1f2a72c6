"""The experiments of ADS: summaries and claims, and one split of the posts where they are."""

import json
import os

import pytest
from rich.console import Console

from papers.ads.__main__ import TREE_CLAIM, compare_trees, judge, main, show_claims, summarise
from papers.ads.experiments import Row
from papers.ads.projections import PROJECTIONS, train_three_ways
from papers.samplerank.data import folder
from partita.errors import InputError
from partita.metrics import FieldScores
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from tests.text.extraction.test_segment_model import SCHEMA, make_lines


def make_rows(shares=(0.8, 0.85, 0.93), vote=0.9, dictionary=0.7):
    methods = {"dictionary": dictionary, "majority vote of the rules": vote}
    names = ("10%", "30%", "100%")
    methods |= {f"constraints, {n} of the posts": a for n, a in zip(names, shares, strict=True)}
    return [
        Row("posts", name, split, FieldScores(a, a, a, a, a))
        for name, a in methods.items()
        for split in range(2)
    ]


def test_claims_follow_from_the_rows():
    assert all(judge(summarise(make_rows())).values())
    claims = judge(summarise(make_rows(shares=(0.8, 0.79, 0.75))))
    assert not any(claims.values())


def test_a_summary_averages_splits():
    summary = summarise(make_rows())
    assert summary[0]["runs"] == 2 and summary[0]["mean"][0] == 0.7


def make_tree_rows(test, us50):
    """Rows of addresses: (tree, flat) on test, and with partial credit on us50."""
    rows = make_rows()
    for data, pair in {"addresses test": test, "addresses us50_test": us50}.items():
        for kind, a in zip(("tree", "flat"), pair, strict=True):
            scores = FieldScores(a, a, a, a, a)
            rows.append(Row(data, f"constraints, {kind}", 0, scores, scores))
    return rows


def test_the_tree_must_help_on_every_set():
    assert judge(summarise(make_tree_rows((0.9, 0.8), (0.9, 0.8))))[TREE_CLAIM]
    assert not judge(summarise(make_tree_rows((0.866, 0.863), (0.870, 0.872))))[TREE_CLAIM]


def test_the_claim_about_the_tree_has_its_figures(capsys):
    summary = summarise(make_tree_rows((0.866, 0.863), (0.870, 0.872)))
    show_claims(Console(width=180), judge(summary), compare_trees(summary))
    line = next(row for row in capsys.readouterr().out.splitlines() if TREE_CLAIM in row)
    assert line.startswith("no")
    assert all(figure in line for figure in ("0.866", "0.863", "0.870", "0.872"))


def test_a_summary_has_the_seconds_of_training():
    scores = FieldScores(1, 1, 1, 1, 1)
    rows = [Row("posts", "way", split, scores, seconds=s) for split, s in enumerate((1.0, 2.0))]
    assert summarise(rows)[0]["cpu_seconds"] == 1.5
    assert summarise(make_rows())[0]["cpu_seconds"] is None


@pytest.mark.long
def test_three_ways_learn_what_the_rules_state():
    schema = read_schema({**SCHEMA, "max_length": 2})
    rules = compile_rules(schema, make_lines(8)[0])
    models = {name: model for name, model, _ in train_three_ways(rules)}
    assert len(models) == 3
    labels = [model.posterior(rules).label for model in models.values()]
    assert all((label == labels[0]).mean() > 0.8 for label in labels)


def test_missing_data_are_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(os.environ, "PARTITA_DATA", str(tmp_path))
    assert main(["--quick"]) == 1
    assert "set PARTITA_DATA" in capsys.readouterr().err


@pytest.mark.long
def test_one_split_of_the_posts(capsys):
    try:
        folder("bft", "texts.jsonl")
    except InputError as error:
        pytest.skip(str(error))
    assert main(["--quick", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["claims"]["constraints remove most errors of the dictionary"]
    ways = [row for row in result["rows"] if row["data"] == PROJECTIONS]
    assert len(ways) == 3 and all(row["mean"][0] > 0.9 for row in ways)
