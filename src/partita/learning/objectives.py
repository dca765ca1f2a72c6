"""Objectives: the change of a truth-based reward that a move causes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints, kernel
from partita.states import Labels, Partition, Regroup, Relabel
from partita.states.partition import canonical, leaver, member, stayer

__all__ = ["Objective", "hamming", "pair_accuracy"]


@dataclass(frozen=True)
class Objective:
    """`gain(truth, state, move)`: objective after the move less objective before it."""

    name: str
    state: type
    gain: Any
    truth: Any


class Truth(NamedTuple):
    """The right label of each mention or variable."""

    label: Ints


@kernel
def pair_gain(truth: Truth, state: Partition, move: Regroup) -> float:
    """Pairs put right less pairs put wrong: true positives + true negatives, not divided."""
    gain = 0
    staying = state.size[move.source] - move.many
    for k in range(move.many):
        mine = truth.label[leaver(state, move, k)]
        for m in range(staying):
            gain -= 1 if truth.label[stayer(state, move, m)] == mine else -1
        for m in range(state.size[move.target]):
            gain += 1 if truth.label[member(state, move.target, m)] == mine else -1
    return float(gain)


@kernel
def hamming_gain(truth: Truth, state: Labels, move: Relabel) -> float:
    """1 for a label put right, -1 for one put wrong, 0 between two wrong ones."""
    right = truth.label[move.variable]
    return float(right == move.new) - float(right == move.old)


def pair_accuracy(truth: ArrayLike) -> Objective:
    """Pairwise accuracy of a partition (SAMPLERANK section 5.1), given one true label a mention."""
    labels = np.asarray(truth)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"the truth has shape {labels.shape}; give one label per mention")
    return Objective("pair_accuracy", Partition, pair_gain, Truth(canonical(labels)))


def hamming(truth: ArrayLike) -> Objective:
    """How many labels are right."""
    labels = np.asarray(truth)
    if labels.ndim != 1 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise InputError("the truth must be one whole number per variable")
    return Objective("hamming", Labels, hamming_gain, Truth(labels.astype(np.int64)))
