"""SampleRank: weights learned inside the walk (SAMPLERANK, Algorithm 1).

Of a state and its proposed change, the objective prefers one. Where the model prefers the other
(the sign of w . delta against the sign of the gain), the weights move along delta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from partita.errors import InputError, ModelError
from partita.kernel import Delta, add, kernel, norm
from partita.learning.objectives import Objective
from partita.walks import Lesson, Teaching

__all__ = ["Learner", "mira", "perceptron", "teach"]


class Memory(NamedTuple):
    """A learner without arrays of its own."""


@dataclass(frozen=True)
class Learner:
    """`learn(memory, deltas, score, gain)` changes the weights that stand in the deltas."""

    name: str
    learn: Any
    memory: Any


def perceptron(rate: float = 1.0) -> Learner:
    """Unit-step updates: w += rate * delta, in the direction that the objective prefers."""
    _positive(rate, "rate")

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        if gain > 0.0 and score <= 0.0:
            add(deltas, rate)
        elif gain < 0.0 and score >= 0.0:
            add(deltas, -rate)

    return Learner("perceptron", learn, Memory())


def mira(cap: float = 1.0) -> Learner:
    """The smallest change of the weights that ranks the pair right by the margin |gain|.

    step = min(cap, (|gain| - sign(gain) w . delta) / |delta|^2)
    """
    _positive(cap, "cap")

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        if gain == 0.0:
            return
        sign = 1.0 if gain > 0.0 else -1.0
        loss = abs(gain) - sign * score
        length = norm(deltas)
        if loss > 0.0 and length > 0.0:
            add(deltas, sign * min(cap, loss / length))

    return Learner("mira", learn, Memory())


def teach(learner: Learner, objective: Objective) -> Teaching:
    """A learner and an objective, as a walk takes them."""
    if not isinstance(objective, Objective):
        raise ModelError(
            f"{objective!r} is not an objective; use pair_accuracy(...) or hamming(...)"
        )
    return Teaching(objective.gain, learner.learn, Lesson(objective.truth, learner.memory))


def _positive(value: float, name: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} is {value}; give a positive number")
