"""Decoding: the best segmentation of each line, with the probability of each segment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints
from partita.text.extraction.segment_search import find_best_segments, find_n_best_segments
from partita.text.extraction.semi_markov import Lattice, sum_segments

__all__ = ["Decoded", "Reading", "Segmenter", "decode", "split_blocks"]

BLOCK_CELLS = 4_000_000
"""Scores of segments that are in memory at a time: 32 MB."""

Segmenter = Callable[[int, int], Lattice]
"""Returns the scores of all segments of the lines from the first up to the second number."""


class Reading(NamedTuple):
    """One segmentation of a line: first token, counted from the line's start, and label."""

    first: Ints
    label: Ints
    p: float


class Decoded(NamedTuple):
    """The best segmentation of all lines."""

    first: Ints
    """The first token of each token's segment."""
    label: Ints
    """The label of each token's segment."""
    p_segment: Floats
    """The probability of each token's segment: exactly these tokens with this label."""
    p_label: Floats
    """The probability of each label of each token."""
    p_line: Floats
    """The probability of the whole segmentation of each line."""
    expected: Floats
    """Lines by labels: the expected number of segments."""
    readings: list[list[Reading]]
    """The n best segmentations of each line, if they are wanted."""


def split_blocks(start: Ints, cells_per_token: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of lines whose scores fit into memory together."""
    limit = max(1, BLOCK_CELLS // max(1, cells_per_token))
    line, lines = 0, start.size - 1
    while line < lines:
        last = int(np.searchsorted(start, start[line] + limit, side="right")) - 1
        last = min(lines, max(last, line + 1))
        yield line, last
        line = last


def decode(
    start: Ints,
    labels: int,
    lengths: int,
    segmenter: Segmenter,
    n_best: int = 0,
    report: Callable[[float], None] = lambda share: None,
) -> Decoded:
    """Find the best segmentation of each line and the probabilities of its segments."""
    tokens, lines = int(start[-1]), start.size - 1
    decoded = Decoded(
        np.zeros(tokens, np.int64),
        np.zeros(tokens, np.int64),
        np.zeros(tokens),
        np.zeros((tokens, labels)),
        np.ones(lines),
        np.zeros((lines, labels)),
        [],
    )
    for line, last in split_blocks(start, lengths * labels):
        _decode_block(decoded, start, line, last, segmenter(line, last), n_best)
        report(last / max(1, lines))
    return decoded


def _decode_block(
    decoded: Decoded, start: Ints, line: int, last: int, lattice: Lattice, n_best: int
) -> None:
    """Decode the lines of one block."""
    base = start[line]
    span = slice(base, start[last])
    first, label = find_best_segments(lattice)
    sums = sum_segments(lattice)
    size = np.bincount(first, minlength=first.size)[first]
    decoded.first[span], decoded.label[span] = first + base, label
    decoded.p_segment[span] = sums.segments[first, size - 1, label]
    decoded.p_label[span] = _cover(sums.segments)
    begins = np.flatnonzero(first == np.arange(first.size))
    lines = np.repeat(np.arange(last - line), np.diff(lattice.start))
    score = lattice.scores[begins, size[begins] - 1, label[begins]]
    is_opening = np.isin(begins, lattice.start)
    before = np.where(is_opening, lattice.steps.shape[0] - 1, label[np.maximum(begins - 1, 0)])
    score = score + lattice.steps[before, label[begins]]
    total = np.bincount(lines[begins], score, last - line)
    decoded.p_line[line:last] = np.exp(np.minimum(0.0, total - sums.log_z))
    np.add.at(decoded.expected, lines + line, sums.segments.sum(1))
    for number in range(last - line if n_best else 0):
        found, scores = find_n_best_segments(lattice, number, n_best)
        p = np.exp(np.minimum(0.0, scores - sums.log_z[number]))
        decoded.readings.append(
            [Reading(path[0], path[1], float(share)) for path, share in zip(found, p, strict=True)]
        )


def _cover(segments: Floats) -> Floats:
    """Return the probability of each label of each token."""
    tokens, lengths, labels = segments.shape
    covered, longer = np.zeros((tokens, labels)), np.zeros((tokens, labels))
    for k in range(min(lengths, tokens) - 1, -1, -1):
        longer += segments[:, k]
        covered[k:] += longer[: tokens - k]
    return covered
