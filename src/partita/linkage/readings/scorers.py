"""Scores of pairs by the pretrained prior and by cross-fitted weights, fitted to one file.

The prior's log-odds are soft labels of two EM steps on the file's own comparison levels; the mean
of the labels and of the estimated weights is the score by the prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints
from partita.linkage.pairwise.crossfit import CrossFit, WeightedLevels, cross_fit
from partita.linkage.pairwise.level_rates import LevelWeights, estimate_weights
from partita.linkage.pairwise.model import (
    PairScores,
    list_term_frequencies,
    score_term_frequency,
)
from partita.linkage.pairwise.pruning import SLICE
from partita.linkage.pairwise.random_pairs import count_all_pairs
from partita.linkage.pairwise.term_frequency import exact_agreement
from partita.linkage.readings.competitors import Competitors
from partita.linkage.readings.features import FeatureTables
from partita.linkage.readings.prior import Prior
from partita.linkage.readings.sample import CandidateSample
from partita.linkage.readings.trees import Trees, predict

__all__ = [
    "PooledScorer",
    "PriorFit",
    "PriorWeights",
    "ShiftedScorer",
    "fit_columns",
    "fit_prior",
    "tabulate_features",
]

LIMIT = 8.0
"""Log-odds (nats) that one reading gives a pair at most.
Origin: 19 labelled sets, one domain left out at a time."""
LABEL_SHARE = 0.5
"""Share of the prior's own log-odds in its score.
Origin: 19 labelled sets, one domain left out at a time."""
SINGLE_LABEL_SHARE = 0.25
"""The same share where one column is compared: trees find too many matches in families of similar
names, which the weights of levels account for by competitors. Origin: 16 single text columns, one
domain left out at a time; .5 is .02 lower in F1 on lists of names and .03 higher on titles."""
PRIOR_SHARE = 2 / 3
"""Share of the prior's score beside cross-fitted weights: two of three parts, which are the trees,
the weights that EM derives from them, and the cross-fitted weights.
Origin: abt_buy, amazon_google, chicago_early_childhood and cddb, one domain left out at a time."""
EM_STEPS = 2
"""Steps of EM from the soft labels of the prior.
Origin: 19 labelled sets, one domain left out at a time."""


class PriorWeights(NamedTuple):
    """The prior on a file: features, trees, and weights of levels that EM derives from them."""

    tables: FeatureTables
    trees: Trees
    weights: LevelWeights
    label_share: float = LABEL_SHARE
    """The share of the trees in the score; the rest is that of the weights."""
    zero: float = 0.0
    """Log-odds that count as even."""

    def label(self, pairs: Ints, levels: NDArray[np.int8]) -> Floats:
        """The log-odds of pairs by the trees."""
        # the features of a pair take some hundred bytes, so that not all pairs have them at once
        parts = [
            predict(
                self.trees, self.tables.features(pairs[at : at + SLICE], levels[at : at + SLICE])
            )
            for at in range(0, len(pairs), SLICE)
        ]
        return _limit(np.concatenate([*parts, np.zeros(0)]))

    def score(self, pairs: Ints, levels: NDArray[np.int8]) -> Floats:
        """The log-odds of pairs: the mean of the trees and of the weights."""
        return self.combine(pairs, self.label(pairs, levels), levels)

    def combine(self, pairs: Ints, labels: Floats, levels: NDArray[np.int8]) -> Floats:
        """The log-odds of pairs, given those of the trees."""
        by_levels = _limit(self.weights.score(levels))
        return self.label_share * labels + (1 - self.label_share) * by_levels - self.zero


class PriorFit(NamedTuple):
    """The prior fitted to a file, with the log-odds of the sample that it was fitted to."""

    weights: PriorWeights
    labels: Floats
    """By the trees alone."""
    log_odds: Floats
    """By the trees and the weights of the file's own levels."""


