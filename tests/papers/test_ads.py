"""The experiments of ADS: summaries and claims, and one split of the posts where they are."""

import json
import os

import pytest

from papers.ads.__main__ import judge, main, summarise
from papers.ads.experiments import Row
from papers.samplerank.data import folder
from partita.errors import InputError
from partita.metrics import FieldScores


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
