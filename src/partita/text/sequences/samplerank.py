"""SampleRank on linear chains: the walk over labels, with one variable for each token."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import ModelError
from partita.factors import Model, pairwise, unary
from partita.kernel import Floats, Ints
from partita.learning import Instance, Learner, hamming, mira, train
from partita.proposals import Proposal, metropolised_gibbs_label
from partita.states import Labels
from partita.text.sequences.encoding import Task, check_labelled
from partita.text.sequences.observed import observed_pairs, seen_pairs, unfold
from partita.text.sequences.tagger import Tagger
from partita.walks import cooling

__all__ = ["build_model", "instance_of", "neighbours", "parts", "samplerank"]


def neighbours(start: Ints) -> Ints:
    """List the edges between neighbouring tokens of one sequence."""
    left = np.arange(start[-1] - 1)
    inside = np.ones(left.size, bool)
    inner = start[1:-1]
    inside[inner[(inner > 0) & (inner < start[-1])] - 1] = False
    return np.stack([left[inside], left[inside] + 1], 1)


def build_model(task: Task, seen: Ints | None = None) -> Model:
    """Build the model of all sequences: emissions are `unary`, transitions `pairwise`.

    `seen` are the pairs of labels with attributes that have weights, too (see `seen_pairs`).
    """
    encoder, sequences = task.encoder, task.sequences
    labels = list(encoder.labels)
    more = [] if seen is None else [observed_pairs(task, seen)]
    return Model(
        unary(
            sequences.matrix(encoder.width),
            labels,
            features=encoder.attribute_names(),
            name="emission",
        ),
        pairwise(neighbours(sequences.start), labels, kinds=("next",), name="transition"),
        *more,
    )


def instance_of(task: Task, proposal: Proposal | None = None, seen: Ints | None = None) -> Instance:
    """Build one state of all training sequences, which starts at the true labels."""
    check_labelled(task)
    label = task.sequences.label
    start = Labels.of(label, len(task.encoder.labels))
    return Instance(
        build_model(task, seen), start, hamming(label), proposal or metropolised_gibbs_label()
    )


def samplerank(
    task: Task,
    epochs: int = 10,
    *,
    learner: Learner | None = None,
    proposal: Proposal | None = None,
    observed: bool = False,
    random_seed: int | None = None,
    **options: Any,
) -> Tagger:
    """Train by SampleRank from the truth, by default with MIRA and metropolised Gibbs proposals.

    An epoch takes three steps for each token. `options` go to `partita.learning.train`; by default
    the temperature falls from 0.3 to 0.1 and the first fifth is left out of the average. With
    `observed`, pairs of neighbouring labels have weights for each attribute of the right one.
    """
    seen = seen_pairs(task) if observed else None
    instance = instance_of(task, proposal, seen)
    defaults = {"restart": "never", "temperature": cooling(0.3, 0.1), "settle": 0.2}
    options = {"steps": 3 * instance.start.label.size, **defaults, **options}
    learned = train(instance, learner or mira(), epochs=epochs, random_seed=random_seed, **options)
    labels = len(task.encoder.labels)
    width, many = task.encoder.width, 0 if seen is None else seen.size
    cut = learned.weights.size - many
    emission, transition = parts(learned.weights[:cut], width, labels)
    pairs = None if seen is None else unfold(learned.weights[cut:], seen, width, labels)
    about = {"learner": "SampleRank", "epochs": epochs, "updates": learned.updates}
    return Tagger(task.encoder, emission, transition, about, pairs)


def parts(weights: Floats, width: int, labels: int) -> tuple[Floats, Floats]:
    """Return emission and transition weights of a model made by `instance_of`."""
    if weights.size != labels * (width + labels):
        raise ModelError(
            f"{weights.size} weights do not fit {labels} labels and {width} attributes"
        )
    cut = labels * width
    emission = np.ascontiguousarray(weights[:cut].reshape(labels, width).T)
    return emission, weights[cut:].reshape(labels, labels).copy()
