"""Rules fire where they should: patterns, dictionaries, places, and the structure of lines."""

import numpy as np
import pytest

from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.tokens import Tokens


def build(*rules, fields=("author", "title", "date"), **keys):
    return read_schema({"fields": list(fields), "rules": list(rules), **keys})


def quotes(rules):
    lines = rules.tokens
    return [lines.quote(a, b, c) for _, a, b, c in zip(*rules.firings, strict=True)]


@pytest.mark.parametrize(
    ("rule", "line", "hits"),
    [
        ({"pattern": r"(19|20)\d\d"}, "1999, 2001 and 12 1999a", ["1999", "2001"]),
        ({"pattern": ["pp", r"\.", r"\d+"]}, "pp. 12 pp 13 pp.", ["pp. 12"]),
        ({"pattern": r"\w+", "before": ["flights", "to"]}, "flights to Rome to Bari", ["Rome"]),
        ({"pattern": r"\d+", "after": "Road"}, "12 Road 13 Street", ["12"]),
        (
            {"words": ["New York", "York"]},
            "new york, York NEW YORK.",
            ["new york", "York", "NEW YORK"],
        ),
        ({"words": ["Proc."]}, "In Proc. of the proc 3", ["Proc", "proc"]),
        ({"words": ["東京"]}, "東京都", ["東京"]),
        ({"words": ["holiday inn"], "match": "tokens"}, "an inn on Holiday", ["inn", "Holiday"]),
        (
            {"words": ["courtyard by marriott"], "match": "near"},
            "3* cortyard by mariott 4/5",
            ["cortyard by mariott"],
        ),
        ({"words": ["courtyard by marriott"], "match": "near"}, "by Marriott, by", ["by Marriott"]),
        ({"place": "first"}, "a b c", ["a"]),
        ({"place": "last"}, "a b c", ["c"]),
        ({"pattern": r"\d+", "place": "first"}, "1 2 3", ["1"]),
        ({"words": ["b c", "a"], "place": "last"}, "a b c b c", ["b c"]),
    ],
)
def test_where_a_rule_fires(rule, line, hits):
    rules = compile_rules(build({"field": "date", **rule}), [line])
    assert quotes(rules) == hits


def test_matches_stay_inside_their_line():
    schema = build(
        {"field": "date", "words": ["new york"]},
        {"field": "title", "pattern": ["new", "york"]},
        {"field": "title", "pattern": "york", "before": "new"},
        {"field": "title", "pattern": "new", "after": "york"},
        {"field": "title", "words": ["new york hotel"], "match": "near"},
    )
    rules = compile_rules(schema, ["new", "york", ""])
    assert rules.firings.rule.size == 0


def test_firings_are_sorted_and_flat():
    schema = build(
        {"name": "year", "field": "date", "pattern": r"\d{4}"},
        {"name": "first", "field": ["author", "title"], "place": "first"},
        {"name": "not", "not_field": "author", "pattern": r"\d+"},
    )
    rules = compile_rules(schema, ["Lee 1999", "", "1998"])
    assert rules.firings.rule.tolist() == [0, 0, 1, 1, 2, 2]
    assert rules.firings.line.tolist() == [0, 2, 0, 2, 0, 2]
    assert rules.firings.start.tolist() == [1, 2, 0, 2, 1, 2]
    assert rules.counts().tolist() == [2, 2, 2]
    assert rules.allowed.astype(int).tolist() == [[0, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]]
    assert rules.votes().tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0]]
    chosen = rules.firings.take(rules.firings.rule == 0)
    assert chosen.start.tolist() == [1, 2]


def test_structure():
    schema = build(
        {"once": ["date"]},
        {"once": True},
        {"order": ["author", "venue"]},
        {"boundary": "punctuation"},
        {"field": "title", "length": [2, 30]},
        fields=("author", "title", "date", "venue > journal", "venue > book"),
    )
    rules = compile_rules(schema, Tokens.from_words([["Lee", ",", "On", "trees."], ["A", "b"]]))
    assert [once.mask.astype(int).tolist() for once in rules.once] == [
        [0, 0, 1, 0, 0, 0],
        [1, 1, 1, 1, 1, 0],
    ]
    assert rules.order[0].rank.tolist() == [0, -1, -1, 1, 1, -1]
    assert rules.boundary[0].may_begin.tolist() == [True, False, True, False, True, False]
    assert (rules.length[0].fewest, rules.length[0].most) == (2, 30)
    assert not rules.notes


def test_notes_on_rules_and_lines():
    schema = build({"name": "never", "field": "date", "pattern": "x"}, {"once": True})
    rules = compile_rules(schema, ["a", "", None, "b " * 6000])
    assert rules.notes[0] == "rule 'never' never fires; correct it, or remove it"
    assert rules.notes[1] == "2 lines are empty; their fields are missing"
    assert rules.notes[2].startswith("1 line has more than 5,000 tokens: line 4;")


def test_no_lines_and_no_rules():
    assert compile_rules(build({"field": "date", "words": ["x"]}), []).firings.rule.size == 0
    rules = compile_rules(build(), ["a b"])
    assert rules.allowed.shape == (0, 4) and not np.any(rules.votes())


def test_abbreviations_of_words_fire():
    rule = {"field": "area", "words": ["downtown", "university park"], "match": "abbreviation"}
    schema = read_schema({"fields": ["area", "price"], "rules": [{"name": "short", **rule}]})
    rules = compile_rules(schema, ["dt in univ park for downtown"])
    assert [rules.tokens.texts(0)[k] for k in rules.firings.start] == ["dt", "univ"]
