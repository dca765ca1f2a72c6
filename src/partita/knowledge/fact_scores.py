"""Probabilities of facts from an embedding alone: log-odds calibrated on facts held out.

log-odds = b0 + b1 log p(tail | head, relation) + b2 log p(head | relation, tail)
         + b3 log(1 + tails of (head, relation)) + b4 log(1 + heads of (relation, tail)).
A query (head, relation, ?) has one cell for each entity. The regression weighs sampled false cells
by the cells that they stand for, so its probabilities are those of all cells of the queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from partita.kernel import Floats, Ints, Rng, logistic
from partita.knowledge.embeddings import Embedding
from partita.knowledge.triples import Triples

__all__ = ["UNCALIBRATED", "FactScores", "calibrate_scores", "fit_logistic", "label_share"]

FALSE_CELLS = 20
"""False cells sampled for each held-out fact and side. Origin: their noise is below that of the
facts themselves."""
RIDGE = 1e-3
"""Precision of the coefficients' prior, per unit. Origin: it only matters without data."""
UNCALIBRATED = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
"""Coefficients without facts to calibrate on: the log share of the tail as log-odds."""
EVIDENCE = 1
"""Place of the coefficient that is never below 0: the score of the embedding or of a model."""
MAX_LOG_ODDS = 12.0
"""Limit of calibrated log-odds: probabilities stay above 1 in 160,000."""


@dataclass(frozen=True, eq=False)
class FactScores:
    """An embedding with the coefficients that turn its scores into log-odds of facts."""

    triples: Triples
    embedding: Embedding
    coefficients: Floats

    def log_odds(self, facts: Ints) -> Floats:
        """Return the log-odds of facts: head, relation, tail."""
        features = fact_features(self.triples, self.embedding, facts)
        return np.clip(features @ self.coefficients, -MAX_LOG_ODDS, MAX_LOG_ODDS)


def fact_features(triples: Triples, embedding: Embedding, facts: Ints) -> Floats:
    """Return the features of the regression: facts by 5."""
    n, kinds = len(triples.entities), len(triples.relations)
    by_head = np.bincount(triples.facts[:, 1] * n + triples.facts[:, 0], minlength=n * kinds)[
        facts[:, 1] * n + facts[:, 0]
    ]
    by_tail = np.bincount(triples.facts[:, 1] * n + triples.facts[:, 2], minlength=n * kinds)[
        facts[:, 1] * n + facts[:, 2]
    ]
    counts = np.log1p(np.stack([by_head, by_tail], 1))
    return np.concatenate([np.ones((len(facts), 1)), embedding.log_shares(facts), counts], 1)


def calibrate_scores(
    triples: Triples,
    embedding: Embedding,
    hidden: Ints,
    known: Ints,
    labelling: tuple[float, float],
    rng: Rng,
) -> FactScores:
    """Fit the coefficients on facts that were held out of the embedding.

    Parameters
    ----------
    hidden
        True facts that were held out.
    known
        Keys of all observed facts, which are never false cells.
    labelling
        The share of absent true facts that are in `hidden`, and the shift (`label_share`).
    """
    n = len(triples.entities)
    cells, weights = [hidden], [np.ones(len(hidden))]
    for side in (0, 2):
        false = np.repeat(hidden, FALSE_CELLS, 0)
        false[:, side] = rng.integers(0, n, len(false))
        false = false[~np.isin(triples.keys(false), known)]
        cells.append(false)
        # both sides sample the same cells twice as often as needed
        weights.append(np.full(len(false), 0.5 * n / FALSE_CELLS))
    facts, weight = np.concatenate(cells), np.concatenate(weights)
    truth = np.arange(len(facts)) < len(hidden)
    features = fact_features(triples, embedding, facts)
    labelled, shift = labelling
    calibration = fit_logistic(features, truth, UNCALIBRATED, weight, RIDGE, labelled)
    calibration[0] += shift
    return FactScores(triples, embedding, calibration)


def fit_logistic(
    features: Any,
    truth: Any,
    start: Floats,
    weight: Floats | float,
    ridge: float,
    labelled: float = 1.0,
) -> Floats:
    """Fit a logistic regression with a Gaussian prior around `start`; features may be sparse.

    Only a share `labelled` of the true facts has the label true, at random: the others count as
    false ones (Elkan and Noto 2008), so P(label) = labelled * sigmoid(features . coefficients).
    """
    positive = np.asarray(truth, bool)

    def loss(coefficients: Floats) -> tuple[float, Floats]:
        scores = np.clip(features @ coefficients, -500, 500)
        p = logistic(scores)
        # log(1 - labelled p) = log(1 - labelled + labelled (1 - p)), stable where p is near 1
        rest = (1.0 - labelled) + labelled * logistic(-scores)
        cost = np.where(positive, np.logaddexp(0.0, -scores), -np.log(np.maximum(rest, 1e-300)))
        slope = np.where(positive, p - 1.0, labelled * p * (1.0 - p) / np.maximum(rest, 1e-300))
        change = coefficients - start
        value = float((weight * cost).sum() + 0.5 * (ridge * change**2).sum())
        return value, features.T @ (weight * slope) + ridge * change

    free, at_least_0 = (None, None), (0.0, None)
    bounds = [at_least_0 if k == EVIDENCE else free for k in range(len(start))]
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x)


def label_share(missing: float, hidden: float) -> tuple[float, float]:
    """Return the share of absent true facts that hiding labels, and log-odds of the shift back.

    Of all true facts a share `missing` is absent from the input, and learning hides a share
    `hidden` of the others: these have labels. Hiding multiplies the number of absent true facts,
    and the shift takes that factor back.
    """
    labelled = hidden * (1.0 - missing)
    return labelled / (missing + labelled), -float(np.log1p(labelled / missing))
