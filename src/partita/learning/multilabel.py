"""Multi-label classification by a Markov random field over all pairs of labels (SAMPLERANK 5.2).

Each label is a binary variable. It has its own weights for the observed features, and each pair of
labels has four weights. For few labels, sums over all 2^n combinations are exact.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import minimize

from partita.errors import InputError
from partita.factors import Model, pairwise, unary
from partita.factors.template import finite
from partita.kernel import Floats, Ints, generators
from partita.learning import Instance, hamming
from partita.proposals import Proposal, flip
from partita.states import Labels
from partita.states.checks import integers, positive, whole

__all__ = ["MultiLabel", "instances_of", "multilabel_likelihood", "multilabel_svm"]

MAX_LABELS = 20
"""Limit on labels whose 2^n combinations are enumerated: one million rows."""

EXAMPLES_PER_BATCH = 256
"""Examples whose combinations are scored in one batch."""


@dataclass(frozen=True)
class MultiLabel:
    """Log odds of each label by feature, and the interaction of each pair of labels.

    score(y) = sum_i y_i (own_i . x) + sum_{i<j} y_i y_j both_ij: the same family as four weights
    for each pair, because terms of one label are in `own`, whose first column is for 1.
    """

    own: Floats
    both: Floats

    @classmethod
    def of(cls, weights: Floats, labels: int, width: int) -> MultiLabel:
        """Build it from the weights of a model made by `instances_of`."""
        cut = 2 * labels * width
        off, on = weights[:cut].reshape(2, labels, width)
        own, both = on - off, np.zeros((labels, labels))
        pairs = weights[cut:].reshape(-1, 2, 2)
        for (i, j), w in zip(itertools.combinations(range(labels), 2), pairs, strict=True):
            both[i, j] = w[1, 1] - w[1, 0] - w[0, 1] + w[0, 0]
            own[i, 0] += w[1, 0] - w[0, 0]
            own[j, 0] += w[0, 1] - w[0, 0]
        return cls(own, both)

    def predict(self, observed: ArrayLike) -> Ints:
        """Predict the best combination of labels for each row of features."""
        odds = prepend_one(observed) @ self.own.T
        every = combinations(self.own.shape[0])
        extra = np.einsum("ki,ij,kj->k", every, self.both, every)
        best = [
            every[(odds[k : k + EXAMPLES_PER_BATCH] @ every.T + extra).argmax(1)]
            for k in range(0, len(odds), EXAMPLES_PER_BATCH)
        ]
        return np.concatenate(best).astype(np.int64)


def prepend_one(observed: ArrayLike) -> Floats:
    """Prepend a 1 to rows of features."""
    rows = finite(observed, "observed features")
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise InputError(f"observed features have shape {rows.shape}; give one row per example")
    return np.column_stack([np.ones(len(rows)), rows])


def combinations(labels: int) -> Floats:
    """Enumerate all combinations of labels, one row each."""
    if labels > MAX_LABELS:
        raise InputError(f"{labels} labels have too many combinations; give at most {MAX_LABELS}")
    return ((np.arange(2**labels)[:, None] >> np.arange(labels)) & 1).astype(float)


def check_examples(observed: ArrayLike, truth: ArrayLike) -> tuple[Floats, Ints]:
    """Check the features and prepend a 1; check the matrix of labels."""
    rows, on = prepend_one(observed), integers(truth, "the matrix of true labels")
    if on.ndim != 2 or len(on) != len(rows) or on.shape[1] < 2:
        raise InputError(
            f"true labels have shape {on.shape} for {len(rows)} examples; give a row for each, "
            "with a column for each of at least two labels"
        )
    if ((on != 0) & (on != 1)).any():
        raise InputError(f"a label is {on[(on != 0) & (on != 1)][0]}; give 1 for on and 0 for off")
    if (on == on[0]).all():
        raise InputError("all examples have the same labels; give examples that differ")
    if len(rows) > 1 and (rows == rows[0]).all():
        raise InputError("all examples have the same features; give features that differ")
    return rows, on


def instances_of(
    observed: ArrayLike, truth: ArrayLike, proposal: Proposal | None = None
) -> list[Instance]:
    """Build one training instance for each example, all with the same named weights."""
    rows, on = check_examples(observed, truth)
    labels, width = on.shape[1], rows.shape[1]
    places = np.arange(labels * width)
    block = sparse.csr_array(
        (np.tile(rows[0], labels), places, np.arange(labels + 1) * width),
        shape=(labels, labels * width),
    )
    # zeros are stored: the rows of every example have one shape
    names = [f"label {i} x{k}" for i in range(labels) for k in range(width)]
    pairs = np.array(list(itertools.combinations(range(labels), 2)))
    kinds = [f"{i} and {j}" for i, j in pairs]
    first = unary(block, ["off", "on"], features=names, name="own")
    start = np.arange(labels + 1) * width
    table = first.table._replace(start=start, feature=places, value=np.zeros(places.size))
    shared = pairwise(pairs, ["off", "on"], kind=np.arange(len(pairs)), kinds=kinds, name="both")
    model = Model(first, shared)
    move = proposal or flip()
    instances = []
    for row, right in zip(rows, on, strict=True):
        own = copy.copy(model)
        filled = replace(first, table=table._replace(value=np.tile(row, labels)))
        own.templates = (filled, shared)
        instances.append(Instance(own, Labels.of(right, 2), hamming(right), move))
    return instances


class Exact:
    """Sums over all combinations of labels of a training set."""

    def __init__(self, observed: ArrayLike, truth: ArrayLike) -> None:
        self.rows, self.on = check_examples(observed, truth)
        self.labels = self.on.shape[1]
        self.every = combinations(self.labels)
        self.pairs = np.array(list(itertools.combinations(range(self.labels), 2)))
        self.joint = self.every[:, self.pairs[:, 0]] * self.every[:, self.pairs[:, 1]]
        self.true_joint = self.on[:, self.pairs[:, 0]] * self.on[:, self.pairs[:, 1]]

    def parts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Split the vector into own weights and pair weights."""
        cut = self.labels * self.rows.shape[1]
        return weights[:cut].reshape(self.labels, -1), weights[cut:]

    def made(self, weights: Floats) -> MultiLabel:
        """Build the classifier with these weights."""
        own, pairs = self.parts(weights)
        both = np.zeros((self.labels, self.labels))
        both[self.pairs[:, 0], self.pairs[:, 1]] = pairs
        return MultiLabel(own.copy(), both)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self.labels * self.rows.shape[1] + len(self.pairs)

    def statistics(self, rows: Floats, on: Any, joint: Any) -> Floats:
        """Sum the features of labelled examples."""
        return np.concatenate([(on.T @ rows).ravel(), joint.sum(0)])


