"""Decoding: probabilities agree with enumeration, and blocks do not change them."""

import itertools

import numpy as np

from partita.text.extraction import decoding
from partita.text.extraction.decoding import decode, split_blocks
from partita.text.extraction.semi_markov import Lattice

LABELS, LENGTHS = 2, 2
START = np.array([0, 3, 3, 5])


def lattices():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(5, LENGTHS, LABELS))
    steps = rng.normal(size=(LABELS + 1, LABELS))

    def segmenter(line, last):
        start = START[line : last + 1]
        return Lattice(start - start[0], scores[start[0] : start[-1]].copy(), steps)

    return scores, steps, segmenter


def segmentations(n):
    """All ways to cut n tokens into labelled segments of at most LENGTHS tokens."""
    if n == 0:
        yield ()
    for size in range(1, min(LENGTHS, n) + 1):
        for rest in segmentations(n - size):
            for label in range(LABELS):
                yield (*rest, (n - size, size, label))


def score(path, scores, steps, base):
    total, left = 0.0, LABELS
    for first, size, label in path:
        total += scores[base + first, size - 1, label] + steps[left, label]
        left = label
    return total


def test_probabilities_by_enumeration():
    scores, steps, segmenter = lattices()
    decoded = decode(START, LABELS, LENGTHS, segmenter, n_best=3)
    for line, (base, end) in enumerate(itertools.pairwise(START.tolist())):
        paths = list(segmentations(end - base))
        weight = np.exp([score(path, scores, steps, base) for path in paths])
        share = weight / weight.sum()
        assert np.isclose(decoded.p_line[line], share.max())
        ranked = np.sort(share)[::-1][:3]
        assert np.allclose([reading.p for reading in decoded.readings[line]], ranked)
        for first, size, label in paths[int(share.argmax())]:
            p = sum(s for s, path in zip(share, paths, strict=True) if (first, size, label) in path)
            assert np.isclose(decoded.p_segment[base + first], p)
            assert decoded.first[base + first] == base + first
            assert decoded.label[base + first] == label
        for label in range(LABELS):
            count = [sum(kind == label for *_, kind in path) for path in paths]
            assert np.isclose(decoded.expected[line, label], share @ count)
    assert np.allclose(decoded.p_label.sum(1), 1)


def test_blocks_do_not_change_the_result(monkeypatch):
    _, _, segmenter = lattices()
    whole = decode(START, LABELS, LENGTHS, segmenter)
    monkeypatch.setattr(decoding, "BLOCK_CELLS", 1)
    assert list(split_blocks(START, 4)) == [(0, 1), (1, 2), (2, 3)]
    parts = decode(START, LABELS, LENGTHS, segmenter)
    for a, b in zip(whole[:-1], parts[:-1], strict=True):
        assert np.allclose(a, b)
