"""Segments of any length against a semi-Markov chain whose limit is the longest line."""

import numpy as np
import pytest

from partita.text.extraction.attributes import read_vocabulary
from partita.text.extraction.expectations import read_lines
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.segment_model import SegmentPosterior
from partita.text.extraction.segment_weights import Layout
from partita.text.extraction.structure import read_longest
from partita.text.extraction.trainer import fit_segments

SCHEMA = {
    "fields": ["author", "title", "date"],
    "rules": [
        {"name": "year", "field": "date", "pattern": r"\d{4}"},
        {"name": "small", "field": "title", "words": ["on", "the", "of"]},
        {"once": True},
    ],
    "split": "spaces",
}
LINES = ["lee on the sum of all parts 1999", "", "orr 2001 theory", "x"]
LONGEST = 8


@pytest.fixture(scope="module")
def both():
    """Return the posterior with segments of any length, and of at most the longest line."""
    rules = compile_rules(read_schema(SCHEMA), LINES)
    rng = np.random.default_rng(0)
    posteriors, weights = [], None
    for longest in ((0, 0, 0, 1), (LONGEST, LONGEST, LONGEST, 1)):
        vocabulary = read_vocabulary(rules, max(1, longest[0]))
        layout = Layout(vocabulary.widths, longest, np.eye(4))
        lines = read_lines(rules, layout, vocabulary)
        if weights is None:
            parts = layout.unpack(rng.normal(size=layout.size) * 0.4)
            weights = parts._replace(
                closing=0 * parts.closing, whole=0 * parts.whole, length=0 * parts.length
            )
        length = np.zeros((layout.lengths, 4))
        steps = weights.steps + lines.structure.steps
        posteriors.append(
            SegmentPosterior(rules, lines, weights._replace(length=length, steps=steps))
        )
    return posteriors


def test_a_schema_without_lengths_has_segments_of_any_length():
    rules = compile_rules(read_schema(SCHEMA), LINES)
    assert read_longest(rules) == (0, 0, 0, 1)
    limited = read_schema({**SCHEMA, "max_length": 3})
    assert read_longest(compile_rules(limited, LINES)) == (3, 3, 3, 1)


def test_posteriors_are_equal(both):
    chain, limited = both
    np.testing.assert_allclose(chain.marginals, limited.marginals, atol=1e-9)
    np.testing.assert_allclose(chain.line_probability, limited.line_probability, atol=1e-9)
    assert (chain.first == limited.first).all() and (chain.label == limited.label).all()
    for line in range(len(LINES)):
        ranked = zip(chain.n_best(line, 9), limited.n_best(line, 9), strict=True)
        for (p, segments), (other_p, others) in ranked:
            assert p == pytest.approx(other_p, abs=1e-9)
            assert [part[:3] for part in segments] == [part[:3] for part in others]
            mine, theirs = ([part.probability for part in row] for row in (segments, others))
            assert mine == pytest.approx(theirs, abs=1e-9)


def test_draws_have_the_marginals(both):
    chain, limited = both
    n, line = 4_000, 2
    draws = chain.sample(n, np.random.default_rng(1))[line]
    first = limited.rules.tokens.start[line]
    drawn = np.mean([any(part.start == first for part in row) for row in draws])
    p = 1.0 - limited.marginals[first, -1]
    assert abs(drawn - p) < 4 * np.sqrt(p * (1 - p) / n)


def test_long_runs_of_labels_are_one_segment():
    lines = ["lee " + "word " * 20 + "1999", "orr " + "name " * 12 + "2001"] * 4
    labels = [["author"] + ["title"] * (len(line.split()) - 2) + ["date"] for line in lines]
    rules = compile_rules(read_schema(SCHEMA), lines)
    posterior = fit_segments(rules, labels).posterior(rules)
    assert [(part.stop - part.start, part.field) for part in posterior.segments(0)] == [
        (1, "author"),
        (20, "title"),
        (1, "date"),
    ]
