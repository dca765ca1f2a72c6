"""TrainingSpec: kernels of a learner and an objective, and the arrays of a learning walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from partita.kernel import Floats, kernel

__all__ = ["LearnerState", "TrainingSpec", "keep_gain", "not_kept", "not_moved"]


class LearnerState(NamedTuple):
    """Arrays of a learning walk: the truth, and the learner's own."""

    truth: Any
    memory: Any


@dataclass(frozen=True)
class TrainingSpec:
    """Kernels of a learner and an objective, with the arrays that they read and write.

    `gain(truth, state, move)` is the change of the objective; `learn(memory, deltas, score,
    gain)` changes the weights, which the deltas hold. `moved(memory, deltas)` is called when
    the move was accepted, so that a learner can sum up how far the chain is from the truth.
    """

    gain: Any
    learn: Any
    learner_state: LearnerState
    state: type | None = None
    """The type of state that the objective scores; None for any type."""
    check: Callable[[Any], None] = field(default=lambda start: None)
    """Called with the start state: raises InputError when the objective does not fit it."""
    name: str = "learner"
    moved: Any = None
    kept: Any = None
    """`kept(truth, state, move)`, after an accepted move was applied: the objective's counts."""
    begin: Callable[[Any, Any], Any] = field(default=lambda truth, state: truth)
    """The truth with the counts of a chain at a state."""
    equip: Callable[[Any, Floats], Any] = field(default=lambda memory, weights: memory)
    """The learner's own arrays for one weight vector."""
    finish: Callable[[Any, Floats], Floats] = field(default=lambda memory, weights: weights)
    """Returns the learned weights from those of the walk, such as their average."""
    stays: bool = False
    """Whether the chain stays where it starts and only learns from steps away (CD-1)."""
    judge: Any = None
    """`judge(truth, state, move, score, gain)`: the gain that the learner sees, given the score."""


@kernel
def not_moved(memory: Any, deltas: Any) -> None:
    """The default `moved`: does nothing."""


@kernel
def not_kept(truth: Any, state: Any, move: Any) -> None:
    """The default `kept`: does nothing."""


@kernel
def keep_gain(truth: Any, state: Any, move: Any, score: float, gain: float) -> float:
    """The default `judge`: returns the objective's gain."""
    return gain
