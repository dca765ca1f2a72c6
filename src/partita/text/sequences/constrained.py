"""Constraint-driven SampleRank on linear chains: few labels, many unlabelled sequences (CDRANK)."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import InputError
from partita.factors import Model
from partita.learning import Instance, Learner, mira, semi_supervised, train
from partita.proposals import metropolised_gibbs_label
from partita.states import Labels
from partita.text.sequences.encoding import UNKNOWN, Task, take
from partita.text.sequences.samplerank import build_model, parts, samplerank
from partita.text.sequences.tagger import Tagger

__all__ = ["OBJECTIVES", "constraint_driven", "train_labelled"]

OBJECTIVES = ("self", "cons", "self+cons", "model+cons")
"""Objectives of unlabelled sequences, by the names of the paper."""
STRENGTH = 0.3
"""Factor of the constraints, where a right label counts 1. Origin: the development part of
citations_codl; on two sets of cora_ie it is the best of 0.03 to 3, or within 0.2 points of it
(`python -m papers.cdrank --other-sets`). The paper has 10 for Self+Cons and 0.0001 for Model+Cons,
in units of its own."""
FIRST_EPOCHS = 20
"""Epochs on the labelled sequences, before the unlabelled ones. Origin: a prototype."""
TEMPERATURE = 0.3
"""Temperature of the walk. Origin: the development part of citations_codl, accuracy with 300
labels: 94.5 %; 92.4 % with the cooling of `samplerank`, whose walk seldom leaves the truth."""
EPOCHS = 6
"""Epochs over all sequences. Origin: a prototype."""
STEPS_PER_TOKEN = 3
"""Steps of an epoch for each token. Origin: `samplerank`."""


def constraint_driven(
    task: Task,
    constraints: Model | None = None,
    objective: str = "model+cons",
    *,
    strength: float = STRENGTH,
    first: Tagger | None = None,
    epochs: int = EPOCHS,
    learner: Learner | None = None,
    random_seed: int | None = None,
    **options: Any,
) -> Tagger:
    """Train on labelled and unlabelled sequences, and on constraints for the unlabelled ones.

    The walk starts at a tagger of the labelled sequences. Labelled tokens gain as in SampleRank.
    The result is the mean of the weights over the steps of both walks, the supervised one and this
    one, so that constraints and guesses count for less the more tokens have labels.

    Parameters
    ----------
    task
        Sequences of which some have no labels (see `encoded`).
    constraints
        A model of Labels over all tokens of the task, such as `build_constraints(rules)`.
    objective
        The objective of unlabelled sequences: "self", "cons", "self+cons" or "model+cons".
    strength
        The factor of the constraints' score.
    first
        The tagger at which training starts; by default it is trained on the labelled sequences.
    options
        Further arguments of `partita.learning.train`.
    """
    _check_arguments(objective, constraints)
    tagger = first or train_labelled(task, random_seed)
    defaults = {"restart": "never", "temperature": TEMPERATURE, "settle": 0.2}
    options = {"steps": STEPS_PER_TOKEN * task.sequences.label.size, **defaults, **options}
    instance = _build_instance(task, tagger, objective, constraints, strength)
    learned = train(instance, learner or mira(), epochs=epochs, random_seed=random_seed, **options)
    emission, transition = parts(learned.weights, task.encoder.width, len(task.encoder.labels))
    share = _weigh_first(task, epochs)
    weights = (
        share * tagger.emission + (1 - share) * emission,
        share * tagger.transition + (1 - share) * transition,
    )
    about = {"learner": f"CDRANK {objective}", "epochs": epochs, "updates": learned.updates}
    return Tagger(task.encoder, *weights, about)


def train_labelled(task: Task, random_seed: int | None = None) -> Tagger:
    """Train by SampleRank on the labelled sequences; without any, all weights are 0."""
    sequences, labels = task.sequences, len(task.encoder.labels)
    filled = np.flatnonzero(np.diff(sequences.start))
    labelled = filled[sequences.label[sequences.start[filled]] != UNKNOWN]
    if labelled.size:
        labelled_task = take(task, labelled)
        return samplerank(
            labelled_task, FIRST_EPOCHS, temperature=TEMPERATURE, random_seed=random_seed
        )
    return Tagger(task.encoder, np.zeros((task.encoder.width, labels)), np.zeros((labels, labels)))


def _weigh_first(task: Task, epochs: int) -> float:
    """Return the share of the supervised walk in the steps of both walks.

    An epoch has the same number of steps for each token in both.
    """
    label = task.sequences.label
    steps = FIRST_EPOCHS * int((label != UNKNOWN).sum())
    return steps / max(1, steps + epochs * label.size)


def _build_instance(
    task: Task,
    tagger: Tagger,
    objective: str,
    constraints: Model | None,
    strength: float,
) -> Instance:
    """Build the walk over all tokens, which starts at the true labels and the tagger's own."""
    label, labels = task.sequences.label, len(task.encoder.labels)
    guess = tagger.codes(task.sequences)
    ranked = semi_supervised(
        label,
        guess=guess if "self" in objective else None,
        constraints=constraints if "cons" in objective else None,
        strength=strength,
        model_score="model" in objective,
    )
    model = build_model(task)
    model.set_weights(np.concatenate([tagger.emission.T.ravel(), tagger.transition.ravel()]))
    start = Labels.of(np.where(label == UNKNOWN, guess, label), labels)
    return Instance(model, start, ranked, metropolised_gibbs_label())


def _check_arguments(objective: str, constraints: Model | None) -> None:
    if objective not in OBJECTIVES:
        raise InputError(f"the objective is {objective!r}; give one of {', '.join(OBJECTIVES)}")
    if constraints is None and "cons" in objective:
        raise InputError(f'the objective {objective!r} needs constraints; give them, or "self"')
