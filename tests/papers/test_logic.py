import json

from papers.logic.__main__ import main
from papers.logic.nyt import build_matrix, describe, invert
from papers.logic.toy import run_toy, summarise
from partita.knowledge.rules import load_rules


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


def test_the_columns_of_the_matrix_have_the_order_of_their_names():
    patterns = [f"path#{k}" for k in (7, 3, 9, 1)]
    described = describe({(f"a{k}", f"b{k}"): patterns for k in range(3)})
    rules = load_rules(["REL$r(x, y) :- path#9(x, y)"])
    _, _, columns = build_matrix(described, rules, 0)
    *names, head = columns
    assert names == sorted(names) and len(names) == 2 * len(patterns)
    assert head == "REL$r"