@dataclass(frozen=True, eq=False)
class PooledScorer:
    """The log-odds of the prior; with several columns, their mean with those of cross-fitting."""

    prior: PriorWeights
    columns: CrossFit | None

    def score(self, pairs: Ints, scores: PairScores) -> PairScores:
        """The scores of pairs, given those of the pairwise model."""
        total = _limit(self.prior.score(pairs, scores.levels))
        if self.columns is not None:
            crossed = _limit(self.columns.score(scores.levels, scores.term_frequency))
            total = PRIOR_SHARE * total + (1 - PRIOR_SHARE) * crossed
        return scores.read_as(total)


@dataclass(frozen=True, eq=False)
class ShiftedScorer:
    """The scores of EM with another zero."""

    zero: float
    """Log-odds (nats) that count as even."""

    def score(self, pairs: Ints, scores: PairScores) -> PairScores:
        """The scores of pairs, given those of the pairwise model."""
        return scores.read_as(scores.total - self.zero)


def tabulate_features(sample: CandidateSample, rows: Ints | None = None) -> FeatureTables:
    """The statistics of the file from which features of pairs, or of pairs of `rows`, come."""
    types, random = sample.comparisons.column_types, sample.random.levels
    return FeatureTables(
        sample.columns, types, sample.sizes, random, rows, weights=sample.column_weights
    )


def fit_prior(sample: CandidateSample, prior: Prior, tables: FeatureTables) -> PriorFit:
    """Fit the weights of the file's own levels to the prior; score the sample by both."""
    levels, sizes = sample.scores.levels, sample.sizes
    trees = prior.dedupe if sample.source is None else prior.link
    fit = PriorWeights(tables, trees, LevelWeights([], 0.0))
    pairs, labels = sample.pairs, fit.label(sample.pairs, levels)
    targets = labels
    if len(sizes) == 1:
        fit, targets = _fit_column(sample, fit, labels)
    log_odds = targets
    for _ in range(EM_STEPS):
        fit = fit._replace(weights=estimate_weights(levels, sizes, log_odds, sample.column_weights))
        log_odds = LABEL_SHARE * targets + (1 - LABEL_SHARE) * _limit(fit.weights.score(levels))
    return PriorFit(fit, labels, fit.combine(pairs, labels, levels))


def _fit_column(
    sample: CandidateSample, fit: PriorWeights, labels: Floats
) -> tuple[PriorWeights, Floats]:
    """The prior of one column, with the targets of the pairs that EM is fitted to.

    Only records of one source can be a family of similar names. Where pairs within a source are
    no candidates, no competitors lower the targets.
    """
    pairs = sample.pairs
    if sample.source is not None:
        return fit, labels
    competitors = Competitors.of(pairs, labels, fit.tables.n)
    targets = _limit(labels + competitors.adjustment(pairs, labels))
    return fit._replace(label_share=SINGLE_LABEL_SHARE), targets


def fit_columns(sample: CandidateSample) -> CrossFit | None:
    """Fit cross-fitted weights; random pairs stand for all pairs that are no candidates."""
    n = sample.comparisons.n
    key = np.sort(sample.random.pairs, axis=1) @ np.array([n, 1])
    apart = ~np.isin(key, np.sort(sample.pairs, axis=1) @ np.array([n, 1]))
    drawn, random = sample.random.pairs[apart], sample.random.levels[apart]
    others = count_all_pairs(n, sample.source) - len(sample.pairs) / sample.share
    candidate, other = 1 / sample.share, max(others, 1.0) / max(len(drawn), 1)
    common = [exact_agreement(column.codes) for column in sample.comparisons.columns]
    frequencies = list_term_frequencies(sample.comparisons, common, sample.column_weights)
    adjustment = score_term_frequency(sample.comparisons, frequencies, drawn, random)
    data = WeightedLevels(
        np.concatenate([sample.scores.levels, random]),
        np.concatenate([sample.scores.term_frequency, adjustment]),
        np.repeat([candidate, other], [len(sample.pairs), len(drawn)]),
    )
    return cross_fit(data, sample.sizes, sample.column_weights)


def _limit(log_odds: Floats) -> Floats:
    return np.clip(log_odds, -LIMIT, LIMIT)
