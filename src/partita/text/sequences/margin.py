"""Structured perceptron and structured SVM (Pegasos) of a linear chain, by exact decoding.

Pegasos' weights after t steps are the sum of its subgradients over (lambda t) (Shalev-Shwartz,
Singer, Srebro 2007), and the perceptron's are the sum itself: one loop serves both. They differ in
the scale of the sum and in the loss added to wrong labels before decoding.
"""

from __future__ import annotations

import numpy as np

from partita.kernel import Floats, Ints, Rng, entry, generators, kernel
from partita.states.checks import positive, whole
from partita.text.sequences.encoding import Task, check_labelled
from partita.text.sequences.lattice import find_best_path, score_token
from partita.text.sequences.tagger import Tagger

__all__ = ["structured_perceptron", "structured_svm"]


@kernel
def step(
    row: Ints,
    attribute: Ints,
    value: Floats,
    token: int,
    label: int,
    amount: float,
    late: float,
    emission: Floats,
    emission_late: Floats,
) -> None:
    """Add a token's attributes to the weights of a label, and update the sums of the average."""
    for at in range(row[token], row[token + 1]):
        emission[attribute[at], label] += amount * value[at]
        emission_late[attribute[at], label] += late * value[at]


@entry
def epoch(
    order: Ints,
    start: Ints,
    row: Ints,
    attribute: Ints,
    value: Floats,
    truth: Ints,
    emission: Floats,
    transition: Floats,
    emission_late: Floats,
    transition_late: Floats,
    scores: Floats,
    scaled: Floats,
    path: Ints,
    reach: Floats,
    back: Ints,
    loss: float,
    strength: float,
    clock: Floats,
) -> None:
    """Decode each sequence once and step to the truth; clock holds steps and the sum of scales.

    The weights that decode at step t are `scale` times the sum: 1, or 1 / (strength t).
    """
    labels = transition.shape[0]
    for s in order:
        first, last = start[s], start[s + 1]
        clock[0] += 1.0
        scale = 1.0 / (strength * clock[0]) if strength > 0.0 else 1.0
        for t in range(first, last):
            score_token(row, attribute, value, emission, t, scores[t - first])
            for label in range(labels):
                scores[t - first, label] *= scale
                if label != truth[t]:
                    scores[t - first, label] += loss
        for left in range(labels):
            for right in range(labels):
                scaled[0, left, right] = scale * transition[left, right]
        if last > first:
            find_best_path(scores, scaled, 0, last - first, path, reach, back)
        late = clock[1]
        for t in range(first, last):
            right, guess = truth[t], path[t - first]
            if right != guess:
                step(row, attribute, value, t, right, 1.0, late, emission, emission_late)
                step(row, attribute, value, t, guess, -1.0, -late, emission, emission_late)
            if t > first and (right != guess or truth[t - 1] != path[t - first - 1]):
                transition[truth[t - 1], right] += 1.0
                transition_late[truth[t - 1], right] += late
                transition[path[t - first - 1], guess] -= 1.0
                transition_late[path[t - first - 1], guess] -= late
        clock[1] += scale


def structured_perceptron(
    task: Task, epochs: int = 10, *, random_seed: int | None = None
) -> Tagger:
    """Train an averaged structured perceptron (Collins 2002)."""
    about = {"learner": "structured perceptron", "epochs": epochs}
    return _train(task, epochs, 0.0, 0.0, random_seed).with_facts(**about)


def structured_svm(
    task: Task, c: float = 1.0, epochs: int = 10, *, random_seed: int | None = None
) -> Tagger:
    """Train by averaged Pegasos with decoding augmented by the Hamming loss.

    Minimises lambda / 2 |w|^2 + the mean over sequences of the hinge, with lambda = 1 / (c n).
    """
    positive(c, "c")
    strength = 1.0 / (c * (task.sequences.start.size - 1))
    about = {"learner": "structured SVM", "c": c, "epochs": epochs}
    return _train(task, epochs, 1.0, strength, random_seed).with_facts(**about)


def _train(task: Task, epochs: int, loss: float, strength: float, seed: int | None) -> Tagger:
    whole(epochs, "epochs")
    check_labelled(task)
    sequences, labels = task.sequences, len(task.encoder.labels)
    sums = (np.zeros((task.encoder.width, labels)), np.zeros((labels, labels)))
    lates = (np.zeros_like(sums[0]), np.zeros_like(sums[1]))
    longest = max(1, int(np.diff(sequences.start).max()))
    scratch = (
        np.zeros((longest, labels)),
        np.zeros((1, labels, labels)),
        np.zeros(longest, np.int64),
        np.zeros((2, labels)),
        np.zeros((longest, labels), np.int64),
    )
    clock, done = np.zeros(2), 0.0
    rng: Rng = generators(seed, 1)[0]
    for number in range(epochs):
        if strength and number == epochs // 2:
            # the first steps of Pegasos are far too large: only the later half is averaged
            for late in lates:
                late[...] = 0.0
            done, clock[1] = clock[0], 0.0
        order = rng.permutation(sequences.start.size - 1)
        epoch(order, *sequences, *sums, *lates, *scratch, loss, strength, clock)
    steps, total = clock[0] - done, clock[1]
    emission, transition = ((a * total - b) / steps for a, b in zip(sums, lates, strict=True))
    return Tagger(task.encoder, emission, transition)