def multilabel_likelihood(
    observed: ArrayLike, truth: ArrayLike, l2: float = 1.0, *, iterations: int = 100
) -> MultiLabel:
    """Train by exact maximum likelihood with L2, by L-BFGS over all combinations of labels."""
    aim = Exact(observed, truth)
    positive(l2, "l2")
    seen = aim.statistics(aim.rows, aim.on.astype(float), aim.true_joint)

    def value(weights: Floats) -> tuple[float, Floats]:
        own, pairs = aim.parts(weights)
        extra = aim.joint @ pairs
        total, slope = -float(weights @ seen), -seen
        for k in range(0, len(aim.rows), EXAMPLES_PER_BATCH):
            rows = aim.rows[k : k + EXAMPLES_PER_BATCH]
            scores = (rows @ own.T) @ aim.every.T + extra
            top = scores.max(1, keepdims=True)
            np.exp(scores - top, out=scores)
            sums = scores.sum(1, keepdims=True)
            scores /= sums
            total += float((np.log(sums) + top).sum())
            expected = aim.statistics(rows, scores @ aim.every, scores @ aim.joint)
            slope = slope + expected
        return total + 0.5 * l2 * float(weights @ weights), slope + l2 * weights

    options = {"maxiter": whole(iterations, "iterations")}
    fit = minimize(value, np.zeros(aim.size), jac=True, method="L-BFGS-B", options=options)
    return aim.made(fit.x)


def multilabel_svm(
    observed: ArrayLike,
    truth: ArrayLike,
    strength: float = 1e-4,
    *,
    epochs: int = 20,
    batch: int = 20,
    random_seed: int | None = None,
) -> MultiLabel:
    """Train by Pegasos with exact decoding, augmented by the Hamming loss; average the last half.

    Minimises strength / 2 |w|^2 + the mean hinge, on batches of examples.
    """
    aim = Exact(observed, truth)
    positive(strength, "strength")
    whole(epochs, "epochs")
    whole(batch, "batch")
    rng = generators(random_seed, 1)[0]
    n = len(aim.rows)
    steps = epochs * -(-n // batch)
    order: Sequence[int] = np.concatenate([rng.permutation(n) for _ in range(epochs)]).tolist()
    sums, mean = np.zeros(aim.size), np.zeros(aim.size)
    for step in range(1, steps + 1):
        own, pairs = aim.parts(sums / (strength * step))
        chosen = order[(step - 1) * batch : step * batch]
        rows, on = aim.rows[chosen], aim.on[chosen]
        guess = ((rows @ own.T + 1.0 - 2.0 * on) @ aim.every.T + aim.joint @ pairs).argmax(1)
        right = aim.statistics(rows, on.astype(float), aim.true_joint[chosen])
        sums += (right - aim.statistics(rows, aim.every[guess], aim.joint[guess])) / batch
        if 2 * step > steps:
            mean += sums / (strength * step)
    return aim.made(mean / (steps - steps // 2))
