"""Objectives: the change of a truth-based reward that a move causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from partita.errors import InputError, ModelError
from partita.factors.functions import check_function
from partita.kernel import Ints, kernel
from partita.states import Labels, Partition, Regroup, Relabel, space_of
from partita.states.checks import integers, named, shown
from partita.states.partition import canonical, leaver, member, stayer

__all__ = ["Objective", "build_size_check", "hamming", "own_objective", "pair_accuracy"]


@dataclass(frozen=True)
class Objective:
    """`gain(truth, state, move)`: objective after the move less objective before it.

    An objective that is not a sum over pairs or labels needs counts: `begin(truth, state)` returns
    the truth with the counts of a chain's state, and `kept(truth, state, move)` updates them after
    an accepted move was applied. `judge(truth, state, move, score, gain)`, if given, returns the
    gain from which the learner learns, so that an objective can depend on the model's score.
    """

    name: str
    state: type
    gain: Any
    truth: Any
    check: Callable[[Any], None] = field(default=lambda start: None)
    """Called with the start state: raises InputError if the two do not fit."""
    kept: Any = None
    begin: Callable[[Any, Any], Any] = field(default=lambda truth, state: truth)
    right: Callable[[Any], Any] | None = None
    """Builds the true state, for a start with as many mentions or variables."""
    judge: Any = None


class Truth(NamedTuple):
    """The true label of each mention or variable."""

    label: Ints


@kernel
def pair_gain(truth: Truth, state: Partition, move: Regroup) -> float:
    """Return the corrected pairs less the newly wrong pairs: change of tp + tn, not divided."""
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
    """Return 1 for a label that becomes right, -1 for one that becomes wrong, 0 otherwise."""
    right = truth.label[move.variable]
    gain = 0.0
    if right == move.new:
        gain += 1.0
    if right == move.old:
        gain -= 1.0
    return gain


def pair_accuracy(truth: ArrayLike) -> Objective:
    """Use pairwise accuracy (SAMPLERANK section 5.1), from one true label per mention."""
    right = Truth(canonical(named(truth, "true labels")))
    return Objective(
        "pair_accuracy",
        Partition,
        pair_gain,
        right,
        build_size_check(right.label),
        right=lambda start: Partition.of(right.label),
    )


def hamming(truth: ArrayLike) -> Objective:
    """Use the number of right labels as the objective."""
    right = Truth(integers(named(truth, "true labels"), "the row of true labels"))
    return Objective(
        "hamming",
        Labels,
        hamming_gain,
        right,
        build_size_check(right.label),
        right=lambda start: Labels.of(right.label, start.domain),
    )


EXAMPLES: dict[type, Callable[[], tuple[Any, Any]]] = {
    Partition: lambda: (Partition.singletons(2), Regroup(0, 0, 1, 1)),
    Labels: lambda: (Labels.of([0, 0], 2), Relabel(0, 0, 1)),
}


def own_objective(
    gain: Callable[..., float],
    data: Any = (),
    *,
    state: type = Partition,
    right: Any = None,
    name: str = "own objective",
) -> Objective:
    """Build an objective from a user's function: `gain(data, state, move)`, after less before.

    Parameters
    ----------
    gain
        A Python function that Numba compiles; it sees the state before the move.
    data
        The function's data: an array, or a NamedTuple of arrays.
    right
        The true state, if there is one: learners that start from the truth need it.
    """
    if state not in EXAMPLES:
        known = " or ".join(kind.__name__ for kind in EXAMPLES)
        raise ModelError(f"{name}: {shown(state)} is not a type of state; give {known}")
    if right is not None and type(right) is not state:
        raise ModelError(f"{name}: right is {shown(right)}; build it with {state.__name__}.of(...)")
    compiled = kernel(check_function(gain, name, data, *EXAMPLES[state]()))
    truth_of = None if right is None else (lambda start: right)
    return Objective(name, state, compiled, data, right=truth_of)


def build_size_check(label: Ints) -> Callable[[Any], None]:
    """Build the check that a start has as many mentions or variables as there are true labels."""

    def check(start: Any) -> None:
        have = space_of(start).sites(start)
        if have != label.size:
            raise InputError(
                f"there are {label.size} true labels but the start has {have}; give one for each"
            )

    return check
