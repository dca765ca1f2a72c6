"""Rules about all segments of a line: expanded lattices against enumerated segmentations."""

import itertools
import math

import numpy as np
import pytest

from partita.text.extraction.history import History, group_lines, take_lines
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.schema import read_schema
from partita.text.extraction.segment_search import (
    find_best_segments,
    find_n_best_segments,
    sample_segments,
)
from partita.text.extraction.semi_markov import Lattice, sum_segments
from partita.text.extraction.structure import STRUCTURE_RATE
from partita.text.extraction.trainer import fit_segments

COST = math.log((1 - STRUCTURE_RATE) / STRUCTURE_RATE)
TOKENS, LABELS = 5, 3
SCHEMA = {
    "fields": ["a", "b", "c"],
    "other": False,
    "rules": [{"once": ["a", "b"]}, {"order": ["a", "b", "c"]}],
}


@pytest.fixture
def rules():
    return compile_rules(read_schema(SCHEMA), ["v w x y z"])


@pytest.fixture
def lattice():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(TOKENS, 2, LABELS))
    return Lattice(np.array([0, TOKENS]), scores, rng.normal(size=(LABELS + 1, LABELS)))


def list_segmentations(left):
    """List all segmentations of `left` tokens as lengths and labels."""
    if left == 0:
        yield ()
    for size in range(1, min(2, left) + 1):
        for label in range(LABELS):
            yield from (((size, label), *rest) for rest in list_segmentations(left - size))


def score_naively(lattice, segments, tracked):
    """Add the scores of the lattice and a cost for each segment that breaks a rule."""
    total, at, past = 0.0, 0, []
    for size, label in segments:
        left = past[-1] if past else LABELS
        total += lattice.scores[at, size - 1, label] + lattice.steps[left, label]
        before = [y for y in past if y in tracked]
        if label in before and label < 2 and left != label:
            total += COST
        if label not in before and any(y > label for y in before) and not LABELS > left > label:
            total += COST
        past.append(label)
        at += size
    return total


@pytest.mark.parametrize("tracked", [(), (0,), (1, 2), (0, 1, 2)])
def test_sums_and_searches_equal_enumeration(rules, lattice, tracked):
    history = History(rules, tracked)
    expanded = history.expand(lattice)
    listed = list(list_segmentations(TOKENS))
    scores = np.array([score_naively(lattice, segments, tracked) for segments in listed])
    sums = history.fold_sums(sum_segments(expanded))
    log_z = np.logaddexp.reduce(scores)
    assert sums.log_z[0] == pytest.approx(log_z, abs=1e-9)
    expected = np.zeros_like(lattice.scores)
    for segments, p in zip(listed, np.exp(scores - log_z), strict=True):
        starts = itertools.accumulate((size for size, _ in segments), initial=0)
        for at, (size, label) in zip(starts, segments, strict=False):
            expected[at, size - 1, label] += p
    np.testing.assert_allclose(sums.segments, expected, atol=1e-9)
    best = listed[int(scores.argmax())]
    found = history.fold_rows(find_best_segments(expanded), expanded)
    assert found[1].tolist() == [label for size, label in best for _ in range(size)]
    ranked = find_n_best_segments(expanded, 0, 9)[1]
    np.testing.assert_allclose(ranked, np.sort(scores)[::-1][:9], atol=1e-9)


def test_draws_have_the_marginals_of_the_sums(rules, lattice):
    history, n = History(rules, (0, 1)), 4_000
    expanded = history.expand(lattice)
    drawn = history.fold_rows(sample_segments(expanded, np.random.default_rng(1), n), expanded)
    p = history.fold_sums(sum_segments(expanded)).segments[0].sum(0)
    share = np.bincount(drawn[:, 1, 0], minlength=LABELS) / n
    assert (np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / n)).all()


def test_labels_that_break_a_rule_are_tracked(rules):
    history = History(rules)
    assert history.add_broken([0, 1, 2]) == ()
    assert history.add_broken([0, 1, 0, 2]) == (0,)
    assert history.add_broken([2, 0, 2]) == (0, 2)
    assert history.track((1,)).add_broken([0, 1, 2]) == (1,)


def test_lines_are_grouped_by_key_and_size(lattice):
    keys, size = [(), (0,), (), (0,)], np.array([5, 5, 5, 5])
    groups = [(key, lines.tolist()) for key, lines in group_lines(keys, size, 20)]
    assert [key for key, _ in groups] == [(), (0,), (0,)]
    assert sorted(line for _, lines in groups for line in lines) == [0, 1, 2, 3]
    two = Lattice(np.array([0, 2, 5]), lattice.scores, lattice.steps)
    taken, tokens = take_lines(two, np.array([1]))
    assert tokens.tolist() == [2, 3, 4] and taken.start.tolist() == [0, 3]


def test_a_field_has_one_segment_beyond_neighbours():
    rules = [
        {"field": "code", "pattern": r"\d+", "strength": 0.8},
        {"field": "word", "pattern": "[a-z]+", "strength": 0.9},
    ]
    lines = ["12 lee 34 orr 56"] * 6
    free = compile_rules(read_schema({"fields": ["code", "word"], "rules": rules}), lines)
    once = {"once": ["code"], "strength": 0.999}
    strict = compile_rules(
        read_schema({"fields": ["code", "word"], "rules": [*rules, once]}), lines
    )
    count = [
        sum(part.field == "code" for part in fit_segments(compiled).posterior(compiled).segments(0))
        for compiled in (free, strict)
    ]
    assert count == [3, 1]
