"""Constraints of a walk against the definition of the rules."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.proposals import flip
from partita.states import Labels
from partita.text.extraction import build_constraints, compile_rules, reward_labels
from partita.text.extraction.schema import read_schema
from partita.walks import compile_chain, total_score

LINES = ["Lee , 1999", "In 1998"]
FIELDS = ["author", "date"]
YEAR = {"name": "year", "field": "date", "pattern": r"(19|20)\d\d", "strength": 0.5}
START = {"name": "start", "field": "author", "place": "first"}
MARK = {"name": "mark", "boundary": "punctuation"}
WORD = {"name": "in", "not_field": "author", "words": ["in"]}


def rules_of(*rules):
    return compile_rules(read_schema({"fields": FIELDS, "rules": list(rules)}), LINES)


def test_rewards_are_strengths_of_rules_that_fire():
    author, date, other = 0, 1, 2
    reward = reward_labels(rules_of(YEAR, START, WORD))
    assert reward[0].tolist() == [1.0, -1.0, -1.0]
    assert reward[1].tolist() == [0.0, 0.0, 0.0]
    assert reward[2].tolist() == [-0.5, 0.5, -0.5]
    # "In" is the first token (author) and a word that is no author
    assert reward[3, [author, date, other]].tolist() == [0.0, 0.0, 0.0]


def test_the_model_scores_labelings_by_the_rules():
    rules = rules_of(YEAR, START, MARK)
    model = build_constraints(rules)
    reward, boundary = reward_labels(rules), rules.boundary[0]
    line = rules.tokens.line_of()

    def by_hand(label):
        total = sum(reward[v, y] for v, y in enumerate(label))
        for v in range(1, len(label)):
            if line[v] == line[v - 1] and label[v] != label[v - 1] and not boundary.may_begin[v]:
                total -= 2.0
        return total

    compiled = compile_chain(model, flip(), exact())
    rng = np.random.default_rng(0)
    for _ in range(20):
        label = rng.integers(0, 3, rules.tokens.n)
        gap = by_hand(label) - by_hand(np.zeros_like(label))
        assert total_score(model, exact(), compiled, Labels.of(label, 3)) == pytest.approx(gap)


def test_rules_that_never_fire_are_no_constraints():
    with pytest.raises(InputError, match="no rule of the schema fires; add a pattern"):
        build_constraints(rules_of({"name": "x", "field": "date", "pattern": "zzz"}))
