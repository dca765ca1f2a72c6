"""Semi-Markov chain: scores of segments, log partition functions and marginals.

A segmentation cuts a line into labelled segments. `scores[t, k, y]` is the score of the segment
with label y that starts at token t and has k + 1 tokens; -inf forbids it. `steps[y, z]` is the
score of a segment with label z after one with label y; the last row is the start of a line. All
sums cost O(tokens * (labels^2 + lengths * labels)) and stay in the log domain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, entry, kernel

__all__ = [
    "Expectations",
    "Lattice",
    "add_forward",
    "find_log_z",
    "log_shifted",
    "log_sum",
    "score_segments",
    "sum_segments",
]


class Lattice(NamedTuple):
    """Scores of all segments of all lines; line i has the tokens start[i] .. start[i + 1] - 1."""

    start: Ints
    scores: Floats
    steps: Floats


class Expectations(NamedTuple):
    """Sums over all segmentations of each line."""

    log_z: Floats
    """Log partition function of each line; -inf if no segmentation is allowed."""
    segments: Floats
    """Probability of each segment: tokens by lengths by labels."""
    steps: Floats
    """Expected number of each pair of adjacent labels; the last row counts first labels."""


@kernel
def log_sum(values: Floats) -> float:
    """Return the logarithm of the sum of exponentials."""
    top = -math.inf
    for k in range(values.size):
        top = max(top, values[k])
    if top == -math.inf:
        return top
    total = 0.0
    for k in range(values.size):
        total += math.exp(values[k] - top)
    return top + math.log(total)


@kernel
def rescale(values: Floats, weights: Floats) -> float:
    """Write exp(values - largest) to `weights`; return the largest."""
    top = -math.inf
    for k in range(values.size):
        top = max(top, values[k])
    for k in range(values.size):
        weights[k] = math.exp(values[k] - top) if top > -math.inf else 0.0
    return top


@kernel
def log_shifted(total: float, shift: float) -> float:
    """Return log(total) + shift, and -inf for a total of 0."""
    return math.log(total) + shift if total > 0.0 else -math.inf


@kernel
def add_forward(
    scores: Floats, factor: Floats, first: int, last: int, arrive: Floats, reach: Floats
) -> float:
    """Fill `arrive` (before a segment that starts at t) and `reach` (after one that ends at t).

    Return log Z. `factor` is exp(steps). Row `last` of `reach` is scratch.
    """
    lengths, labels = scores.shape[1], scores.shape[2]
    weights = reach[last]
    for t in range(first, last):
        if t == first:
            for y in range(labels):
                arrive[t, y] = log_shifted(factor[labels, y], 0.0)
        else:
            top = rescale(reach[t - 1], weights)
            arrive[t, :] = 0.0
            for left in range(labels):
                for y in range(labels):
                    arrive[t, y] += weights[left] * factor[left, y]
            for y in range(labels):
                arrive[t, y] = log_shifted(arrive[t, y], top)
        reach[t, :] = -math.inf
        for k in range(min(lengths, t - first + 1)):
            for y in range(labels):
                reach[t, y] = max(reach[t, y], arrive[t - k, y] + scores[t - k, k, y])
        weights[:] = 0.0
        for k in range(min(lengths, t - first + 1)):
            for y in range(labels):
                if reach[t, y] > -math.inf:
                    weights[y] += math.exp(arrive[t - k, y] + scores[t - k, k, y] - reach[t, y])
        for y in range(labels):
            reach[t, y] = log_shifted(weights[y], reach[t, y])
    return log_sum(reach[last - 1])


@kernel
def add_backward(
    scores: Floats, factor: Floats, first: int, last: int, leave: Floats, depart: Floats
) -> None:
    """Fill `leave` (after a segment that ends at t) and `depart` (from a segment that starts at t).

    Row `last` of `depart` is scratch.
    """
    lengths, labels = scores.shape[1], scores.shape[2]
    weights = depart[last]
    for t in range(last - 1, first - 1, -1):
        if t == last - 1:
            leave[t, :] = 0.0
        else:
            top = rescale(depart[t + 1], weights)
            for y in range(labels):
                total = 0.0
                for right in range(labels):
                    total += weights[right] * factor[y, right]
                leave[t, y] = log_shifted(total, top)
        depart[t, :] = -math.inf
        for k in range(min(lengths, last - t)):
            for y in range(labels):
                depart[t, y] = max(depart[t, y], scores[t, k, y] + leave[t + k, y])
        weights[:] = 0.0
        for k in range(min(lengths, last - t)):
            for y in range(labels):
                if depart[t, y] > -math.inf:
                    weights[y] += math.exp(scores[t, k, y] + leave[t + k, y] - depart[t, y])
        for y in range(labels):
            depart[t, y] = log_shifted(weights[y], depart[t, y])


@kernel
def count_steps(
    factor: Floats,
    first: int,
    last: int,
    log_z: float,
    reach: Floats,
    depart: Floats,
    pairs: Floats,
) -> None:
    """Add the expected pairs of adjacent labels of one line; rows `last` are scratch."""
    labels = depart.shape[1]
    left_weights, right_weights = reach[last], depart[last]
    for y in range(labels):
        if factor[labels, y] > 0.0:
            pairs[labels, y] += math.exp(math.log(factor[labels, y]) + depart[first, y] - log_z)
    for t in range(first + 1, last):
        shift = rescale(reach[t - 1], left_weights) + rescale(depart[t], right_weights)
        scale = math.exp(shift - log_z) if shift > -math.inf else 0.0
        for left in range(labels):
            share = scale * left_weights[left]
            for right in range(labels):
                pairs[left, right] += share * factor[left, right] * right_weights[right]


@entry
def _sum_lines(
    start: Ints,
    scores: Floats,
    factor: Floats,
    work: Floats,
    log_z: Floats,
    segments: Floats,
    pairs: Floats,
) -> None:
    """Fill log Z, probabilities of segments and expected pairs of all lines."""
    lengths, labels = scores.shape[1], scores.shape[2]
    arrive, reach, leave, depart = work[0], work[1], work[2], work[3]
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        if first == last:
            log_z[line] = 0.0
            continue
        total = add_forward(scores, factor, first, last, arrive, reach)
        log_z[line] = total
        if total == -math.inf:
            continue
        add_backward(scores, factor, first, last, leave, depart)
        for t in range(first, last):
            for k in range(min(lengths, last - t)):
                for y in range(labels):
                    score = arrive[t, y] + scores[t, k, y] + leave[t + k, y]
                    segments[t, k, y] = math.exp(score - total)
        count_steps(factor, first, last, total, reach, depart, pairs)


def sum_segments(lattice: Lattice) -> Expectations:
    """Sum over all segmentations of each line, by the forward-backward recursion."""
    start, scores, steps = lattice
    tokens, _, labels = scores.shape
    log_z, segments, pairs = np.zeros(start.size - 1), np.zeros_like(scores), np.zeros_like(steps)
    work = np.zeros((4, tokens + 1, labels))
    _sum_lines(start, scores, np.exp(steps), work, log_z, segments, pairs)
    return Expectations(log_z, segments, pairs)


@entry
def _sum_forward(start: Ints, scores: Floats, factor: Floats, work: Floats, log_z: Floats) -> None:
    """Fill log Z of all lines."""
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        if last > first:
            log_z[line] = add_forward(scores, factor, first, last, work[0], work[1])


def find_log_z(lattice: Lattice) -> Floats:
    """Return the log partition function of each line, by the forward recursion alone."""
    start, scores, steps = lattice
    log_z, work = np.zeros(start.size - 1), np.zeros((2, scores.shape[0] + 1, scores.shape[2]))
    _sum_forward(start, scores, np.exp(steps), work, log_z)
    return log_z


@entry
def score_segments(
    start: Ints, token: Floats, opening: Floats, closing: Floats, length: Floats, scores: Floats
) -> None:
    """Add to `scores` the tokens' scores, those of the first and last token, and of the length.

    A label whose length score is -inf has no segment of this length.
    """
    lengths, labels = scores.shape[1], scores.shape[2]
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        for t in range(first, last):
            for y in range(labels):
                total = opening[t, y]
                for k in range(min(lengths, last - t)):
                    total += token[t + k, y]
                    scores[t, k, y] += total + closing[t + k, y] + length[k, y]
