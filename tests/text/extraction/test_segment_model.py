"""The segment model: gradients, projection, labels and posterior, on lines that are made here."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from partita.errors import InputError
from partita.text.extraction.attributes import read_vocabulary
from partita.text.extraction.expectations import read_lines
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.segment_weights import Layout
from partita.text.extraction.structure import read_longest
from partita.text.extraction.trainer import TrainingSettings, find_free_weights, fit_segments

SCHEMA = {
    "fields": ["place > city", "place > state", "price"],
    "max_length": 3,
    "rules": [
        {"name": "city", "field": "city", "words": ["san diego", "reno", "boston"]},
        {"name": "state", "field": "state", "words": ["ca", "nv", "ma"]},
        {"name": "price", "field": "price", "pattern": r"\$\d+"},
        {"name": "small", "field": "other", "words": ["for", "in", "only"]},
        {"name": "short", "field": "price", "length": 1},
    ],
    "split": "spaces",
}


def make_lines(n=60, seed=0):
    """Draw ads and the label of each token; `oslo` and `dallas` are in no dictionary."""
    rng = np.random.default_rng(seed)
    cities = ["san diego", "reno", "boston", "oslo", "dallas"]
    lines, labels = [], []
    for _ in range(n):
        city = cities[rng.integers(5)].split()
        state, price = ["ca", "nv", "ma"][rng.integers(3)], f"${rng.integers(20, 90)}"
        parts = [("in", "other"), *((word, "city") for word in city), (state, "state")]
        parts += [("for", "other"), (price, "price")]
        if rng.random() < 0.5:
            parts.append(("only", "other"))
        lines.append(" ".join(word for word, _ in parts))
        labels.append([label for _, label in parts])
    return lines, labels


def flatten(schema, labels):
    return np.array([schema.labels.index(name) for row in labels for name in row])


@pytest.mark.parametrize("tree", [True, False])
def test_gradient_equals_differences(tree):
    schema = read_schema(SCHEMA)
    rules = compile_rules(schema, make_lines(3)[0])
    longest = read_longest(rules)
    vocabulary = read_vocabulary(rules, max(longest))
    ancestry = schema.ancestry() if tree else np.eye(len(schema.labels))
    lines = read_lines(rules, Layout(vocabulary.widths, longest, ancestry), vocabulary)
    weights = np.random.default_rng(1).normal(size=lines.layout.size) * 0.3
    chosen = np.random.default_rng(2).choice(weights.size, 40, replace=False)

    def log_z(values):
        moved = weights.copy()
        moved[chosen] = values
        return lines.count(moved).log_z

    numeric = approx_fprime(weights[chosen], log_z, 1e-6)
    np.testing.assert_allclose(lines.count(weights).features[chosen], numeric, atol=1e-4)


def test_rules_reach_words_outside_dictionaries():
    schema = read_schema(SCHEMA)
    lines, labels = make_lines()
    rules = compile_rules(schema, lines)
    model = fit_segments(rules)
    posterior = model.posterior(rules)
    truth = flatten(schema, labels)
    assert (posterior.label == truth).mean() > 0.95
    vote = rules.votes()
    voted = np.where(vote.sum(1) > 0, vote.argmax(1), len(schema.labels) - 1)
    assert (posterior.label == truth).mean() > (voted == truth).mean()


def test_posterior_is_a_distribution():
    schema = read_schema(SCHEMA)
    rules = compile_rules(schema, [*make_lines(20)[0], "", "unseen words here"])
    posterior = fit_segments(rules, settings=TrainingSettings(rounds=1)).posterior(rules)
    np.testing.assert_allclose(posterior.marginals.sum(1), 1.0, atol=1e-9)
    assert posterior.segments(20) == [] and posterior.line_probability[20] == 1.0
    ranked = posterior.n_best(0, 500)
    assert ranked[0][0] == pytest.approx(posterior.line_probability[0])
    assert ranked[0][1] == posterior.segments(0)
    total = [p for p, _ in ranked]
    assert total == sorted(total, reverse=True) and sum(total) <= 1 + 1e-9


def test_labels_are_clamped_and_override_rules():
    wrong = {**SCHEMA, "rules": [{"name": "wrong", "field": "state", "words": ["reno", "oslo"]}]}
    schema = read_schema(wrong)
    lines, labels = make_lines(80)
    rules = compile_rules(schema, lines)
    model = fit_segments(rules, labels)
    assert model.rates[0] < 0.2
    assert (model.posterior(rules).label == flatten(schema, labels)).mean() > 0.97


def test_bad_labels_are_named():
    rules = compile_rules(read_schema(SCHEMA), ["in reno"])
    with pytest.raises(InputError, match="2 tokens and 1 labels"):
        fit_segments(rules, [["city"]])
    with pytest.raises(InputError, match="'town'"):
        fit_segments(rules, [["other", "town"]])
    with pytest.raises(InputError, match="rows of labels"):
        fit_segments(rules, [])


def test_weights_of_rules_stay_zero():
    rules = compile_rules(read_schema(SCHEMA), make_lines(10)[0])
    model = fit_segments(rules, settings=TrainingSettings(rounds=1))
    lines = read_lines(rules, model.layout, model.vocabulary)
    assert not model.weights[find_free_weights(lines) == 0].any()
