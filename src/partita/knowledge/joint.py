"""Joint links of rows: rows that are one entity have one link.

The state is a partition of the rows. Its model has the scored pairs of rows (as in `resolve`) and
the collapsed link factor, so that rows merge because they resemble each other, or because one
record of the reference explains them all. Only rows with an uncertain link, and the rows that
they may be one entity with, are sampled; the link of every other row has a closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from partita.factors import collapsed_link
from partita.kernel import Floats, Ints
from partita.knowledge.candidates import UNLISTED, Candidates, link_probabilities
from partita.linkage.inference.chains import ChainPlan
from partita.linkage.inference.sampling import sample_uncertain
from partita.linkage.inference.search import Problem
from partita.linkage.inference.uncertain import find_uncertain
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LEAST, LINKED
from partita.linkage.settings import Settings
from partita.posterior import Posterior
from partita.states import Partition

__all__ = [
    "JointLinks",
    "RowPairs",
    "calibrate_row_pairs",
    "find_uncertain_rows",
    "sample_links",
    "share_candidates",
    "summarise_rows",
]

SETTLED = 0.99
"""Probability from which the link of a row, or NIL, is settled by the row alone."""
MIN_SHARED = 0.01
"""Probability from which a candidate of a row is compared with rows that may be its entity."""

DRAWS = 40
"""Draws of a chain: links are averages of exact P(link | entity), which need few."""


class RowPairs(NamedTuple):
    """Scored pairs of rows."""

    pairs: Ints
    scores: Floats


class JointLinks(NamedTuple):
    """Probabilities of links, rows by records, and the sampled partitions of some rows."""

    probabilities: scipy.sparse.csr_array
    active: Ints
    """The rows that were sampled."""
    posterior: Posterior | None
    """None where no row is uncertain."""


def find_uncertain_rows(probabilities: scipy.sparse.csr_array) -> Ints:
    """Rows for which neither one link nor NIL is settled."""
    best, nil = summarise_rows(probabilities)
    return np.flatnonzero(np.maximum(best, nil) < SETTLED)


def summarise_rows(probabilities: scipy.sparse.csr_array) -> tuple[Floats, Floats]:
    """The largest link probability of each row, and P(NIL)."""
    best = np.zeros(probabilities.shape[0])
    counts = np.diff(probabilities.indptr)
    if (counts > 0).any():
        starts = probabilities.indptr[:-1][counts > 0]
        best[counts > 0] = np.maximum.reduceat(probabilities.data, starts)
    nil = 1.0 - np.asarray(probabilities.sum(1)).reshape(-1)
    return best, np.clip(nil, 0.0, 1.0)


def calibrate_row_pairs(
    row_pairs: RowPairs, probabilities: scipy.sparse.csr_array
) -> tuple[float, float]:
    """Slope and intercept that turn scores of pairs of rows into log-odds of one entity.

    Two rows with the same settled link are one entity, and two with different links are not: a
    logistic regression on such pairs. Without them no rows merge, because the scores alone cannot
    show whether the rows contain duplicates.
    """
    record = np.full(probabilities.shape[0], -1)
    largest = probabilities.data >= SETTLED
    row = np.repeat(np.arange(record.size), np.diff(probabilities.indptr))
    record[row[largest]] = probabilities.indices[largest]
    known = (record[row_pairs.pairs] >= 0).all(1)
    same = record[row_pairs.pairs[known, 0]] == record[row_pairs.pairs[known, 1]]
    return fit_row_pairs(row_pairs.scores[known], same)


def fit_row_pairs(scores: Floats, labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and intercept of a logistic regression on scores, with a slope between 0 and 1.

    One pseudo-pair of each label keeps both finite; that of a match has the largest score.
    """
    x = np.append(scores, [scores.max(initial=0.0)] * 2)
    y = np.append(labels, [True, False])

    def loss(parameters: Floats) -> float:
        z = parameters[0] * x + parameters[1]
        return float(np.mean(np.logaddexp(0.0, z) - y * z))

    fit = scipy.optimize.minimize(
        loss, np.array([1.0, 0.0]), bounds=[(0.0, 1.0), (None, None)], method="L-BFGS-B"
    )
    return float(fit.x[0]), float(fit.x[1])


