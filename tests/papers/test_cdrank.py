"""Table 1 of CDRANK: it runs, and its claims are read from its rows."""

import json

import pytest

from papers.cdrank import table1
from papers.cdrank.__main__ import main
from papers.cdrank.data import attributes, read_citations, shape
from papers.cdrank.other_sets import SETS, read_set
from partita.kernel import interpreted
from tests.papers.tiny_data import blocks, write_citations


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_citations(tmp_path)
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def test_attributes_state_shape_place_and_context():
    assert shape("Proc1998") == "Aa+0+"
    found = attributes(["Lee", ",", "1999"], 2)
    assert {"word=1999", "year", "last", "punctuation before=,", "since=1"} <= set(found)


def test_draws_are_places_in_the_training_part(data):
    citations = read_citations()
    assert len(citations.draws) == 5 and len(citations.train.words) == 300
    for draw in citations.draws:
        assert len(set(draw)) == 25


@pytest.mark.skipif(interpreted(), reason="the walk is slow as plain Python")
def test_the_strength_is_measured_on_other_sets(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "cora_ie"
    folder.mkdir()
    for name in SETS:
        (folder / f"{name}.conll").write_text(blocks(12).replace("Lee\t", "Lee,\t"))
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert read_set(SETS[0], ("author", "title")).words[0][3:5] == ["Lee", ","]
    assert main(["--other-sets", "--quick", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(printed["strengths"]) == set(SETS)
    assert len(printed["strengths"][SETS[0]]) == 1 + len(table1.STRENGTHS)


@pytest.mark.skipif(interpreted(), reason="the walk is slow as plain Python")
def test_the_command_prints_the_table(data, capsys):
    assert main(["--quick", "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    printed = json.loads(lines[-1])
    ours = set(table1.PAPER) - {"CODL", "Sup. (CODL)"}
    assert {row["method"] for row in printed["rows"]} == ours | {table1.NO_LABELS}
    assert "(66.5)" in "\n".join(lines)


def test_claims_compare_means_with_the_figures():
    rows = [
        table1.Row(name, labels, (value, value), 1.0)
        for labels, values in ((5, (66.0, 72.5)), (300, (94.5, 94.1)))
        for name, value in zip(("SampleRank", "Model+Cons"), values, strict=True)
    ]
    further = [(name, k) for name in ("Cons", "Self+Cons") for k in (5, 300)]
    rows += [table1.Row(name, k, (60.0 if k == 5 else 94.3,), 1.0) for name, k in further]
    verdicts = table1.claims(rows)
    assert verdicts["SampleRank at 5 has 65.5"]
    assert verdicts["best constrained objective at 5 has 72.0"]
    assert not verdicts["Model+Cons at 300 loses at most 0.3"]
    assert verdicts["Cons at 300 loses at most 0.3"]


def test_missing_data_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["--quick"]) == 1
    assert "set PARTITA_DATA" in capsys.readouterr().err
