"""Segments of any length: a chain in which every label has two states, its begin and its inside.

The lattice has one length and twice the labels. State y begins a segment of label y; state
labels + y continues one, and follows the states of y only. A segmentation is one sequence of
states, so that all sums and searches of the semi-Markov chain apply without a limit of length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partita.kernel import Floats, Ints
from partita.text.extraction.semi_markov import Lattice

__all__ = [
    "ANY_LENGTH",
    "clamp_states",
    "expand_states",
    "fold_states",
    "fold_steps",
    "rate_segments",
]

ANY_LENGTH = 0
"""The most tokens of a segment of a label without a limit."""
TINY = np.finfo(float).tiny
"""Least denominator: a state of probability 0 has a segment of probability 0."""


def expand_states(
    start: Ints, inside: Floats, opening: Floats, steps: Floats, longest: Sequence[int]
) -> Lattice:
    """Return the lattice of states from the scores of labels inside and at the begin of segments.

    A label with a limit of length has segments of one token.
    """
    labels = inside.shape[1]
    scores = np.concatenate([inside + opening, inside], 1)
    scores[:, [labels + y for y, most in enumerate(longest) if most != ANY_LENGTH]] = -np.inf
    moves = np.full((2 * labels + 1, 2 * labels), -np.inf)
    moves[:labels, :labels] = moves[labels:-1, :labels] = steps[:-1]
    moves[-1, :labels] = steps[-1]
    own = np.arange(labels)
    moves[own, labels + own] = moves[labels + own, labels + own] = 0.0
    return Lattice(start, np.ascontiguousarray(scores[:, None]), moves)


def fold_steps(pairs: Floats) -> Floats:
    """Return the number of each pair of adjacent segments, from that of adjacent states."""
    labels = pairs.shape[1] // 2
    steps = pairs[: labels + 1, :labels].copy()
    steps[:-1] += pairs[labels:-1, :labels]
    steps[-1] = pairs[-1, :labels]
    return steps


def fold_states(rows: Ints, labels: int) -> Ints:
    """Return first token and label of each token's segment; `rows[..., 1, :]` are states."""
    state = rows[..., 1, :]
    begins = np.where(state < labels, np.arange(state.shape[-1]), 0)
    return np.stack([np.maximum.accumulate(begins, -1), state % labels], -2)


def rate_segments(states: Floats, first: Ints, label: Ints) -> Floats:
    """Return the probability of each token's segment, from the probabilities of states.

    Begin and inside of a label have the same successors. So a segment goes on at token t with the
    probability of the inside at t, given the label at t - 1, and its probability is a product.
    """
    labels = states.shape[1] // 2
    token = np.arange(first.size)
    begin, inside = states[token, label], states[token, labels + label]
    with np.errstate(divide="ignore"):
        here = np.log(np.where(first == token, begin, inside))
        here[1:] -= np.where(
            first[1:] == token[1:], 0.0, np.log(np.maximum((begin + inside)[:-1], TINY))
        )
    follows = np.append(states[1:], np.zeros((1, 2 * labels)), 0)[token, labels + label]
    is_last = np.append(first[1:] == token[1:], True)
    stay = follows / np.maximum(begin + inside, TINY)
    with np.errstate(divide="ignore"):
        here += np.where(is_last, np.log(np.clip(1.0 - stay, 0.0, 1.0)), 0.0)
    opens = np.flatnonzero(first == token)
    total = np.add.reduceat(here, opens) if opens.size else np.zeros(0)
    return np.exp(np.minimum(np.repeat(total, np.diff(np.append(opens, first.size))), 0.0))


def clamp_states(start: Ints, known: Ints, longest: Sequence[int], scores: Floats) -> None:
    """Forbid states that contradict known labels (-1: unknown); a run of a label is one segment."""
    labels = scores.shape[2] // 2
    is_first = np.zeros(known.size, bool)
    is_first[start[:-1][np.diff(start) > 0]] = True
    goes_on = ~is_first & (known == np.roll(known, 1))
    is_open = np.array(longest) == ANY_LENGTH
    tokens = np.flatnonzero(known >= 0)
    label = known[tokens]
    state = label + labels * (goes_on[tokens] & is_open[label])
    score = scores[tokens, 0, state]
    scores[tokens] = -np.inf
    scores[tokens, 0, state] = score
