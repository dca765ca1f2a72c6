"""Maximum likelihood of a linear chain with L2, by L-BFGS on the exact gradient."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.states.checks import whole
from partita.text.sequences.encoding import Task, check_labelled
from partita.text.sequences.lattice import compute_marginals, score_tokens
from partita.text.sequences.observed import followers, seen_pairs, unfold
from partita.text.sequences.tagger import Tagger

__all__ = ["Likelihood", "maximum_likelihood"]


class Likelihood:
    """Minus log-likelihood of the training sequences plus l2 / 2 |w|^2, with its gradient.

    With `observed`, pairs of neighbouring labels have weights for each attribute, too.
    """

    def __init__(self, task: Task, l2: float, observed: bool = False) -> None:
        check_labelled(task)
        self.sequences, self.l2 = task.sequences, l2
        self.labels = len(task.encoder.labels)
        self.shape = (task.encoder.width, self.labels)
        self.matrix = self.sequences.matrix(task.encoder.width)
        self.turned = self.matrix.T.tocsr()
        truth = np.eye(self.labels)[self.sequences.label]
        sequences, tokens = self.sequences, self.sequences.label.size
        self.scores = np.zeros((tokens, self.labels))
        self.marginals = np.zeros_like(self.scores)
        self.listed = seen_pairs(task) if observed else None
        self.pairs = np.zeros((tokens if observed else 1, self.labels, self.labels))
        self.true = np.concatenate(
            [
                (self.turned @ truth).ravel(),
                pairs_of(sequences.label, sequences.start, self.labels).ravel(),
            ]
        )
        if observed:
            inside = np.flatnonzero(followers(sequences.start)[:-1])
            self.pairs[inside, sequences.label[inside - 1], sequences.label[inside]] = 1.0
            self.true = np.concatenate([self.true, self._by_attribute()])

    def _by_attribute(self) -> Floats:
        """Sum the tokens' pairs over their attributes."""
        return np.asarray(self.turned @ self.pairs.reshape(len(self.pairs), -1)).ravel()[
            self.listed
        ]

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Return value and gradient at a weight vector: emissions, transitions, observed pairs."""
        emission, transition, observed = self.parts(weights)
        sequences = self.sequences
        score_tokens(sequences.row, sequences.attribute, sequences.value, emission, self.scores)
        steps = transition[None]
        if observed is not None:
            more = self.matrix @ observed.reshape(self.shape[0], -1)
            steps = transition + more.reshape(-1, self.labels, self.labels)
        self.pairs[...] = 0.0
        share = np.zeros(self.labels)
        log_z = compute_marginals(
            sequences.start, self.scores, np.exp(steps), self.marginals, self.pairs, share
        )
        parts = [(self.turned @ self.marginals).ravel(), self.pairs.sum(0).ravel()]
        if observed is not None:
            parts.append(self._by_attribute())
        expected = np.concatenate(parts)
        value = log_z - weights @ self.true + 0.5 * self.l2 * float(weights @ weights)
        return float(value), expected - self.true + self.l2 * weights

    def parts(self, weights: Floats) -> tuple[Floats, Floats, Floats | None]:
        """Return emission and transition weights as matrices, and those of observed pairs."""
        cut = self.shape[0] * self.labels
        last = cut + self.labels**2
        emission = weights[:cut].reshape(self.shape)
        transition = weights[cut:last].reshape(self.labels, self.labels)
        if self.listed is None:
            return emission, transition, None
        return emission, transition, unfold(weights[last:], self.listed, *self.shape)


def pairs_of(label: Ints, start: Ints, labels: int) -> Floats:
    """Count how often each pair of labels is adjacent."""
    joined = np.ones(max(0, label.size - 1), bool)
    inner = start[1:-1]
    joined[inner[(inner > 0) & (inner < label.size)] - 1] = False
    codes = (label[:-1] * labels + label[1:])[joined]
    return np.bincount(codes, minlength=labels * labels).reshape(labels, labels).astype(float)


def maximum_likelihood(
    task: Task,
    l2: float = 1.0,
    *,
    observed: bool = False,
    iterations: int = 200,
    tolerance: float = 1e-5,
) -> Tagger:
    """Train by maximum likelihood under a Gaussian prior of variance 1 / l2.

    Parameters
    ----------
    observed
        Whether pairs of neighbouring labels have weights for each attribute of the right one.
    iterations, tolerance
        L-BFGS ends after this number of iterations, or when one gains less than this share.
    """
    number = isinstance(l2, int | float) and not isinstance(l2, bool)
    if not number or not 0 <= l2 < np.inf:
        raise InputError(f"l2 is {l2!r}; give a number of at least 0")
    whole(iterations, "iterations")
    aim = Likelihood(task, float(l2), observed)
    start = np.zeros(aim.true.size)
    fit = minimize(
        aim,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "ftol": tolerance, "maxcor": 6},
    )
    emission, transition, pairs = aim.parts(fit.x)
    about = {"learner": "maximum likelihood", "l2": l2, "iterations": int(fit.nit)}
    return Tagger(task.encoder, emission.copy(), transition.copy(), about, pairs)
