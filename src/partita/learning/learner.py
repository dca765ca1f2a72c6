"""Learner: updates the weights inside a walk; and the arrays that all learners share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError, ModelError
from partita.kernel import Bytes, Delta, Floats, Ints, add, kernel
from partita.learning.objectives import Objective
from partita.states import space_of
from partita.states.checks import positive, shown
from partita.walks import LearnerState, TrainingSpec

__all__ = [
    "CHANGED",
    "PREFERRED",
    "STEPS",
    "UPDATED",
    "Learner",
    "Memory",
    "add_distance",
    "average_weights",
    "begin_average",
    "build_training_spec",
    "clear_distance",
    "count_step",
    "move_by_distance",
    "move_weights",
    "new_learner",
    "replace_weights",
    "score_distance",
]

STEPS = 0
"""Cell of the clock: steps."""
PREFERRED = 1
"""Cell of the clock: steps at which the objective prefers a side."""
UPDATED = 2
"""Cell of the clock: updates of the weights."""
CHANGED = 3
"""Cell of the clock: features listed in `where`."""
AVERAGE_START = 4
"""Cell of the clock: steps before the average began."""


class Memory(NamedTuple):
    """The arrays of a learner; unused arrays are empty."""

    rate: Floats
    """One cell: the factor of every step along a delta."""
    clock: Ints
    weights: Floats
    """The chain's own weights, all templates in one row."""
    late: Floats
    """Sum of (earlier steps) * (change of weight): the lag of the average."""
    far: Floats
    """phi(y) - phi(truth) of the chain's state y; `where` lists its non-zero features."""
    where: Ints
    marked: Bytes
    lost: Floats
    """Two cells: objective at y less objective at the truth, and the last gain."""


@dataclass(frozen=True)
class Learner:
    """`learn(memory, deltas, score, gain)` updates the weights in the deltas.

    `moved(memory, deltas)`, if given, is called when the move is accepted. A learner that `stays`
    takes every step from the start state; a learner `with_truth` must start at the truth.
    """

    name: str
    learn: Any
    memory: Any
    moved: Any = None
    average: bool = False
    with_truth: bool = False
    stays: bool = False


def new_learner(name: str, learn: Any, rate: float, **options: Any) -> Learner:
    """Build a learner with the shared memory, before it has a weight vector."""
    positive(rate, "the rate")
    empty = np.zeros(0)
    memory = Memory(
        np.array([float(rate)]),
        np.zeros(5, np.int64),
        empty,
        empty,
        empty,
        np.zeros(0, np.int64),
        np.zeros(0, np.uint8),
        np.zeros(2),
    )
    return Learner(name, learn, memory, **options)


def equip_memory(learner: Learner, memory: Memory, weights: Floats) -> Memory:
    """Build the memory for one weight vector, which it holds by reference."""
    n = weights.size
    far = n if learner.with_truth and not learner.stays else 0
    return memory._replace(
        weights=weights,
        late=np.zeros(n if learner.average else 0),
        far=np.zeros(far),
        where=np.zeros(far, np.int64),
        marked=np.zeros(far, np.uint8),
    )


@kernel
def count_step(memory: Memory, gain: float) -> None:
    """Count a step, and whether the objective prefers a side."""
    memory.clock[STEPS] += 1
    if gain != 0.0:
        memory.clock[PREFERRED] += 1


@kernel
def move_weights(memory: Memory, deltas: tuple[Delta, ...], step: float) -> None:
    """Move the weights by step * delta, and update the sums of the average."""
    memory.clock[UPDATED] += 1
    add(deltas, step)
    if memory.late.size == 0:
        return
    late = step * (memory.clock[STEPS] - memory.clock[AVERAGE_START] - 1)
    place = 0
    for delta in deltas:
        for k in range(delta.note[0]):
            feature = delta.touched[k]
            memory.late[place + feature] += late * delta.change[feature]
        place += delta.weights.size


