"""Rates of rules: measured where labels exist, estimated from agreement where they do not."""

import numpy as np

from partita.text.extraction.labels import encode_labels, parse_tags
from partita.text.extraction.rates import (
    RuleRate,
    expect_rates,
    judge_rules,
    leave_out,
    measure_rates,
    name_doubtful,
)
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.segment_weights import cover_tokens
from partita.text.extraction.semi_markov import sum_segments
from partita.text.extraction.trainer import fit_segments
from tests.text.extraction.making import FIELDS, SCHEMA, references


def labelled(n=50):
    schema = read_schema(SCHEMA)
    lines = encode_labels([parse_tags(line, FIELDS) for line in references(n)], schema)
    return compile_rules(schema, lines.tokens), lines


def test_agreement_finds_the_rule_that_is_wrong():
    rules, lines = labelled()
    judged = judge_rules(rules, fit_segments(rules).posterior(rules))
    true = measure_rates(rules, lines.first, lines.label)
    for rate, known in zip(judged, true, strict=True):
        assert abs(rate.rate - known.rate) < 0.15, rate.rule
        assert rate.cases == known.cases
    wrong = next(rate for rate in judged if rate.rule == "letter")
    assert wrong.rate < 0.15
    assert all("J." in rules.tokens.lines[line] for line in wrong.doubtful)


def test_the_probability_leaves_the_rules_own_factor_out():
    """Without one factor the posterior equals that of a lattice from which it is subtracted."""
    schema = read_schema({**SCHEMA, "max_length": 3})
    rules = compile_rules(schema, [parse_tags(line, FIELDS).text for line in references(6)])
    model = fit_segments(rules)
    posterior = model.posterior(rules)
    spread = rules.firings.spread()
    found = leave_out(rules, posterior)
    lattice = posterior.lines.score(0, len(rules.tokens.lines), posterior.parts)
    for k in range(0, spread.token.size, 9):
        token, rule = spread.token[k], spread.rule[k]
        scores = lattice.scores.copy()
        for start in range(max(0, token - scores.shape[1] + 1), token + 1):
            scores[start, token - start :] -= model.duals[rule] * rules.allowed[rule]
        sums = sum_segments(lattice._replace(scores=scores))
        expected = cover_tokens(sums.segments)[0][token] @ rules.allowed[rule]
        assert np.isclose(found[k], expected, atol=1e-9)


def test_a_rule_with_few_cases_keeps_its_prior():
    rules = [
        {"name": "a", "field": "x", "pattern": "a"},
        {"name": "b", "field": "y", "words": ["a"]},
    ]
    compiled = compile_rules(read_schema({"fields": ["x", "y"], "rules": rules}), ["a"])
    judged = judge_rules(compiled, fit_segments(compiled).posterior(compiled))
    assert all(0.6 < rate.rate < 0.9 and rate.cases == 1 for rate in judged)


def test_a_rule_that_excludes_a_label_starts_above_chance():
    """Every rule favours the labels that it states, however many of them there are."""
    for labels in range(2, 30):
        for stated in range(1, labels):
            rate = expect_rates(np.arange(labels)[None] < stated)[0]
            assert rate > stated / labels


def test_a_rule_that_excludes_a_field_lowers_its_probability():
    rules = [
        {"name": "either", "field": ["author", "title"], "pattern": "[A-Z].*"},
        {"name": "no title", "not_field": "title", "pattern": "[A-Z][a-z]+"},
    ]
    compiled = compile_rules(
        read_schema({"fields": FIELDS, "rules": rules}), ["Lee 1", "Orr 2", "Kim 3", "Moss 4"]
    )
    posterior = fit_segments(compiled).posterior(compiled)
    author, title = posterior.marginals[::2, [FIELDS.index("author"), FIELDS.index("title")]].T
    assert (title < author / 2).all()
    assert judge_rules(compiled, posterior)[1].rate > 0.9


def test_measured_rates_of_all_kinds():
    rules = [
        {"name": "year", "field": "date", "pattern": r"\d+"},
        {"name": "whole", "field": "date", "pattern": r"\d+", "whole": True, "strength": 0.5},
        {"name": "once", "once": True},
        {"name": "order", "order": ["title", "date"]},
        {"name": "boundary", "boundary": "punctuation"},
        {"name": "length", "field": "date", "length": 1},
    ]
    schema = read_schema({"fields": ["title", "date"], "rules": rules})
    tagged = [
        "<title>a</title>, <date>1</date>",
        "<date>1 2</date> <title>b</title>",
        "<title>a 3</title>, <date>1</date> x <date>2</date>",
    ]
    lines = encode_labels([parse_tags(line, schema.fields) for line in tagged], schema)
    measured = measure_rates(compile_rules(schema, lines.tokens), lines.first, lines.label)
    rates = {rate.rule: (rate.cases, round(rate.rate, 3)) for rate in measured}
    assert rates["year"] == (6, round(5 / 6, 3))
    assert rates["whole"] == (6, round(3 / 6, 3))
    assert rates["once"] == (6, round(5 / 6, 3))
    assert rates["order"] == (3, round(2 / 3, 3))
    assert rates["length"] == (4, 0.75)
    assert rates["boundary"][0] == 7
    doubtful = {rate.rule: rate.doubtful for rate in measured}
    assert doubtful["year"] == doubtful["once"] == (2,)
    assert doubtful["order"] == doubtful["length"] == (1,)


def test_sentences_name_doubtful_rules_only():
    rates = [
        RuleRate("good", 10, 0.9),
        RuleRate("bad", 1200, 0.31, (4, 7)),
        RuleRate("no", 0, np.nan),
    ]
    assert name_doubtful(rates) == [
        "rule 'bad' seems right in 31% of 1,200 cases; look at lines 5, 8, or remove the rule"
    ]
