"""Best, n best and sampled segmentations of a semi-Markov chain."""

from __future__ import annotations

import math

import numpy as np

from partita.kernel import Floats, Ints, Rng, entry, kernel
from partita.text.extraction.semi_markov import Lattice, add_forward, log_shifted, log_sum
from partita.text.sequences.lattice import insert_ranked

__all__ = ["find_best_segments", "find_n_best_segments", "sample_segments"]


@kernel
def trace_back(
    first: int, last: int, label: int, reach_length: Ints, reach_left: Ints, out: Ints
) -> None:
    """Write first token and label of each token's segment, from the choices of a recursion."""
    end = last - 1
    while end >= first:
        length = reach_length[end, label]
        for t in range(end - length + 1, end + 1):
            out[0, t] = end - length + 1
            out[1, t] = label
        end -= length
        if end >= first:
            label = reach_left[end + 1, label]


@entry
def _best_lines(
    start: Ints, scores: Floats, steps: Floats, work: Floats, choices: Ints, out: Ints
) -> None:
    """Write the best segmentation of every line (Viterbi)."""
    lengths, labels = scores.shape[1], scores.shape[2]
    arrive, reach = work[0], work[1]
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        for t in range(first, last):
            for y in range(labels):
                if t == first:
                    arrive[t, y] = steps[labels, y]
                else:
                    arrive[t, y] = -math.inf
                    for left in range(labels):
                        score = reach[t - 1, left] + steps[left, y]
                        if score > arrive[t, y]:
                            arrive[t, y] = score
                            choices[1, t, y] = left
                reach[t, y] = -math.inf
                choices[0, t, y] = 1
                for k in range(min(lengths, t - first + 1)):
                    score = arrive[t - k, y] + scores[t - k, k, y]
                    if score > reach[t, y]:
                        reach[t, y] = score
                        choices[0, t, y] = k + 1
        if last > first:
            label = 0
            for y in range(1, labels):
                if reach[last - 1, y] > reach[last - 1, label]:
                    label = y
            trace_back(first, last, label, choices[0], choices[1], out)


def find_best_segments(lattice: Lattice) -> Ints:
    """Find the best segmentation of each line: the first token and label of each token's segment.

    The result has two rows. A line without an allowed segmentation has an arbitrary one.
    """
    start, scores, steps = lattice
    tokens, _, labels = scores.shape
    out = np.zeros((2, tokens), np.int64)
    work, choices = np.zeros((2, tokens, labels)), np.zeros((2, tokens, labels), np.int64)
    _best_lines(start, scores, steps, work, choices, out)
    return out


@entry
def _rank_line(scores: Floats, steps: Floats, arrive: Floats, reach: Floats, origins: Ints) -> None:
    """Fill the n best scores of one line: tokens by labels by n, in descending order.

    origins[0] holds left label * n + rank, origins[1] length * n + rank before the segment.
    """
    tokens, labels, n = reach.shape
    arrive[:], reach[:] = -math.inf, -math.inf
    for t in range(tokens):
        for y in range(labels):
            if t == 0:
                arrive[t, y, 0] = steps[labels, y]
            else:
                for left in range(labels):
                    for rank in range(n):
                        score = reach[t - 1, left, rank] + steps[left, y]
                        if score > arrive[t, y, n - 1]:
                            insert_ranked(arrive[t, y], origins[0, t, y], score, left * n + rank)
            for k in range(min(scores.shape[1], t + 1)):
                for rank in range(n):
                    score = arrive[t - k, y, rank] + scores[t - k, k, y]
                    if score > reach[t, y, n - 1]:
                        insert_ranked(reach[t, y], origins[1, t, y], score, (k + 1) * n + rank)


@entry
def _trace_ranked(places: Ints, origins: Ints, out: Ints) -> None:
    """Write the segmentation of each place, which is last label * n + rank."""
    n = origins.shape[3]
    for k in range(places.size):
        label, rank, end = places[k] // n, places[k] % n, out.shape[2] - 1
        while end >= 0:
            origin = origins[1, end, label, rank]
            begin = end - origin // n + 1
            for t in range(begin, end + 1):
                out[k, 0, t] = begin
                out[k, 1, t] = label
            place = origins[0, begin, label, origin % n]
            label, rank, end = place // n, place % n, begin - 1


def find_n_best_segments(lattice: Lattice, line: int, n: int) -> tuple[Ints, Floats]:
    """Find the n best segmentations of a line, with their scores, best first.

    Each segmentation is two rows: the first token, counted from the line's start, and the label of
    each token's segment. There are fewer than n if the line has fewer.
    """
    first, last = lattice.start[line], lattice.start[line + 1]
    tokens, labels = last - first, lattice.scores.shape[2]
    if tokens == 0:
        return np.zeros((1, 2, 0), np.int64), np.zeros(1)
    arrive, reach = np.zeros((2, tokens, labels, n))
    origins = np.zeros((2, tokens, labels, n), np.int64)
    _rank_line(lattice.scores[first:last], lattice.steps, arrive, reach, origins)
    final = reach[-1].ravel()
    places = np.argsort(-final, kind="stable")[:n]
    places = places[final[places] > -np.inf]
    out = np.zeros((places.size, 2, tokens), np.int64)
    _trace_ranked(places, origins, out)
    return out, final[places]


@entry
def _sample_lines(
    rng: Rng, start: Ints, scores: Floats, factor: Floats, work: Floats, out: Ints
) -> None:
    """Draw segmentations of each line: forward sums once, then choices from the end."""
    arrive, reach = work[0], work[1]
    for line in range(start.size - 1):
        first, last = start[line], start[line + 1]
        if first == last:
            continue
        if add_forward(scores, factor, first, last, arrive, reach) > -math.inf:
            for draw in range(out.shape[0]):
                draw_line(rng, first, last, scores, factor, arrive, reach, out[draw])


@kernel
def draw_line(
    rng: Rng,
    first: int,
    last: int,
    scores: Floats,
    factor: Floats,
    arrive: Floats,
    reach: Floats,
    out: Ints,
) -> None:
    """Draw a segmentation of one line from its forward sums; row `last` of `reach` is scratch."""
    lengths, labels = scores.shape[1], scores.shape[2]
    weights, end, label = reach[last], last - 1, labels
    while end >= first:
        for y in range(labels):
            follow = 1.0 if label == labels else factor[y, label]
            weights[y] = reach[end, y] + log_shifted(follow, 0.0)
        level = log_sum(weights) + math.log(1.0 - rng.random())
        label, running = -1, -math.inf
        while running < level and label < labels - 1:
            label += 1
            running = add_logs(running, weights[label])
        level = reach[end, label] + math.log(1.0 - rng.random())
        begin, running = end + 1, -math.inf
        while running < level and begin > max(first, end - lengths + 1):
            begin -= 1
            running = add_logs(running, arrive[begin, label] + scores[begin, end - begin, label])
        for t in range(begin, end + 1):
            out[0, t] = begin
            out[1, t] = label
        end = begin - 1


@kernel
def add_logs(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    top = max(a, b)
    if top == -math.inf:
        return top
    return top + math.log(math.exp(a - top) + math.exp(b - top))


def sample_segments(lattice: Lattice, rng: np.random.Generator, n: int) -> Ints:
    """Draw n segmentations of each line: draws by first token and label of each token's segment."""
    start, scores, steps = lattice
    tokens, _, labels = scores.shape
    out = np.zeros((n, 2, tokens), np.int64)
    _sample_lines(rng, start, scores, np.exp(steps), np.zeros((2, tokens + 1, labels)), out)
    return out
