"""A log-linear model of choices among options with sparse binary features, fitted by Adagrad.

P(option) is proportional to exp(sum of the weights of its features). A choice may have several
right options, of which any may be the cause: the fit maximises log of their summed probability
(Durrett and Klein 2013 for antecedents of mentions). This is an optimiser, not a sampler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Bytes, Floats, Ints, entry

__all__ = ["ChoiceSettings", "Choices", "choose_probabilities", "fit_choices", "score_options"]

Features = NDArray[np.int32]

SMALL = 1e-8
"""Floor of the square root in Adagrad steps."""
MIN_GRADIENT = 1e-5
"""Gradient of an option below which its features are not updated, for speed."""


class Choices(NamedTuple):
    """Options of all choices, one row each, and where the options of a choice begin."""

    features: Features
    """Numbers of the features of each option; 0 stands for none."""
    start: Ints
    """The first option of each choice, and the number of options at the end."""
    right: Bytes
    """1 for a right option; a choice without one is not learned from."""


@dataclass(frozen=True)
class ChoiceSettings:
    """Training of a choice model."""

    epochs: int = 8
    rate: float = 0.1
    l2: float = 1e-4
    """Strength of the penalty, applied to the features of an option when it is updated."""


@entry
def score_options(features: Features, weights: Floats, scores: Floats) -> None:
    """Write the summed weights of the features of each option."""
    for option in range(features.shape[0]):
        total = 0.0
        for k in range(features.shape[1]):
            total += weights[features[option, k]]
        scores[option] = total


@entry
def normalise(start: Ints, scores: Floats) -> None:
    """Turn the scores of each choice into probabilities, in place."""
    for choice in range(start.size - 1):
        largest, total = -1e300, 0.0
        for option in range(start[choice], start[choice + 1]):
            largest = max(largest, scores[option])
        for option in range(start[choice], start[choice + 1]):
            scores[option] = np.exp(scores[option] - largest)
            total += scores[option]
        for option in range(start[choice], start[choice + 1]):
            scores[option] /= total


@entry
def run_epoch(
    features: Features,
    start: Ints,
    right: Bytes,
    order: Ints,
    weights: Floats,
    squares: Floats,
    scores: Floats,
    rate: float,
    l2: float,
) -> float:
    """Take one Adagrad step for each choice; return the summed negative log-likelihood."""
    loss = 0.0
    for at in range(order.size):
        first, last = start[order[at]], start[order[at] + 1]
        largest = -1e300
        for option in range(first, last):
            total = 0.0
            for k in range(features.shape[1]):
                total += weights[features[option, k]]
            scores[option] = total
            largest = max(largest, total)
        mass, right_mass = 0.0, 0.0
        for option in range(first, last):
            scores[option] = np.exp(scores[option] - largest)
            mass += scores[option]
            if right[option] == 1:
                right_mass += scores[option]
        if right_mass == 0.0:
            continue
        loss -= np.log(right_mass / mass)
        for option in range(first, last):
            slope = scores[option] / mass
            if right[option] == 1:
                slope -= scores[option] / right_mass
            if abs(slope) < MIN_GRADIENT:
                continue
            for k in range(features.shape[1]):
                number = features[option, k]
                if number > 0:
                    step = slope + l2 * weights[number]
                    squares[number] += step * step
                    weights[number] -= rate * step / (np.sqrt(squares[number]) + SMALL)
    return loss


def fit_choices(
    choices: Choices, size: int, settings: ChoiceSettings | None = None, *, seed: int = 0
) -> Floats:
    """Fit the weights of `size` features; weight 0 belongs to the empty feature and stays 0."""
    chosen = settings or ChoiceSettings()
    _check_choices(choices, size)
    weights, squares = np.zeros(size), np.zeros(size)
    scores = np.zeros(len(choices.features))
    rng = np.random.default_rng(seed)
    rights = np.add.reduceat(choices.right.astype(np.int64), choices.start[:-1])
    learned = np.flatnonzero(rights > 0)
    for _ in range(chosen.epochs):
        run_epoch(
            *choices, rng.permutation(learned), weights, squares, scores, chosen.rate, chosen.l2
        )
    return weights


def choose_probabilities(features: Features, start: Ints, weights: Floats) -> Floats:
    """Return the probability of each option."""
    scores = np.empty(len(features))
    score_options(features, weights, scores)
    normalise(start, scores)
    return scores


def _check_choices(choices: Choices, size: int) -> None:
    if not choices.right.any():
        raise InputError("no choice has a right option; give labelled choices")
    if (np.diff(choices.start) < 1).any() or choices.start[-1] != len(choices.features):
        raise InputError("a choice has no options; give at least one for each")
    if choices.features.min(initial=0) < 0 or choices.features.max(initial=0) >= size:
        raise InputError(f"a feature is outside 0..{size - 1}; give numbers below {size}")
