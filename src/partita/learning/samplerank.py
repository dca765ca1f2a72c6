"""SampleRank: weights learned inside the walk (SAMPLERANK, Algorithm 1).

The objective prefers a state or its proposed change. If the model does not prefer the same one, by
a margin, the weights move along delta. The result is the average over all steps.
"""

from __future__ import annotations

import math

from partita.errors import InputError
from partita.kernel import Delta, kernel, norm
from partita.learning.learner import Learner, Memory, count_step, move_weights, new_learner
from partita.states.checks import positive

__all__ = ["mira", "perceptron"]


def perceptron(rate: float = 1.0, *, margin: float = 0.0, average: bool = True) -> Learner:
    """Train by steps of constant length: w += rate * delta, in the direction of the objective.

    Parameters
    ----------
    margin
        Required lead of the preferred side, in units of the objective's gain; 0 requires the right
        sign only, 1 is line 9 of Algorithm 1.
    average
        Whether the result is the mean of the weights over all steps, or the last weights.
    """
    lead = _margin(margin)

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)
        if gain > 0.0 and (score <= 0.0 or score < lead * gain):
            move_weights(memory, deltas, memory.rate[0])
        elif gain < 0.0 and (score >= 0.0 or score > lead * gain):
            move_weights(memory, deltas, -memory.rate[0])

    name = f"perceptron({rate!r}, margin={margin!r}, average={average})"
    return new_learner(name, learn, rate, average=average)


def mira(
    cap: float = 1.0, *, margin: float = 1.0, rate: float = 1.0, average: bool = True
) -> Learner:
    """Train by the smallest change of the weights that ranks the pair right by the margin (MIRA).

    step = rate * min(cap, (margin |gain| - sign(gain) w . delta) / |delta|^2)
    """
    positive(cap, "the cap")
    lead = _margin(margin)

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)
        if gain == 0.0:
            return
        sign = 1.0 if gain > 0.0 else -1.0
        loss = lead * abs(gain) - sign * score
        length = norm(deltas)
        if loss > 0.0 and length > 0.0:
            move_weights(memory, deltas, memory.rate[0] * sign * min(cap, loss / length))

    name = f"mira({cap!r}, margin={margin!r}, rate={rate!r}, average={average})"
    return new_learner(name, learn, rate, average=average)


def _margin(margin: float) -> float:
    number = isinstance(margin, int | float) and not isinstance(margin, bool)
    if not number or not (math.isfinite(margin) and margin >= 0):
        raise InputError(f"the margin is {margin!r}; give a number of at least 0")
    return float(margin)
