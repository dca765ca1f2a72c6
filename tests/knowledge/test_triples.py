import numpy as np
import pyarrow as pa
import pytest

from partita.errors import InputError
from partita.knowledge.rules import parse_rules
from partita.knowledge.triples import check_relations, load_triples

ROWS = [("ann", "knows", "bob"), ("bob", "knows", "cy"), ("ann", "knows", "bob")]


def test_facts_are_numbered_without_repeats():
    [triples] = load_triples(ROWS)
    assert triples.entities == ("ann", "bob", "cy")
    assert triples.relations == ("knows",)
    assert triples.facts.tolist() == [[0, 0, 1], [1, 0, 2]]
    assert np.array_equal(triples.facts_of(triples.keys(triples.facts)), triples.facts)
    assert triples.name(triples.facts[1]) == ("bob", "knows", "cy")
    assert triples.without(np.array([True, False])).facts.tolist() == [[1, 0, 2]]


@pytest.mark.parametrize("text", ["01\tknows\t02\n", "subject,predicate,object\n01,knows,02\n"])
def test_files_with_and_without_a_header(tmp_path, text):
    path = tmp_path / "facts.txt"
    path.write_text(text, "utf-8")
    [triples] = load_triples(str(path))
    assert triples.name(triples.facts[0]) == ("01", "knows", "02")


def test_tables_have_named_columns_and_a_truth():
    table = pa.table(
        {"truth": [1, 0], "object": ["b", "c"], "subject": ["a", "a"], "relation": ["r", "r"]}
    )
    [triples] = load_triples(table)
    assert [triples.name(fact) for fact in triples.facts] == [("a", "r", "b")]
    assert [triples.name(fact) for fact in triples.false] == [("a", "r", "c")]


def test_two_sets_share_their_numbers():
    train, test = load_triples(ROWS, [("cy", "likes", "dee")], relations=["new"])
    assert train.entities == test.entities == ("ann", "bob", "cy", "dee")
    assert test.relations == ("knows", "likes", "new")
    assert test.n == 1


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", "r", "b", 1), ("a", "r", "b", 0)], "a r b is stated true and false"),
        ([("a", "r", "b"), ("a", "r")], "fact 2 is ('a', 'r')"),
        ([("a", "r", "b"), ("a", " ", "b")], "line 2 of the facts has no relation"),
        ([("a", "r", "b", "maybe")], "line 1 of the facts has the truth 'maybe'"),
    ],
)
def test_bad_facts_are_refused(rows, words):
    with pytest.raises(InputError) as caught:
        load_triples(rows)
    assert words in str(caught.value)


def test_a_malformed_line_is_named(tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_text("a\tr\tb\na\tr\n", "utf-8")
    with pytest.raises(InputError, match="line 2 of"):
        load_triples(str(path))
    path.write_text("a\tr\na\tr\n", "utf-8")
    with pytest.raises(InputError, match="have 2 columns"):
        load_triples(str(path))


def test_rules_name_known_relations_and_entities():
    [triples] = load_triples(ROWS)
    check_relations(parse_rules("knows(x,y) :- knows(y,x)"), triples)
    check_relations(parse_rules("friend(x,y) :- knows(y,x)"), triples, new=True)
    for text, words in (
        ("knows(x,y) :- know(y,x)", "line 1 of the rules has the unknown relation 'know'; did you"),
        ("friend(x,y) :- knows(y,x)", "unknown relation 'friend'"),
        ("knows(x,'zoe') :- knows(x,y)", "names the unknown entity 'zoe'"),
    ):
        with pytest.raises(InputError, match=words):
            check_relations(parse_rules(text), triples)
