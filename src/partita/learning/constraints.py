"""Semi-supervised objectives on Labels: a guess, constraints and the model itself (CDRANK).

Constraints are a model of fixed weights: its templates score a labeling, its weights are the
strengths of the constraints. The objective computes the change of that score for one move, so a
constraint costs as much as a factor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError, ModelError
from partita.factors import Model
from partita.kernel import Floats, Ints, deltas, kernel
from partita.learning.objectives import Objective, Truth, build_size_check, hamming_gain
from partita.states import Labels, Relabel
from partita.states.checks import integers, named, positive

__all__ = ["UNKNOWN", "semi_supervised"]

UNKNOWN = -1
"""The label of a variable without a true label, or without a guess."""


class Knowledge(NamedTuple):
    """True labels, guessed labels, and the tables and weights of the constraints."""

    truth: Truth
    guess: Truth
    tables: Any
    deltas: Any
    strength: Floats
    """One cell: the factor of the constraints' score."""


@kernel
def no_score(knowledge: Knowledge, state: Any, move: Any) -> float:
    """The end of the fold of constraints."""
    return 0.0


@kernel
def no_commit(knowledge: Knowledge, state: Any, move: Any) -> None:
    """The end of the fold of commits."""


def _fold_score(number: int, count: Any, emit: Any, rest: Any) -> Any:
    @kernel
    def score(knowledge: Knowledge, state: Any, move: Any) -> float:
        table, delta = knowledge.tables[number], knowledge.deltas[number]
        total = rest(knowledge, state, move)
        for k in range(count(table, state, move)):
            total += emit(table, state, move, k, delta)
        return total

    return score


def _fold_commit(number: int, commit: Any, rest: Any) -> Any:
    @kernel
    def both(knowledge: Knowledge, state: Any, move: Any) -> None:
        commit(knowledge.tables[number], state, move)
        rest(knowledge, state, move)

    return both


@kernel
def trust_model(
    knowledge: Knowledge, state: Labels, move: Relabel, score: float, gain: float
) -> float:
    """Add the model's score to the gain of an unlabelled variable, if that changes the preference.

    Otherwise the gain stays as it is: the margin that a learner requires is then in units of the
    constraints, not of the score, which would raise the required margin with every update.
    """
    if gain == 0.0 or knowledge.truth.label[move.variable] != UNKNOWN:
        return gain
    total = score + gain
    return gain if total * gain > 0.0 else total


def semi_supervised(
    truth: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    constraints: Model | None = None,
    strength: float = 1.0,
    model_score: bool = False,
) -> Objective:
    """Rank labelings of partly labelled variables (CDRANK, section 3).

    A move of a labelled variable gains as in `hamming`. A move of an unlabelled variable has the
    gain that the other arguments define: Self is `guess`, Cons is `constraints`, Self+Cons is both
    and Model+Cons is `constraints` with `model_score`.

    Parameters
    ----------
    truth
        The true label of each variable, or -1 where it is unknown.
    guess
        A guessed label of each variable, such as the best labeling of an earlier model; or -1.
    constraints
        A model of Labels with fixed weights: the strength of each constraint.
    strength
        The factor of the score of the constraints (lambda in the paper).
    model_score
        Whether the score of the learned model is added, so that constraints change the ranking only
        where they outweigh the model. A move without a preferred side is never learned from.
    """
    known = _labels(truth, "true labels")
    guesses = np.full(known.size, UNKNOWN) if guess is None else _labels(guess, "guessed labels")
    _check_arguments(known, guesses, guess is not None, constraints, model_score)
    score, commit = _compile(constraints)
    strengths = np.array([float(positive(strength, "the strength"))])
    knowledge = Knowledge(Truth(known), Truth(guesses), (), (), strengths)

    @kernel
    def gain(knowledge: Knowledge, state: Labels, move: Relabel) -> float:
        if knowledge.truth.label[move.variable] != UNKNOWN:
            return hamming_gain(knowledge.truth, state, move)
        preferred = hamming_gain(knowledge.guess, state, move)
        return preferred + knowledge.strength[0] * score(knowledge, state, move)

    def begin(knowledge: Knowledge, state: Labels) -> Knowledge:
        if constraints is None:
            return knowledge
        status = np.zeros(4, np.int64)
        changes = deltas(constraints.weights, constraints.widths, status)
        return knowledge._replace(tables=constraints.tables(state), deltas=changes)

    fits = build_size_check(known)

    def check(start: Labels) -> None:
        fits(start)
        if constraints is not None:
            constraints.check(start)

    return Objective(
        "semi_supervised",
        Labels,
        gain,
        knowledge,
        check,
        kept=commit,
        begin=begin,
        judge=trust_model if model_score else None,
    )


def _compile(constraints: Model | None) -> tuple[Any, Any]:
    """Compile the change of the constraints' score, and the update of their caches, if any."""
    score, commit = no_score, no_commit
    for number, template in enumerate(constraints.templates if constraints else ()):
        score = _fold_score(number, template.count, template.emit, score)
        if template.cache.commit is not None:
            commit = _fold_commit(number, template.cache.commit, commit)
    return score, None if commit is no_commit else commit


def _labels(values: ArrayLike, noun: str) -> Ints:
    label = integers(named(values, noun), f"the row of {noun}")
    if label.size and label.min() < UNKNOWN:
        raise InputError(f"{noun}: a label is {label.min()}; give numbers from 0, or -1 if unknown")
    return label


def _check_arguments(
    known: Ints, guesses: Ints, guessed: bool, constraints: Model | None, model_score: bool
) -> None:
    if guesses.size != known.size:
        raise InputError(
            f"there are {known.size} true labels and {guesses.size} guesses; give one of each"
        )
    if constraints is not None and constraints.state is not Labels:
        raise ModelError(
            f"the constraints score {constraints.state.__name__}; give a model of Labels"
        )
    if constraints is not None and any(t.cache.room for t in constraints.templates):
        raise ModelError("the constraints have a template with a pool; give templates of Labels")
    if model_score and (constraints is None or guessed):
        raise InputError(
            "model_score needs constraints and no guess; leave it out, or give constraints"
        )
