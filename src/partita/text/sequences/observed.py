"""Pairs of neighbouring labels with observed attributes (SAMPLERANK 5.3: y x y x x).

There is a weight for each attribute of a token with the labels of its left neighbour and of itself,
if the three occur together in training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.factors import Template
from partita.kernel import Delta, Floats, Ints, distinct_of, kernel, push
from partita.states import Labels, Relabel
from partita.text.sequences.encoding import Sequences, Task

__all__ = ["followers", "observed_pairs", "seen_pairs", "unfold"]


def followers(start: Ints) -> Ints:
    """Return whether each token follows another one of its sequence, and a 0 at the end."""
    codes = np.ones(start[-1] + 1, np.int64)
    codes[start] = 0
    return codes


def seen_pairs(task: Task) -> Ints:
    """Return the numbers (attribute * labels + left) * labels + right of training, sorted."""
    sequences, labels = task.sequences, len(task.encoder.labels)
    tokens = np.flatnonzero(followers(sequences.start)[:-1])
    pair = sequences.label[tokens - 1] * labels + sequences.label[tokens]
    many = np.diff(sequences.row)[tokens]
    first = np.repeat(sequences.row[tokens] - np.cumsum(many) + many, many)
    attribute = sequences.attribute[first + np.arange(many.sum())]
    return distinct_of(attribute * labels**2 + np.repeat(pair, many))


def unfold(weights: Floats, seen: Ints, width: int, labels: int) -> Floats:
    """Return weights of the seen pairs as attributes by left by right labels, 0 elsewhere."""
    unfolded = np.zeros(width * labels**2)
    unfolded[seen] = weights
    return unfolded.reshape(width, labels, labels)


WORD = 32
"""Bits of a word of `Observed.mask`."""


class Observed(NamedTuple):
    """Attributes of the tokens, whether each follows another, and the features.

    Few of all numbers are features, so a table of all would not fit the cache: a bit marks the
    numbers that are features, and the feature is counted from the first of its word.
    """

    follows: Ints
    row: Ints
    attribute: Ints
    value: Floats
    mask: Ints
    """Words of bits of each attribute, one bit for each pair of labels."""
    first: Ints
    """The feature of the lowest bit of each word."""
    sizes: Ints
    """The number of labels, and of words per attribute."""


@kernel
def count_bits(word: int) -> int:
    """Count the bits of a word that are 1."""
    word -= (word >> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) & 0xFFFFFFFF) >> 24


@kernel
def push_pair(table: Observed, words: int, pair: int, value: float, delta: Delta) -> float:
    """Push a pair of labels with an attribute, given by its first word, if it is a feature."""
    at, bit = words + pair // WORD, pair % WORD
    if (table.mask[at] >> bit) & 1 == 0:
        return 0.0
    return push(delta, table.first[at] + count_bits(table.mask[at] & ((1 << bit) - 1)), value)


@kernel
def count(table: Observed, state: Labels, move: Relabel) -> int:
    """Count two factors: the pair with the left neighbour and the one with the right."""
    return table.follows[move.variable] + table.follows[move.variable + 1]


@kernel
def emit(table: Observed, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """Push the attributes of the right token of the k-th pair."""
    v, labels = move.variable, table.sizes[0]
    if k == 0 and table.follows[v] != 0:
        token, left = v, state.label[v - 1] * labels
        before, after = left + move.old, left + move.new
    else:
        token, right = v + 1, state.label[v + 1]
        before, after = move.old * labels + right, move.new * labels + right
    score = 0.0
    for at in range(table.row[token], table.row[token + 1]):
        words = table.attribute[at] * table.sizes[1]
        score += push_pair(table, words, before, -table.value[at], delta)
        score += push_pair(table, words, after, table.value[at], delta)
    return score


def observed_pairs(task: Task, seen: Ints) -> Template:
    """Build one factor for each two neighbours, with the attributes of the right one."""
    sequences: Sequences = task.sequences
    encoder, labels = task.encoder, len(task.encoder.labels)
    pair, many = seen % labels**2, -(-(labels**2) // WORD)
    word = seen // labels**2 * many + pair // WORD
    mask = np.zeros(encoder.width * many, np.int64)
    np.bitwise_or.at(mask, word, 1 << pair % WORD)
    first = np.searchsorted(word, np.arange(mask.size))
    names, texts = encoder.attribute_names(), encoder.labels
    features = tuple(
        f"{names[k // labels**2]}:{texts[k // labels % labels]}|{texts[k % labels]}" for k in seen
    )
    tokens = followers(sequences.start), sequences.row, sequences.attribute, sequences.value
    table = Observed(*tokens, mask, first, np.array([labels, many]))
    return Template("observed", Labels, features, np.zeros(seen.size), count, emit, table)
