"""Maximum likelihood of a linear chain with L2, by L-BFGS on the exact gradient."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from partita.chains.lattice import score_tokens, spread
from partita.chains.sequences import Task
from partita.chains.tagger import Tagger
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.states.checks import whole

__all__ = ["Likelihood", "maximum_likelihood"]


class Likelihood:
    """Minus log-likelihood of the training sequences plus l2 / 2 |w|^2, with its gradient."""

    def __init__(self, task: Task, l2: float) -> None:
        self.sequences, self.l2 = task.sequences, l2
        self.labels = len(task.encoder.labels)
        self.shape = (task.encoder.width, self.labels)
        self.matrix = self.sequences.matrix(task.encoder.width)
        self.turned = self.matrix.T.tocsr()
        truth = np.eye(self.labels)[self.sequences.label]
        self.seen = self.turned @ truth
        self.neighbours = pairs_of(self.sequences.label, self.sequences.start, self.labels)
        self.scores = np.zeros((self.sequences.row.size - 1, self.labels))
        self.marginals = np.zeros_like(self.scores)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """Value and gradient at a weight vector: emissions, then transitions."""
        emission, transition = self.parts(weights)
        found = self.sequences
        score_tokens(found.row, found.attribute, found.value, emission, self.scores)
        pairs = np.zeros((self.labels + 1, self.labels))
        log_z = spread(found.start, self.scores, np.exp(transition), self.marginals, pairs)
        right = (emission * self.seen).sum() + (transition * self.neighbours).sum()
        value = log_z - right + 0.5 * self.l2 * float(weights @ weights)
        slope = np.concatenate(
            [
                (self.turned @ self.marginals - self.seen).ravel(),
                (pairs[:-1] - self.neighbours).ravel(),
            ]
        )
        return float(value), slope + self.l2 * weights

    def parts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Emission and transition weights, as matrices."""
        cut = self.shape[0] * self.labels
        return weights[:cut].reshape(self.shape), weights[cut:].reshape(self.labels, self.labels)


def pairs_of(label: Ints, start: Ints, labels: int) -> Floats:
    """How often each pair of labels stands side by side."""
    joined = np.ones(max(0, label.size - 1), bool)
    inner = start[1:-1]
    joined[inner[(inner > 0) & (inner < label.size)] - 1] = False
    codes = (label[:-1] * labels + label[1:])[joined]
    return np.bincount(codes, minlength=labels * labels).reshape(labels, labels).astype(float)


def maximum_likelihood(
    task: Task, l2: float = 1.0, *, iterations: int = 200, tolerance: float = 1e-5
) -> Tagger:
    """The weights of largest likelihood under a Gaussian prior of variance 1 / l2.

    Parameters
    ----------
    iterations, tolerance
        L-BFGS ends after so many iterations, or when one gains less than this share.
    """
    number = isinstance(l2, int | float) and not isinstance(l2, bool)
    if not number or not 0 <= l2 < np.inf:
        raise InputError(f"l2 is {l2!r}; give a number of at least 0")
    whole(iterations, "iterations")
    aim = Likelihood(task, float(l2))
    start = np.zeros(aim.shape[0] * aim.labels + aim.labels**2)
    found = minimize(
        aim,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "ftol": tolerance, "maxcor": 6},
    )
    emission, transition = aim.parts(found.x)
    about = {"learner": "maximum likelihood", "l2": l2, "iterations": int(found.nit)}
    return Tagger(task.encoder, emission.copy(), transition.copy(), about)
