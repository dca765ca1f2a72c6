"""Table 1 of MCMCMC: two ways to pay for one model, folds that do not leak, claims from rows."""

import json

import numpy as np
import pytest

from papers.mcmcmc import cora, table1, table1_report
from papers.mcmcmc.__main__ import main
from partita import Partition
from partita.estimators import exact
from partita.kernel import interpreted
from partita.proposals import move_to_entity
from partita.walks import compile_chain
from partita.walks.chain import total_score

TITLES = ("boosting a weak learner", "learning finite automata", "expert advice", "query learning")
VENUES = ("proc colt 95", "journal computing", "tech report 7")


@pytest.fixture
def data(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = ["id,author,title,venue,entity"]
    for k in range(60):
        e = k % 8
        author = f"a{e % 3} {'xy'[rng.integers(2)]}"
        extra = ["", " revised"][rng.integers(2)]
        rows.append(f"{k},{author},{TITLES[e % 4]}{extra},{VENUES[e // 4]} {rng.integers(3)},{e}")
    folder = tmp_path / "cora_alchemy_1295"
    folder.mkdir()
    (folder / "records.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def test_pairs_and_sums_are_one_model(data):
    given = cora.citations()
    rng = np.random.default_rng(1)
    weights = rng.normal(size=len(given.names))
    models = cora.compared(given).set_weights(weights), cora.summed(given, weights)
    for _ in range(3):
        state = Partition.of(rng.integers(0, 9, given.entity.size))
        scores = [
            total_score(one, exact(), compile_chain(one, move_to_entity(), exact()), state)
            for one in models
        ]
        # sums are rounded to a grid of 2^-24 of the largest value
        assert scores[0] == pytest.approx(scores[1], rel=1e-5)


def test_words_of_both_and_of_one_by_hand(data):
    given = cora.citations()
    names = dict(zip(given.names, range(len(given.names)), strict=True))
    weights = np.zeros(len(names))
    weights[names["pair"]], weights[names["title advice, both"]] = -1.0, 4.0
    weights[names["title revised, one"]] = -0.5
    model = cora.compared(given).set_weights(weights)
    compiled = compile_chain(model, move_to_entity(), exact())
    title = "title revised, one"
    has = given.rows[:, np.flatnonzero(given.single == names[title])].toarray().ravel() > 0
    # citations 2 and 10 are both of "expert advice"
    alone = np.arange(given.entity.size)
    joined = alone.copy()
    joined[10] = 2
    found = total_score(model, exact(), compiled, Partition.of(joined))
    assert found == pytest.approx(3.0 - 0.5 * (has[2] != has[10]))


def test_kinds_of_venues():
    venues = ("phd thesis", "tech rep of a workshop", "proc 5th colt", "machine learning")
    assert [cora.kind(one) for one in venues] == ["thesis", "report", "conference", "journal"]


def test_folds_part_no_entity(data):
    given = cora.citations()
    found = table1.folds(given, 0)
    assert sorted(np.concatenate(found)) == list(range(given.entity.size))
    sets = [set(given.entity[fold]) for fold in found]
    assert sum(map(len, sets)) == len(set.union(*sets))


def row(name, factors, seconds=1.0, paper=None):
    reached = 0 if factors is None else 3
    ends = (factors,) * 3
    return table1.Row(name, "", paper, 3, reached, *ends, 1.0, seconds, 0.95, 0.9)


def test_claims_are_read_from_the_rows():
    folds = [table1.Fold(10, 2, 2, 1.0, 0.9, 0.95)]
    rows = [
        row("p = 1", 100.0, 8.0, 57_292_700),
        row("p = 0.1", 10.0, 1.0, 7_855_686),
        row("i = 20", 20.0, 2.0, 8_295_587),
        row("aggregated, exact", 9.0, 1.0),
    ]
    held = [one["holds"] for one in table1_report.claims(rows, folds)]
    assert held == [True, True, False, True, True]
    rows[1:] = [row("p = 0.1", None, None, 7_855_686), *rows[2:3], row("aggregated, exact", 20.0)]
    held = [one["holds"] for one in table1_report.claims(rows, folds)]
    assert held == [True, False, False, False, True]


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_the_table_runs(data, monkeypatch, capsys):
    quick = table1.Size(seeds=2, steps=4_000, block=500, training_steps=1_000, stay=500)
    monkeypatch.setattr(table1, "QUICK", quick)
    monkeypatch.setattr(
        table1, "METHODS", (table1.METHODS[0], *table1.METHODS[5:6], *table1.METHODS[-4:])
    )
    assert main(["table1", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert len(found["folds"]) == 3
    assert [row["method"] for row in found["rows"]][-1] == "aggregated, to candidates"
    base, last = found["rows"][0], found["rows"][-2]
    # the same model and the same random numbers: the same steps
    assert base["steps"] == last["steps"] and last["factors"] < base["factors"]


def test_missing_data_is_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["table1", "--quick"]) == 1
    assert "set PARTITA_DATA" in capsys.readouterr().err
