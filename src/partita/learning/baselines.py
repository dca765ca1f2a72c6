"""Baselines of SampleRank that compare with the truth, from the same deltas (SAMPLERANK 3.5, 5.1).

Each chain starts at the truth. The deltas of accepted moves sum to phi(state) - phi(truth), so the
gradient becomes denser as the chain moves away.
"""

from __future__ import annotations

from typing import Any

from partita.errors import InputError
from partita.kernel import Delta, kernel
from partita.learning.learner import (
    UPDATED,
    Learner,
    Memory,
    add_distance,
    count_step,
    move_by_distance,
    move_weights,
    new_learner,
    score_distance,
)

__all__ = ["contrastive_divergence", "persistent_cd", "samplerank_svm", "svm_1"]


def samplerank_svm(rate: float = 1.0, *, loss: str = "objective", average: bool = True) -> Learner:
    """Train by SampleRank-SVM: compare each proposed state with the truth (margin violations).

    If w . (phi(truth) - phi(y)) < loss(y), then w += rate * (phi(truth) - phi(y)).

    Parameters
    ----------
    loss
        "objective": the loss of the objective from the truth to y; "0-1": always 1.
    """
    counts = _counts(loss)

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)
        memory.lost[1] = gain
        required = -(memory.lost[0] + gain)
        if required <= 0.0:
            return
        if not counts:
            required = 1.0
        if -(score_distance(memory) + score) < required:
            move_weights(memory, deltas, -memory.rate[0])
            move_by_distance(memory, -memory.rate[0])

    name = f"samplerank_svm({rate!r}, loss={loss!r}, average={average})"
    return new_learner(name, learn, rate, average=average, with_truth=True, moved=add_distance)


def svm_1(rate: float = 1.0, *, loss: str = "objective", average: bool = True) -> Learner:
    """Train by SampleRank-SVM with every proposal one step from the truth."""
    counts = _counts(loss)

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)
        if gain < 0.0 and -score < (-gain if counts else 1.0):
            move_weights(memory, deltas, -memory.rate[0])

    name = f"svm_1({rate!r}, loss={loss!r}, average={average})"
    return new_learner(name, learn, rate, average=average, with_truth=True, stays=True)


def contrastive_divergence(rate: float = 1.0, *, average: bool = True) -> Learner:
    """Train by CD-1: w += rate * (phi(truth) - phi(y)), y one step of the chain from the truth."""

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)

    @kernel
    def moved(memory: Memory, deltas: tuple[Delta, ...]) -> None:
        move_weights(memory, deltas, -memory.rate[0])

    name = f"contrastive_divergence({rate!r}, average={average})"
    options: dict[str, Any] = {"with_truth": True, "stays": True, "moved": moved}
    return new_learner(name, learn, rate, average=average, **options)


def persistent_cd(rate: float = 1.0, *, average: bool = True) -> Learner:
    """Train by persistent CD: w += rate * (phi(truth) - phi(y)) at each state y of a chain."""

    @kernel
    def learn(memory: Memory, deltas: tuple[Delta, ...], score: float, gain: float) -> None:
        count_step(memory, gain)
        memory.lost[1] = gain
        memory.clock[UPDATED] += 1
        move_by_distance(memory, -memory.rate[0])

    name = f"persistent_cd({rate!r}, average={average})"
    return new_learner(name, learn, rate, average=average, with_truth=True, moved=add_distance)


def _counts(loss: str) -> bool:
    if loss not in ("objective", "0-1"):
        raise InputError(f"loss is {loss!r}; give 'objective' or '0-1'")
    return loss == "objective"
