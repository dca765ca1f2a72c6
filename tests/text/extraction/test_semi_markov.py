"""Semi-Markov sums, best segmentations and samples against enumeration."""

import itertools

import numpy as np
import pytest

from partita.text.extraction.segment_search import (
    find_best_segments,
    find_n_best_segments,
    sample_segments,
)
from partita.text.extraction.semi_markov import Lattice, score_segments, sum_segments

LENGTHS, LABELS = 3, 3


def make_lattice(tokens=(4, 0, 5, 1), forbidden=True, seed=0):
    """Draw a lattice with random scores, some of them -inf."""
    rng = np.random.default_rng(seed)
    start = np.cumsum([0, *tokens])
    scores = rng.normal(size=(start[-1], LENGTHS, LABELS)) * 3
    steps = rng.normal(size=(LABELS + 1, LABELS)) * 2
    if forbidden:
        scores[:, 1:, 0] = -np.inf
        steps[1, 2] = -np.inf
    return Lattice(start, scores, steps)


def enumerate_segments(lattice, line):
    """Yield (segments, score) of every segmentation; a segment is (first, length, label)."""
    first, last = lattice.start[line], lattice.start[line + 1]

    def extend(at, left):
        if at == last:
            yield (), 0.0
            return
        for k, y in itertools.product(range(min(LENGTHS, last - at)), range(LABELS)):
            here = lattice.scores[at, k, y] + lattice.steps[left, y]
            if here > -np.inf:
                for rest, score in extend(at + k + 1, y):
                    yield ((int(at), k, y), *rest), here + score

    yield from extend(first, LABELS)


def test_sums_equal_enumeration():
    lattice = make_lattice()
    sums = sum_segments(lattice)
    segments, pairs = np.zeros_like(lattice.scores), np.zeros_like(lattice.steps)
    for line in range(4):
        rows = list(enumerate_segments(lattice, line))
        scores = np.array([score for _, score in rows])
        log_z = np.logaddexp.reduce(scores)
        assert sums.log_z[line] == pytest.approx(log_z, abs=1e-9)
        for reading, score in rows:
            p = np.exp(score - log_z)
            left = LABELS
            for t, k, y in reading:
                segments[t, k, y] += p
                pairs[left, y] += p
                left = y
    # the empty line has one reading and no segment
    np.testing.assert_allclose(sums.segments, segments, atol=1e-9)
    np.testing.assert_allclose(sums.steps, pairs, atol=1e-9)


def test_large_scores_stay_finite():
    lattice = make_lattice((40,), forbidden=False)
    sums = sum_segments(lattice._replace(scores=lattice.scores * 300))
    assert np.isfinite(sums.log_z).all()
    covered = sum(
        np.pad(sums.segments[: 40 - k, j].sum(1), (k, 0))
        for j in range(LENGTHS)
        for k in range(j + 1)
    )
    np.testing.assert_allclose(covered, 1.0, atol=1e-9)


def test_impossible_line_has_no_probability():
    lattice = make_lattice((3, 2))
    lattice.scores[:2] = -np.inf
    sums = sum_segments(lattice)
    assert sums.log_z[0] == -np.inf and np.isfinite(sums.log_z[1])
    assert sums.segments[:3].sum() == 0


def reading_of(rows, first=0):
    """Return the segments of a segmentation in two rows."""
    starts = np.unique(rows[0])
    return tuple(
        (int(s) + int(first), int((rows[0] == s).sum()) - 1, int(rows[1][rows[0] == s][0]))
        for s in starts
    )


def test_best_and_n_best_equal_enumeration():
    lattice = make_lattice()
    best = find_best_segments(lattice)
    for line in (0, 2, 3):
        ranked = sorted(enumerate_segments(lattice, line), key=lambda row: -row[1])
        first, last = lattice.start[line], lattice.start[line + 1]
        rows = best[:, first:last] - np.array([[first], [0]])
        assert reading_of(rows, first) == ranked[0][0]
        readings, scores = find_n_best_segments(lattice, line, 12)
        np.testing.assert_allclose(scores, [s for _, s in ranked[:12]], atol=1e-9)
        assert [reading_of(rows, first) for rows in readings] == [r for r, _ in ranked[:12]]


def test_samples_follow_the_distribution():
    lattice = make_lattice((4,), seed=1)
    lattice = lattice._replace(scores=lattice.scores / 3)
    rows = list(enumerate_segments(lattice, 0))
    p = np.exp(np.array([s for _, s in rows]) - sum_segments(lattice).log_z[0])
    rng, draws = np.random.default_rng(2), 20_000
    place = {reading: k for k, (reading, _) in enumerate(rows)}
    counts = np.zeros(len(rows))
    for drawn in sample_segments(lattice, rng, draws):
        counts[place[reading_of(drawn)]] += 1
    error = np.sqrt(p * (1 - p) / draws)
    assert (abs(counts / draws - p) < 4.5 * error + 1e-12).all()


def test_scores_add_tokens_ends_and_length():
    rng = np.random.default_rng(3)
    start = np.array([0, 3, 5])
    token, opening, closing = rng.normal(size=(3, 5, 2))
    length = np.array([[0.5, 0.1], [-np.inf, 0.2]])
    scores = np.zeros((5, 2, 2))
    score_segments(start, token, opening, closing, length, scores)
    assert scores[1, 1, 1] == pytest.approx(
        token[1:3, 1].sum() + opening[1, 1] + closing[2, 1] + 0.2
    )
    assert scores[1, 1, 0] == -np.inf
    assert scores[3, 0, 0] == pytest.approx(token[3, 0] + opening[3, 0] + closing[3, 0] + 0.5)
