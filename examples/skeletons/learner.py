"""Skeleton of a learner: perceptron steps that shrink as 1 / sqrt(number of updates).

Copy to src/partita/learning/, rename, and change `learn`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Delta, Ints, add, kernel
from partita.learning import Learner

__all__ = ["decaying"]


class Memory(NamedTuple):
    """The learner's own arrays: copied for each chain, saved in checkpoints."""

    updates: Ints


def decaying(rate: float = 1.0) -> Learner:
    """Train by steps of rate / sqrt(updates) where the model ranks a pair of states wrongly."""
    if not (math.isfinite(rate) and rate > 0):
        raise InputError(f"rate is {rate}; give a positive number")

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        """Update the weights; `score` is w . delta and `gain` the change of the objective."""
        if gain * score > 0.0 or gain == 0.0:
            return
        memory.updates[0] += 1
        step = rate / math.sqrt(memory.updates[0])
        add(deltas, step if gain > 0.0 else -step)

    return Learner("decaying", learn, Memory(np.zeros(1, np.int64)))