def share_candidates(
    candidates: Candidates,
    probabilities: scipy.sparse.csr_array,
    pairs: Ints,
    score: Callable[[Ints, Ints], Floats],
) -> Candidates:
    """Compare rows with the likely candidates of the rows that they may be one entity with.

    `score(rows, records)` is s of rows and records of the reference.
    """
    likely = probabilities.copy()
    likely.data = (likely.data > MIN_SHARED).astype(float)
    likely.eliminate_zeros()
    n = probabilities.shape[0]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    links = scipy.sparse.csr_array((np.ones(len(both)), both.T), shape=(n, n))
    reached = scipy.sparse.csr_array(links @ likely).tocoo()
    key = reached.row.astype(np.int64) * probabilities.shape[1] + reached.col
    known = candidates.scores.tocoo()
    key = np.setdiff1d(key, known.row.astype(np.int64) * probabilities.shape[1] + known.col)
    rows, records = np.divmod(key, probabilities.shape[1])
    if not key.size:
        return candidates
    scores = np.maximum(score(rows, records), UNLISTED)
    scores = np.where(scores == 0.0, np.finfo(float).tiny, scores)
    added = scipy.sparse.csr_array((scores, (rows, records)), shape=probabilities.shape)
    return candidates._replace(scores=scipy.sparse.csr_array(candidates.scores + added))


def sample_links(
    candidates: Candidates,
    probabilities: scipy.sparse.csr_array,
    row_pairs: RowPairs,
    settings: Settings,
    progress: bool,
) -> JointLinks:
    """Sample partitions of the uncertain rows and their neighbours; average P(link | entity)."""
    linked = row_pairs.pairs[row_pairs.scores > LINKED]
    is_uncertain = np.zeros(probabilities.shape[0], bool)
    is_uncertain[find_uncertain_rows(probabilities)] = True
    near = linked[is_uncertain[linked].any(1)]
    active = np.unique(near)
    if not active.size:
        return JointLinks(probabilities, active, None)
    place = np.full(probabilities.shape[0], -1)
    place[active] = np.arange(active.size)
    mask = (place[row_pairs.pairs] >= 0).all(1) & (row_pairs.scores > LEAST)
    own = candidates.select(active)
    problem = _make_problem(own, place[row_pairs.pairs[mask]], row_pairs.scores[mask])
    model = problem.pair_model()
    start = Partition.singletons(active.size)
    best = problem.search(model, start, seed=settings.seed)
    uncertain = find_uncertain(problem, model, best, settings.seed)
    settings = replace(settings, draws=settings.draws or DRAWS)
    plan = ChainPlan(problem, best, uncertain, Partition.of, settings, progress)
    posterior = sample_uncertain(model, plan)
    return JointLinks(
        _replace_rows(probabilities, active, _average(own, posterior)), active, posterior
    )


def _make_problem(candidates: Candidates, pairs: Ints, scores: Floats) -> Problem:
    """The inference problem of rows: scored pairs and the collapsed link factor."""
    used = np.unique(candidates.scores.indices)
    matrix = scipy.sparse.csr_array(candidates.scores[:, used])
    # a record that no row lists has the same score for all rows, so that one stands for all
    others = candidates.share - candidates.prior * used.size
    prior = np.full(used.size, candidates.prior)
    if others > 0:
        prior = np.append(prior, others)
        matrix = scipy.sparse.csr_array(
            (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], used.size + 1)
        )
    template = collapsed_link(
        matrix, prior, 1 - float(prior.sum()), unlisted=UNLISTED, storage="sparse"
    )
    return Problem(ActiveIds(pairs), scores, matrix.shape[0], (template,))


def _average(candidates: Candidates, posterior: Posterior) -> scipy.sparse.csr_array:
    """The mean of P(link | entity) over draws, rows by records."""
    draws = posterior.draws
    flat = draws.reshape(-1, draws.shape[2])
    total = scipy.sparse.csr_array(candidates.scores.shape)
    for draw in flat:
        labels = np.unique(draw, return_inverse=True)[1].reshape(-1)
        total = total + link_probabilities(candidates, labels)[labels]
    return scipy.sparse.csr_array(total / len(flat))


def _replace_rows(
    matrix: scipy.sparse.csr_array, rows: Ints, values: scipy.sparse.csr_array
) -> scipy.sparse.csr_array:
    """A sparse matrix with some rows replaced."""
    diagonal = np.ones(matrix.shape[0])
    diagonal[rows] = 0.0
    places = scipy.sparse.csr_array(
        (np.ones(rows.size), (rows, np.arange(rows.size))), shape=(matrix.shape[0], rows.size)
    )
    replaced = scipy.sparse.csr_array(scipy.sparse.diags_array(diagonal) @ matrix + places @ values)
    replaced.eliminate_zeros()
    replaced.sort_indices()
    return replaced
