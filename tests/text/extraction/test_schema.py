"""Schemas: fields as a tree, rules of every kind, and one sentence for each mistake."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.text.extraction.schema import load_schema, read_schema

FIELDS = ["author", "title", "date"]

GOOD = """
name = "citation"
fields = ["author", "title", "date", "venue > journal", "venue > booktitle"]
other = false
max_length = 60

[[rules]]
name = "year"
field = "date"
pattern = '(19|20)\\d\\d'
strength = 0.95

[[rules]]
name = "in"
field = "venue"
pattern = ["In", "[A-Z].*"]
after = "[a-z]+"

[[rules]]
name = "proceedings"
field = ["journal", "booktitle"]
words = ["proceedings of", "journal"]

[[rules]]
name = "first"
field = "author"
place = "first"

[[rules]]
name = "no digits"
not_field = "author"
pattern = '\\d+'

[[rules]]
once = true

[[rules]]
order = ["author", "title", "venue"]

[[rules]]
boundary = "punctuation"

[[rules]]
field = "date"
length = [1, 4]

[[rules]]
name = "known"
field = "journal"
file = "journals.txt"
whole = true

[[rules]]
name = "people"
field = "author"
table = "people.csv"
column = "last"
match = "tokens"
"""


def test_all_kinds_of_rules(tmp_path):
    (tmp_path / "s.toml").write_text(GOOD)
    (tmp_path / "journals.txt").write_text("Nature\n\nScience\nNature\n")
    (tmp_path / "people.csv").write_text("id,last\n1,Lee\n2,Kim\n")
    schema = load_schema(tmp_path / "s.toml")
    assert schema.labels == ("author", "title", "date", "journal", "booktitle")
    assert schema.parent("journal") == "venue" and schema.parent("author") is None
    rules = {rule.name: rule for rule in schema.rules}
    assert schema.allowed(rules["in"]).tolist() == [False, False, False, True, True]
    assert schema.allowed(rules["no digits"]).tolist() == [False, True, True, True, True]
    assert rules["known"].words == ("Nature", "Science") and rules["known"].is_whole
    assert set(rules["people"].words) == {"Lee", "Kim"}
    assert rules["year"].strength == 0.95 and rules["in"].strength is None
    assert rules["9 length date"].length == (1, 4)
    assert [rule.kind for rule in schema.rules if rule.is_structural] == [
        *("once", "order", "boundary", "length"),
    ]


def test_ancestry_has_a_one_for_each_ancestor():
    schema = read_schema({"fields": ["number", "street", "street > name", "street > type > short"]})
    nodes = schema.nodes
    matrix = schema.ancestry()
    assert schema.path("short") == ("short", "type", "street")
    row = matrix[schema.labels.index("short")]
    assert {nodes[k] for k in np.flatnonzero(row)} == {"short", "type", "street"}
    assert matrix.sum(1).tolist() == [1, 1, 2, 3, 1]


def rule(**keys):
    return {"fields": FIELDS, "rules": [keys]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "fields is None; list them"),
        ({"fields": ["a"], "other": False}, "the only label is 'a'"),
        ({"fields": ["a", "a"]}, "'a' is listed twice"),
        ({"fields": ["a > b", "c > b"]}, "'b' has two places in the tree"),
        ({"fields": ["a > "]}, "has no name"),
        ({"fields": ["a", "other"]}, "'other' is a field and the label of other tokens"),
        ({"fields": FIELDS, "rule": []}, "there is no key 'rule'; do you mean 'rules'?"),
        ({"fields": FIELDS, "split": "lines"}, "split is 'lines'"),
        ({"fields": FIELDS, "max_length": -1}, "max_length is -1"),
        ({"fields": FIELDS, "rules": ["x"]}, r"write each rule under \[\[rules\]\]"),
        (rule(field="dates", pattern="x"), "no field 'dates'; do you mean 'date'?"),
        (rule(field="date"), "it has none; give exactly one of"),
        (rule(field="date", pattern="x", words=["y"]), "it has pattern and words"),
        (rule(pattern="x"), "give the fields of the rule as field"),
        (rule(field="date", pattern="("), "is no regular expression"),
        (rule(field="date", patern="x"), "no key 'patern'; do you mean 'pattern'?"),
        (rule(field="date", words=[]), "words is an empty list"),
        (rule(field="date", words=[" "]), "has no entries"),
        (rule(field="date", pattern=3), "pattern is 3"),
        (rule(field="date", pattern="x", strength=1.5), "strength is 1.5"),
        (rule(field="date", pattern="x", strength=True), "strength is True"),
        (rule(field="date", place="middle"), "no place 'middle'"),
        (rule(field="date", pattern="x", match="near"), "match does not go with pattern"),
        (rule(field="date", words=["x"], match="fuzzy"), "no match 'fuzzy'"),
        (rule(field="date", length=[4, 2]), "put the smaller one first"),
        (rule(field="date", length=[4]), r"give \[fewest, most\]"),
        (rule(order=["date"]), "list two or more different fields"),
        (rule(once=False), "once is false"),
        (rule(once=True, field="date"), "field does not go with once"),
        (rule(boundary="comma"), "the only one is"),
        (rule(field="date", file="missing.txt"), "cannot be read"),
        (rule(field="date", table="x.csv"), "table needs a column"),
        (
            {
                "fields": FIELDS,
                "rules": [{"order": ["author", "title"]}, {"order": ["title", "author"]}],
            },
            "contradict each other on the order of 'title' and 'author'",
        ),
        (
            {
                "fields": FIELDS,
                "rules": [
                    {"name": "a", "field": "date", "pattern": "x"},
                    {"name": "b", "field": "title", "pattern": "x"},
                ],
            },
            "rules 'a' and 'b' contradict each other: the same tokens are date and title",
        ),
        (
            {
                "fields": FIELDS,
                "rules": [
                    {"name": "a", "field": "date", "words": ["May", "june"]},
                    {"name": "b", "not_field": "date", "words": ["June", "may."]},
                ],
            },
            "rules 'a' and 'b' contradict each other: the same tokens are date and not date",
        ),
        (
            {
                "fields": FIELDS,
                "rules": [
                    {"name": "a", "field": "date", "length": [1, 2]},
                    {"name": "b", "field": ["date", "title"], "length": [3, 4]},
                ],
            },
            "rules 'a' and 'b' contradict each other: no segment has both lengths",
        ),
        (
            {
                "fields": FIELDS,
                "rules": [
                    {"name": "a", "field": "date", "pattern": "x"},
                    {"name": "a", "field": "title", "pattern": "y"},
                ],
            },
            "two rules are called 'a'",
        ),
        ({"fields": [f"f{k}" for k in range(301)]}, "there are 301 fields"),
        ({"fields": [" > ".join("abcdefghijkl"), "x"]}, "has 12 levels"),
        (
            {"fields": FIELDS, "rules": [{"field": "date", "pattern": "a{99999999999}"}]},
            "is no regular expression",
        ),
        (
            {"fields": FIELDS, "rules": [{"field": "date", "pattern": "(" * 5000 + ")" * 5000}]},
            "is no regular expression",
        ),
        ({"fields": FIELDS, "rules": [{"field": "date", "file": "\0"}]}, "cannot be read"),
    ],
)
def test_mistakes_have_one_sentence(content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_schema(content)
    assert "\n" not in str(caught.value)


def test_shared_tokens_with_strengths_do_not_contradict():
    rules = [
        {"field": "date", "pattern": "x", "strength": 0.6},
        {"field": "title", "pattern": "x", "strength": 0.4},
        {"not_field": "author", "pattern": "x"},
    ]
    assert len(read_schema({"fields": FIELDS, "rules": rules}).rules) == 3


def test_a_parent_and_its_child_do_not_contradict():
    rules = [{"field": "street", "pattern": "x"}, {"field": "name", "pattern": "x"}]
    schema = read_schema({"fields": ["number", "street > name", "street > type"], "rules": rules})
    assert len(schema.rules) == 2


def test_fields_that_nothing_states():
    rules = [{"field": "street", "pattern": "x"}, {"not_field": "zip", "pattern": "y"}]
    fields = ["number", "street > name", "street > type", "zip"]
    schema = read_schema({"fields": fields, "rules": rules})
    assert schema.unstated() == ("number", "zip")
    assert schema.unstated(["zip"]) == ("number",)


def test_files_that_are_no_schema(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read .*; give a TOML file, or one of"):
        load_schema(tmp_path / "no.toml")
    (tmp_path / "bad.toml").write_text(f"max_length = {'9' * 5000}")
    with pytest.raises(InputError, match=r"bad\.toml: this is not TOML"):
        load_schema(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("fields = [")
    with pytest.raises(InputError, match=r"bad\.toml: this is not TOML"):
        load_schema(tmp_path / "bad.toml")
    with pytest.raises(InputError, match="schema is 3; give a TOML file"):
        load_schema(3)
