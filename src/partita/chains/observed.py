"""Pairs of neighbouring labels together with what is observed (SAMPLERANK 5.3: y x y x x).

There is a weight for each attribute of a token with the labels of its left neighbour and of itself,
where the three were seen together in training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.chains.sequences import Sequences, Task
from partita.factors import Template
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states import Labels, Relabel

__all__ = ["followers", "observed_pairs", "seen_pairs", "unfolded"]


def followers(start: Ints) -> Ints:
    """Of each token whether another one of its sequence stands before it, and a 0 at the end."""
    made = np.ones(start[-1] + 1, np.int64)
    made[start] = 0
    return made


def seen_pairs(task: Task) -> Ints:
    """Numbers (attribute * labels + left) * labels + right that training has, sorted."""
    found, labels = task.sequences, len(task.encoder.labels)
    tokens = np.flatnonzero(followers(found.start)[:-1])
    pair = found.label[tokens - 1] * labels + found.label[tokens]
    many = np.diff(found.row)[tokens]
    first = np.repeat(found.row[tokens] - np.cumsum(many) + many, many)
    attribute = found.attribute[first + np.arange(many.sum())]
    return np.unique(attribute * labels**2 + np.repeat(pair, many))


def unfolded(weights: Floats, seen: Ints, width: int, labels: int) -> Floats:
    """Weights of the pairs that were seen as attributes by left by right labels, 0 elsewhere."""
    made = np.zeros(width * labels**2)
    made[seen] = weights
    return made.reshape(width, labels, labels)


class Observed(NamedTuple):
    """Attributes of the tokens, which of them follow another, and the feature of each number."""

    follows: Ints
    row: Ints
    attribute: Ints
    value: Floats
    feature: Ints
    labels: Ints


@kernel
def count(table: Observed, state: Labels, move: Relabel) -> int:
    """The pair with the left neighbour and the one with the right."""
    return table.follows[move.variable] + table.follows[move.variable + 1]


@kernel
def emit(table: Observed, state: Labels, move: Relabel, k: int, delta: Delta) -> float:
    """Push the attributes of the right token of the k-th pair."""
    v, labels = move.variable, table.labels[0]
    if k == 0 and table.follows[v] != 0:
        token, left = v, state.label[v - 1] * labels
        before, after = left + move.old, left + move.new
    else:
        token, right = v + 1, state.label[v + 1]
        before, after = move.old * labels + right, move.new * labels + right
    score = 0.0
    for at in range(table.row[token], table.row[token + 1]):
        base = table.attribute[at] * labels * labels
        gone, come = table.feature[base + before], table.feature[base + after]
        if gone >= 0:
            score += push(delta, gone, -table.value[at])
        if come >= 0:
            score += push(delta, come, table.value[at])
    return score


def observed_pairs(task: Task, seen: Ints) -> Template:
    """One factor for each two neighbours, with the attributes of the right one."""
    found: Sequences = task.sequences
    encoder, labels = task.encoder, len(task.encoder.labels)
    feature = np.full(encoder.width * labels**2, -1)
    feature[seen] = np.arange(seen.size)
    names, texts = encoder.attribute_names(), encoder.labels
    features = tuple(
        f"{names[k // labels**2]}:{texts[k // labels % labels]}|{texts[k % labels]}" for k in seen
    )
    table = Observed(
        followers(found.start), found.row, found.attribute, found.value, feature, np.array([labels])
    )
    return Template("observed", Labels, features, np.zeros(seen.size), count, emit, table)
