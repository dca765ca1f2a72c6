"""A log-linear model of choices among options with sparse binary features, fitted by Adagrad.

P(option) is proportional to exp(sum of the weights of its features). A choice may have several
right options, of which any may be the cause: the fit maximises log of their summed probability
(Durrett and Klein 2013 for antecedents of mentions). This is an optimiser, not a sampler.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io import atomic_write
from partita.kernel import Bytes, Floats, Ints, entry

__all__ = [
    "ChoiceSettings",
    "Choices",
    "choose_probabilities",
    "cross_fit_choices",
    "fit_choices",
    "load_choice_weights",
    "save_choice_weights",
    "score_options",
]

Features = NDArray[np.int32]

SMALL = 1e-8
"""Floor of the square root in Adagrad steps."""
MIN_GRADIENT = 1e-5
"""Gradient of an option below which its features are not updated, for speed."""
FILE_FORMAT = "partita choice model 1"
DIGITS = 2
"""Decimals of weights in a file."""


class Choices(NamedTuple):
    """Options of all choices, one row each, and where the options of a choice begin."""

    features: Features
    """Numbers of the features of each option; 0 means none."""
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
    """Fit the weights of `size` features; weight 0 belongs to the empty feature and stays 0.

    Empty columns are left out, which saves time and leaves every sum the same.
    """
    chosen = settings or ChoiceSettings()
    _check_choices(choices, size)
    choices = choices._replace(features=choices.features[:, choices.features.any(0)])
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


def cross_fit_choices(
    choices: Choices,
    fold: Ints,
    size: int,
    settings: ChoiceSettings | None = None,
    *,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Fit without each fold of the choices in turn.

    Returns the mean weights, and the probability of each option by the weights without its fold. If
    one fold has all right options, it is its own training set.
    """
    features, start, right = choices
    of_option = np.repeat(fold, np.diff(start))
    left_out, mean = np.zeros(len(features)), np.zeros(size)
    folds = np.unique(fold)
    for k in folds:
        own = of_option == k
        others = np.where(own, np.uint8(0), right)
        part = choices._replace(right=others if others.any() else right)
        weights = fit_choices(part, size, settings, seed=seed)
        left_out[own] = choose_probabilities(features, start, weights)[own]
        mean += weights / folds.size
    return mean, left_out


def choose_probabilities(features: Features, start: Ints, weights: Floats) -> Floats:
    """Return the probability of each option."""
    scores = np.empty(len(features))
    score_options(features, weights, scores)
    normalise(start, scores)
    return scores


def save_choice_weights(path: Path, weights: Floats, **settings: Any) -> None:
    """Write the weights that are not 0, and settings, to a JSON file."""
    kept = np.flatnonzero(np.round(weights, DIGITS))
    content = {
        "format": FILE_FORMAT,
        **settings,
        "features": kept.tolist(),
        "weights": np.round(weights[kept], DIGITS).tolist(),
    }
    with atomic_write(path) as (temporary,):
        temporary.write_text(json.dumps(content), encoding="utf-8")


def load_choice_weights(path: Path, size: int) -> tuple[Floats, dict[str, Any]]:
    """Read weights and settings from a JSON file."""
    weights = np.zeros(size)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("format") != FILE_FORMAT:
            raise ValueError(FILE_FORMAT)
        weights[np.array(content.pop("features"), np.int64)] = content.pop("weights")
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise InputError(f"{path} is no choice model of this version; train it again") from None
    return weights, content


def _check_choices(choices: Choices, size: int) -> None:
    if not choices.right.any():
        raise InputError("no choice has a right option; give labelled choices")
    if (np.diff(choices.start) < 1).any() or choices.start[-1] != len(choices.features):
        raise InputError("a choice has no options; give at least one for each")
    if choices.features.min(initial=0) < 0 or choices.features.max(initial=0) >= size:
        raise InputError(f"a feature is outside 0..{size - 1}; give numbers below {size}")
