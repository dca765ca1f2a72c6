"""SampleRank: weights learned inside the walk (SAMPLERANK, Algorithm 1).

Of a state and its proposed change, the objective prefers one. Where the model prefers the other
(the sign of w . delta against the sign of the gain), the weights move along delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from partita.errors import ModelError
from partita.kernel import Delta, add, kernel, norm
from partita.learning.objectives import Objective
from partita.states.checks import positive, shown
from partita.walks import Lesson, Teaching

__all__ = ["Learner", "mira", "perceptron", "teach"]


class Memory(NamedTuple):
    """A learner without arrays of its own."""


@dataclass(frozen=True)
class Learner:
    """`learn(memory, deltas, score, gain)` changes the weights that stand in the deltas.

    `moved(memory, deltas)`, if given, is called when the move was accepted.
    """

    name: str
    learn: Any
    memory: Any
    moved: Any = None


def perceptron(rate: float = 1.0) -> Learner:
    """Unit-step updates: w += rate * delta, in the direction that the objective prefers."""
    positive(rate, "the rate")

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        if gain > 0.0 and score <= 0.0:
            add(deltas, rate)
        elif gain < 0.0 and score >= 0.0:
            add(deltas, -rate)

    return Learner(f"perceptron({rate:g})", learn, Memory())


def mira(cap: float = 1.0) -> Learner:
    """The smallest change of the weights that ranks the pair right by the margin |gain|.

    step = min(cap, (|gain| - sign(gain) w . delta) / |delta|^2)
    """
    positive(cap, "the cap")

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        if gain == 0.0:
            return
        sign = 1.0 if gain > 0.0 else -1.0
        loss = abs(gain) - sign * score
        length = norm(deltas)
        if loss > 0.0 and length > 0.0:
            add(deltas, sign * min(cap, loss / length))

    return Learner(f"mira({cap:g})", learn, Memory())


def teach(learner: Learner, objective: Objective) -> Teaching:
    """A learner and an objective, as a walk takes them."""
    if not isinstance(objective, Objective):
        raise ModelError(
            f"{shown(objective)} is not an objective; use pair_accuracy(...) or hamming(...)"
        )
    if not isinstance(learner, Learner):
        raise ModelError(f"{shown(learner)} is not a learner; use perceptron() or mira()")
    lesson = Lesson(objective.truth, learner.memory)
    name = f"{learner.name} of {objective.name}"
    return Teaching(
        objective.gain,
        learner.learn,
        lesson,
        objective.state,
        objective.check,
        name,
        learner.moved,
    )
