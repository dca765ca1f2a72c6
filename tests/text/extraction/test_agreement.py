"""Lines of one entity: a clear line corrects an unclear one, and others keep their posterior."""

import numpy as np

from partita.text.extraction.agreement import share_labels
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.trainer import fit_segments

RULES = [
    {"name": "year", "field": "date", "pattern": r"\d{4}"},
    {"name": "first", "field": "author", "place": "first"},
    {"name": "quoted", "field": "title", "pattern": "[a-z]+", "before": '"'},
]
SCHEMA = {"fields": ["author", "title", "date"], "rules": RULES}
LINES = ['lee "sampling 1999', "lee sampling 1999", 'orr "merging 2001', "orr merging 2001"] * 6


def read_lines():
    rules = compile_rules(read_schema(SCHEMA), LINES)
    return rules, fit_segments(rules).posterior(rules)


def test_a_clear_line_corrects_an_unclear_one():
    rules, posterior = read_lines()
    entity = np.arange(len(LINES)) // 2  # a clear line and an unclear one
    shared = share_labels(posterior, entity)
    title = rules.schema.labels.index("title")
    token = rules.tokens.start[1] + 1
    assert shared.marginals[token, title] > posterior.marginals[token, title] + 0.05
    assert np.allclose(shared.marginals.sum(1), 1.0)


def test_lines_alone_keep_their_posterior():
    _, posterior = read_lines()
    assert share_labels(posterior, np.arange(len(LINES))) is posterior
    entity = np.arange(len(LINES))
    entity[1] = 0
    shared = share_labels(posterior, entity)
    rest = posterior.rules.tokens.start[2]
    assert np.allclose(shared.marginals[rest:], posterior.marginals[rest:])


def test_repeated_words_and_signs_are_no_evidence():
    schema = read_schema(SCHEMA)
    rules = compile_rules(schema, ["lee lee , 1999", "lee lee , 2000"])
    posterior = fit_segments(rules).posterior(rules)
    assert share_labels(posterior, np.zeros(2, int)) is posterior
