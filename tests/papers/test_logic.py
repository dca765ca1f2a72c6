import json

from papers.logic.__main__ import main
from papers.logic.nyt import invert
from papers.logic.toy import run_toy, summarise


def test_the_sigmoid_form_gets_every_test_cell_right_with_rules():
    found = summarise(run_toy("sigmoid", 4))
    assert found["all_right_rules"] >= 0.9
    assert found["all_right_rules"] > found["all_right_facts"]
    assert found["largest_rise_of_a_false_cell"] <= 0.1


def test_table_1_is_printed_for_both_forms(capsys):
    assert main(["--only", "toy", "--quick", "--json"]) == 0
    out = capsys.readouterr().out
    assert "Table 1, tensor form" in out and "Table 1, sigmoid form" in out
    found = json.loads(out.splitlines()[-1])
    assert found["toy"]["sigmoid"]["seeds"] == 3


def test_absent_data_are_skipped(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["--only", "nyt", "--only", "countries"]) == 0
    assert capsys.readouterr().out.count("is skipped") == 2


def test_types_of_an_inverse_pair_are_swapped():
    assert invert("ner#PERSON->LOCATION") == "ner#LOCATION->PERSON"
    assert invert("path#x") == "path#x:INV"