@kernel
def move_by_distance(memory: Memory, step: float) -> None:
    """Move the weights by step * (phi(y) - phi(truth))."""
    late = step * (memory.clock[STEPS] - memory.clock[AVERAGE_START] - 1)
    for k in range(memory.clock[CHANGED]):
        place = memory.where[k]
        memory.weights[place] += step * memory.far[place]
        if memory.late.size > 0:
            memory.late[place] += late * memory.far[place]


@kernel
def score_distance(memory: Memory) -> float:
    """Return w . (phi(y) - phi(truth))."""
    score = 0.0
    for k in range(memory.clock[CHANGED]):
        place = memory.where[k]
        score += memory.weights[place] * memory.far[place]
    return score


@kernel
def add_distance(memory: Memory, deltas: tuple[Delta, ...]) -> None:
    """Add the delta of an accepted move to the distance from the truth (SAMPLERANK section 3.5)."""
    place = 0
    for delta in deltas:
        for k in range(delta.note[0]):
            feature = delta.touched[k]
            if memory.marked[place + feature] == 0:
                memory.marked[place + feature] = 1
                memory.where[memory.clock[CHANGED]] = place + feature
                memory.clock[CHANGED] += 1
            memory.far[place + feature] += delta.change[feature]
        place += delta.weights.size
    memory.lost[0] += memory.lost[1]


def clear_distance(memory: Memory) -> None:
    """Reset the distance: the chain is back at the truth."""
    memory.far[...] = 0.0
    memory.marked[...] = 0
    memory.clock[CHANGED] = 0
    memory.lost[...] = 0.0


def replace_weights(memory: Memory, weights: Floats) -> None:
    """Set the weights from outside (L2, mixing of parts), and update the average."""
    if memory.late.size:
        steps = memory.clock[STEPS] - memory.clock[AVERAGE_START]
        memory.late[...] += steps * (weights - memory.weights)
    memory.weights[...] = weights


def average_weights(memory: Memory, weights: Floats) -> Floats:
    """Return the mean of the weights over all steps, or the last weights without averaging."""
    steps = memory.clock[STEPS] - memory.clock[AVERAGE_START]
    if not memory.late.size or steps == 0:
        return weights
    return weights - memory.late / steps


def begin_average(memory: Memory) -> None:
    """Start the average at this step."""
    memory.late[...] = 0.0
    memory.clock[AVERAGE_START] = memory.clock[STEPS]


def build_training_spec(learner: Learner, objective: Objective) -> TrainingSpec:
    """Combine a learner and an objective into the training spec of a walk."""
    if not isinstance(objective, Objective):
        raise ModelError(
            f"{shown(objective)} is not an objective; use pair_accuracy(...) or hamming(...)"
        )
    if not isinstance(learner, Learner):
        raise ModelError(f"{shown(learner)} is not a learner; use perceptron() or mira()")
    shared = isinstance(learner.memory, Memory)
    own: dict[str, Any] = {}
    if shared:
        own["equip"] = lambda memory, weights: equip_memory(learner, memory, weights)
        own["finish"] = average_weights

    def check(start: Any) -> None:
        objective.check(start)
        if learner.with_truth:
            _check_start(learner, objective, start)

    return TrainingSpec(
        objective.gain,
        learner.learn,
        LearnerState(objective.truth, learner.memory),
        objective.state,
        check,
        f"{learner.name} of {objective.name}",
        learner.moved,
        objective.kept,
        objective.begin,
        stays=learner.stays,
        judge=objective.judge,
        **own,
    )


def _check_start(learner: Learner, objective: Objective, start: Any) -> None:
    """Check that a learner which needs the truth starts there."""
    if objective.right is None:
        raise ModelError(
            f"{learner.name} compares with the truth, which {objective.name!r} does not define; "
            "give the objective its `right` state, or use mira()"
        )
    space = space_of(start)
    if not np.array_equal(space.observe(start), space.observe(objective.right(start))):
        raise InputError(
            f"{learner.name} compares with the truth but the start is another state; start from "
            "the truth, or use train(..., restart='truth')"
        )
