"""Online projections and the walk against exact sums, on lines that are made here."""

import numpy as np
import pytest

from partita.proposals import gibbs_recut
from partita.text.extraction.attributes import read_vocabulary
from partita.text.extraction.expectations import read_lines
from partita.text.extraction.online import OnlineSettings, project_online
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.segment_walk import (
    WalkSettings,
    build_walk_model,
    count_state,
    train_two_chains,
)
from partita.text.extraction.segment_weights import Layout
from partita.text.extraction.structure import read_longest
from partita.text.extraction.trainer import find_free_weights
from partita.walks import start_chain
from tests.text.extraction.test_segment_model import SCHEMA, make_lines


@pytest.fixture(scope="module")
def lines():
    schema = read_schema({**SCHEMA, "max_length": 2})
    rules = compile_rules(schema, make_lines(8)[0])
    longest = read_longest(rules)
    vocabulary = read_vocabulary(rules, max(longest))
    layout = Layout(vocabulary.widths, longest, schema.ancestry())
    return read_lines(rules, layout, vocabulary)


def test_online_projection_meets_the_targets(lines):
    rates = np.array([0.9, 0.8, 0.9, 0.8, 0.0, 0.5])
    settings = OnlineSettings(passes=80, rate=0.5, batch=2)
    weights, duals = project_online(lines, rates, find_free_weights(lines), settings)
    held = lines.count(weights, duals).rules[:4] / lines.fired[:4]
    assert (duals >= 0).all() and (held > rates[:4] - 0.05).all()
    # p alone states what the rules state
    alone = lines.count(weights).rules[:4] / lines.fired[:4]
    assert (alone > 0.6).all()


def test_the_walk_has_the_exact_expectations(lines):
    weights = np.random.default_rng(5).normal(size=lines.layout.size) * 0.3
    parts = lines.weigh(weights, np.array([1.0, 0.5, 1.5, 0.2, 0.0, 0.3]))
    model, start = build_walk_model(lines, parts)
    chain = start_chain(model, start, gibbs_recut(), rng=3)
    chain.run(2_000)
    batches, draws = 30, 20
    means = np.zeros((batches, lines.statistics.allowed.shape[0]))
    for batch in range(batches):
        for _ in range(draws):
            chain.run(2 * start.first.size)
            means[batch] += count_state(lines, chain.state)[1] / draws
    target = lines.count(weights, np.array([1.0, 0.5, 1.5, 0.2, 0.0, 0.3])).rules
    error = means.std(0, ddof=1) / np.sqrt(batches)
    assert (abs(means.mean(0) - target) <= 3 * error + 1e-9).all()


def test_two_chains_learn_what_the_rules_state(lines):
    rates = np.array([0.9, 0.9, 0.9, 0.9, 0.0, 0.5])
    settings = WalkSettings(updates=150, rate=4.0, sweeps=2)
    weights, duals = train_two_chains(lines, rates, find_free_weights(lines), settings)
    alone = lines.count(weights).rules[:4] / lines.fired[:4]
    assert (duals >= 0).all() and alone.mean() > 0.6
