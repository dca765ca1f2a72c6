"""Candidates of rows in a reference: scores, the share of rows without a link, probabilities.

    odds(z : NIL | row) = pi_z / pi_nil * exp(s(row, z)),    pi_z = rho / (number of records)

rho is the share of rows that have a link. Where the weights of EM score the pairs, one-dimensional
EM over the rows estimates rho. The log-odds of another reading contain a prior already; their zero
is that of second-best candidates, and rho is the mean probability of a link. Present and absent
values of a row then shift all its scores (`weigh_presence`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, logistic
from partita.linkage.pairwise.em import iterate_em
from partita.linkage.readings.second_best import find_second_best_zero

__all__ = [
    "UNLISTED",
    "Candidates",
    "estimate_link_share",
    "link_probabilities",
    "list_candidates",
    "weigh_candidates",
    "weigh_presence",
]

MAX_LINK_SHARE = 1 - 1e-4
"""Share of rows with a link at most: NIL stays possible where every row has a good candidate."""
MAX_STEPS = 500
"""Steps of the one-dimensional EM at most; it has one maximum."""
TOLERANCE = 1e-6
"""Change of the share at which EM has converged."""
ROW_TOLERANCE = 1e-3
"""Change of P(link) of a row at which EM over present values has converged."""
PRIOR_ROWS = 10.0
"""Rows with a link, and rows without, that the prior on the share of present values counts as."""
UNLISTED = -12.0
"""Score (nats) of a record that is no candidate of a row with candidates: blocking or pruning
rejected it, so that only other rows of the entity can make it the link."""


class Candidates(NamedTuple):
    """Scores of rows and records of the reference, and the prior of a link."""

    scores: scipy.sparse.csr_array
    """s(row, z): rows by records; cells that are not stored are no candidates."""
    share: float
    """rho, the share of rows with a link."""
    offset: float
    """s is the log-odds of a pair, by the reading, minus this number of nats."""

    @property
    def prior(self) -> float:
        """pi of each record of the reference."""
        return self.share / self.scores.shape[1]

    @property
    def base(self) -> float:
        """log(pi_z / pi_nil)."""
        return float(np.log(self.prior / (1 - self.share)))

    def select(self, rows: Ints) -> Candidates:
        """The candidates of some rows."""
        return self._replace(scores=self.scores[rows])


def list_candidates(
    row: Ints, reference: Ints, scores: Floats, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    """Scores by row and record; of several forms of a record, the best one counts."""
    key = row.astype(np.int64) * shape[1] + reference
    order = np.lexsort((-scores, key))
    first = order[np.append(True, key[order][1:] != key[order][:-1])] if key.size else order
    # a score of exactly 0 must stay a stored cell
    values = np.where(scores[first] == 0.0, np.finfo(float).tiny, scores[first])
    matrix = scipy.sparse.csr_array((values, (row[first], reference[first])), shape=shape)
    matrix.sort_indices()
    return matrix


def estimate_link_share(scores: scipy.sparse.csr_array) -> float:
    """Estimate rho by EM over the rows, from likelihood ratios of their candidates."""
    evidence = sum_exponentials(scores) - np.log(scores.shape[1])

    def update(share: float) -> float:
        return _mean_share(logistic(evidence + _log_odds(share)))

    share, _, _ = iterate_em(
        update, 0.5, lambda before, after: abs(after - before) < TOLERANCE, MAX_STEPS
    )
    return share


def weigh_candidates(
    log_odds: scipy.sparse.csr_array, prior: float, is_calibrated: bool
) -> Candidates:
    """Scores and rho from log-odds of pairs; calibrated log-odds get the zero of second-best ones.

    `prior` is the prior log-odds of a pair in log-odds that are not calibrated.
    """
    scores = log_odds.copy()
    if not is_calibrated:
        scores.data = scores.data - prior
        return Candidates(scores, estimate_link_share(scores), prior)
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    pairs = np.stack([rows, scores.indices + scores.shape[0]], 1)
    source = np.repeat([0, 1], scores.shape)
    zero = find_second_best_zero(pairs, scores.data, source, side=0)
    scores.data = scores.data - zero
    linked = logistic(sum_exponentials(scores))
    share = _mean_share(linked)
    base = Candidates(scores, share, 0.0).base
    scores.data = scores.data - base
    return Candidates(scores, share, zero + base)


def weigh_presence(candidates: Candidates, has_value: NDArray[np.bool_]) -> Candidates:
    """Count present and absent values as evidence for or against NIL.

    Rows whose entity the reference lacks often lack the columns that name an entity. EM over the
    rows estimates, for rows with a link and for the others, the share that has a value in each
    column (`has_value`: rows by columns). A column that both fill equally often has no weight.
    """
    evidence = sum_exponentials(candidates.scores) - np.log(candidates.scores.shape[1])
    present = has_value.astype(float)
    overall = np.clip(present.mean(0), 1e-3, 1 - 1e-3)

    def compare(linked: Floats) -> Floats:
        """The log-likelihood ratio of the present and absent values of each row."""
        ratio = np.zeros(len(present))
        for weight, sign in ((linked, 1.0), (1.0 - linked, -1.0)):
            rate = (weight @ present + PRIOR_ROWS * overall) / (weight.sum() + PRIOR_ROWS)
            ratio += sign * (present @ np.log(rate) + (1.0 - present) @ np.log(1.0 - rate))
        return ratio

    def update(linked: Floats) -> Floats:
        return logistic(evidence + _log_odds(_mean_share(linked)) + compare(linked))

    start = logistic(evidence + _log_odds(candidates.share))
    linked, _, _ = iterate_em(
        update,
        start,
        lambda before, after: bool(np.abs(after - before).max() < ROW_TOLERANCE),
        MAX_STEPS,
    )
    scores = candidates.scores.copy()
    scores.data = scores.data + np.repeat(compare(linked), np.diff(scores.indptr))
    return candidates._replace(scores=scores, share=_mean_share(linked))


def _mean_share(linked: Floats) -> float:
    """The share of rows with a link, from P(link) of each row, inside the limits of rho."""
    return float(np.clip(linked.mean(), 1 / (linked.size + 1), MAX_LINK_SHARE))


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def sum_exponentials(scores: scipy.sparse.csr_array) -> Floats:
    """log of the sum of exp(score) of each row; -inf for a row without candidates."""
    counts = np.diff(scores.indptr)
    total = np.full(counts.size, -np.inf)
    filled = counts > 0
    if not filled.any():
        return total
    starts = scores.indptr[:-1][filled]
    largest = np.maximum.reduceat(scores.data, starts)
    shifted = np.exp(scores.data - np.repeat(largest, counts[filled]))
    total[filled] = largest + np.log(np.add.reduceat(shifted, starts))
    return total


def link_probabilities(
    candidates: Candidates, labels: Ints | None = None
) -> scipy.sparse.csr_array:
    """P(link | entity) of every entity and record; the rest of each row of the matrix is P(NIL).

    `labels` are the entities of the rows, 0, 1, ...; without them each row is one. The evidence of
    an entity is the mean of its rows with candidates: rows of one person resemble the same relative
    of it, so that their sum would make the relative certain.
    """
    scores, has_candidate = candidates.scores, np.diff(candidates.scores.indptr) > 0
    sums, mass = scores, np.where(has_candidate, UNLISTED, 0.0)
    if labels is not None:
        n = labels.size
        members = scipy.sparse.csr_array((np.ones(n), (labels, np.arange(n))))
        lifted = scores.copy()
        lifted.data = lifted.data - UNLISTED
        sums = scipy.sparse.csr_array(members @ lifted)
        mass = np.bincount(labels, mass)
        sums.data = sums.data + np.repeat(mass, np.diff(sums.indptr))
        size = np.maximum(np.bincount(labels, has_candidate), 1.0)
        sums.data = sums.data / np.repeat(size, np.diff(sums.indptr))
        mass = mass / size
    weights = sums.copy()
    weights.data = weights.data + candidates.base
    # records that no member lists share one term of the sum
    rest = np.log(
        np.maximum(1 - candidates.prior / candidates.share * np.diff(sums.indptr), 1e-300)
    )
    rest += mass + _log_odds(candidates.share)
    rest = np.where(mass < 0, rest, -np.inf)
    total = np.logaddexp(np.logaddexp(sum_exponentials(weights), 0.0), rest)
    weights.data = np.exp(weights.data - np.repeat(total, np.diff(weights.indptr)))
    return weights
