"""Tables 2 and 3 of SAMPLERANK: they run, and their claims are read from their rows."""

import json

import pytest

from papers.samplerank import table2, table3
from papers.samplerank.__main__ import main
from papers.samplerank.data import paper_features
from papers.samplerank.documents import Sentence, note, rich_features, shape
from partita.kernel import interpreted
from tests.papers.tiny_data import write_labels


@pytest.fixture
def data(tmp_path, monkeypatch):
    write_labels(tmp_path)
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def test_features_are_the_paper_s():
    assert paper_features(["Ada", "met"], 0) == [
        "bias",
        "word=Ada",
        "lower=ada",
        "capital",
        "first",
    ]
    assert "sentence in lower case" in paper_features(["she", "met"], 1)


def test_rich_features_know_the_document():
    first, second = Sentence(["The", "Bank", "fell"]), Sentence(["bank", "of", "rivers"])
    known = {}
    for sentence in (first, second):
        sentence.elsewhere, sentence.loud = known, False
        note(sentence)
    assert "elsewhere=True True True" in rich_features(first, 1)
    assert {"before=the", "after=of", "after=fell"} <= set(rich_features(first, 1))
    assert shape("McDonald's-99") == "XxXxx'x-dd"


def test_claims_are_read_from_the_rows():
    like = table3.LIKE
    rows = [
        table3.Row("SampleRank, 10 epochs", 0.85, 0.76, 10.0),
        table3.Row("maximum likelihood", 0.852, 0.75, 40.0),
        table3.Row(f"SampleRank, 10 epochs{like}", 0.85, 0.76, 10.0),
        table3.Row(f"maximum likelihood{like}", 0.852, 0.75, 40.0),
        table3.Row("CRFsuite lbfgs", 0.8, 0.71, 20.0, "CRFsuite"),
        table3.Row("CRFsuite lbfgs c2=0.1", 0.842, 0.71, 40.0, "CRFsuite"),
        table3.Row("rich: SampleRank", 0.9, 0.851, 30.0, "rich"),
    ]
    assert all(table3.claims(rows).values())
    rows[0] = table3.Row("SampleRank, 10 epochs", 0.84, 0.70, 30.0)
    rows[2] = table3.Row(f"SampleRank, 10 epochs{like}", 0.84, 0.70, 30.0)
    rows[6] = table3.Row("rich: SampleRank", 0.9, 0.84, 30.0, "rich")
    assert len(table3.claims(rows)) == 9 and not any(table3.claims(rows).values())


def test_the_chosen_strength_never_sees_the_test_examples(data):
    whole = table2.multilabel_set("scene", 6)
    inner = table2.held_back(whole)
    assert len(inner.truth) == 20 and len(inner.test_truth) == 10


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_both_tables_run(data, capsys):
    size = table2.Size(runs=2, epochs=2, iterations=3)
    rows = table2.run(size, 0)
    assert len(rows) == 10 and all(0 <= row.error <= 100 for row in rows)
    pytest.importorskip("pycrfsuite", reason="install the extra 'papers'")
    assert main(["table3", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {row["method"] for row in found["rows"]} >= {"SampleRank, 1 epoch", "CRFsuite pa"}


def test_missing_data_is_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["table2", "--quick"]) == 1
    assert "set PARTITA_DATA" in capsys.readouterr().err
