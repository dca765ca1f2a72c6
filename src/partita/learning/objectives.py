"""Objectives: the change of a truth-based reward that a move causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints, kernel
from partita.states import Labels, Partition, Regroup, Relabel, space_of
from partita.states.checks import integers, named
from partita.states.partition import canonical, leaver, member, stayer

__all__ = ["Objective", "hamming", "pair_accuracy"]


@dataclass(frozen=True)
class Objective:
    """`gain(truth, state, move)`: objective after the move less objective before it."""

    name: str
    state: type
    gain: Any
    truth: Any
    check: Callable[[Any], None] = field(default=lambda start: None)
    """Called with the start state: raises InputError when the two do not fit together."""


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
    gain = 0.0
    if right == move.new:
        gain += 1.0
    if right == move.old:
        gain -= 1.0
    return gain


def pair_accuracy(truth: ArrayLike) -> Objective:
    """Pairwise accuracy of a partition (SAMPLERANK section 5.1), given one true label a mention."""
    right = Truth(canonical(named(truth, "true labels")))
    return Objective("pair_accuracy", Partition, pair_gain, right, _fits(right))


def hamming(truth: ArrayLike) -> Objective:
    """How many labels are right."""
    right = Truth(integers(named(truth, "true labels"), "the row of true labels"))
    return Objective("hamming", Labels, hamming_gain, right, _fits(right))


def _fits(truth: Truth) -> Callable[[Any], None]:
    def check(start: Any) -> None:
        have = space_of(start).sites(start)
        if have != truth.label.size:
            raise InputError(
                f"there are {truth.label.size} true labels but the start has {have}; "
                "give one for each"
            )

    return check
