"""The choice between readings of a file.

A reading scores pairs by weights of its own: those of EM, cross-fitted weights, or the pretrained
prior. EM is kept where one of the others agrees with it. Where neither does, EM has found another
class of pairs than matches, and the weighted mean of the log-odds of the other two replaces it. In
links between two sources the prior alone replaces it, if second-best candidates set the zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.pairwise.crossfit import CrossFit
from partita.linkage.pairwise.scored_pairs import PairScorer
from partita.linkage.readings.prior import Prior
from partita.linkage.readings.sample import CandidateSample
from partita.linkage.readings.scorers import (
    PooledScorer,
    PriorFit,
    ShiftedScorer,
    fit_columns,
    fit_prior,
    tabulate_features,
)
from partita.linkage.readings.second_best import find_second_best_zero

__all__ = ["NO_MATCH", "Reading", "choose_reading", "measure_agreement"]

NO_MATCH = "no reading of the file finds a match"
"""The reason for a reading where there is no agreement to measure."""

MIN_AGREEMENT = 0.75
"""Agreement of EM with another reading from which EM is kept. Origin: all sets of the panel and
generated people in view; EM is kept there from .79 on, and replaced up to .69."""
EARLY_SAMPLES = (5_000, 40_000)
"""Pairs of the first samples. A limit of CPU seconds: words of their records only are read."""
EARLY_ERRORS = 2.0
"""Standard errors by which the agreement of a first sample differs from MIN_AGREEMENT at least
where it decides without a larger sample. Origin: 95 % confidence."""
MIN_SHARED = 0.05
"""Agreement with the prior below which cross-fitted weights do not count: there are no matches for
them to find. Origin: a choice; RLdata10000 and fake_1000 with one record of each entity have 0,
amazon_google has .17."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The chosen reading of a file."""

    name: str
    """"em", "prior", "pooled" (a mean of the prior and of cross-fitted weights), "mentions",
    "words" or "trained"."""
    why: str
    agreement: dict[str, float]
    """Agreement of two readings on the candidates (F1 of their matches), by their names."""
    scorer: PairScorer | None = None
    """The scorer of candidates; None where the scores of EM are kept as they are."""

    @property
    def has_second_best_zero(self) -> bool:
        """Whether the prior scores links one to one whose zero second-best candidates set."""
        return isinstance(self.scorer, PooledScorer) and self.scorer.prior.zero != 0.0

    @property
    def is_new(self) -> bool:
        """Whether other weights than those of EM score the pairs."""
        return self.name in ("prior", "pooled")


def choose_reading(sample: CandidateSample, prior: Prior, required: str = "auto") -> Reading:
    """Choose the reading: EM where another one agrees, else a mean of the others."""
    if required == "em" or not len(sample.pairs):
        why = "the settings require it" if required == "em" else "there are no candidate pairs"
        return Reading("em", why, {})
    em = sample.scores.total
    agreed = _measure_early(sample, prior) if required == "auto" else None
    if agreed is not None and agreed >= MIN_AGREEMENT:
        return _keep_em(sample, "the pretrained prior", {"em-prior": agreed})
    # where EM will hardly be kept, the scorer needs the words of all candidates
    rows = _sampled_rows(sample) if agreed is None else None
    fitted = fit_prior(sample, prior, tabulate_features(sample, rows))
    other = fitted.log_odds
    agreement = _drop_unknown({"em-prior": _measure_prior(sample, fitted)})
    if len(sample.sizes) == 1:
        why = "one column is compared, so that no second column can confirm a match"
        return Reading("prior", why, agreement, _pool(sample, fitted, None))
    if required == "auto" and agreement.get("em-prior", 0.0) >= MIN_AGREEMENT:
        return _keep_em(sample, "the pretrained prior", agreement)
    crossed = None if required == "prior" else fit_columns(sample)
    if crossed is not None:
        third = crossed.score(sample.scores.levels, sample.scores.term_frequency)
        further = {"em-columns": (em, third), "prior-columns": (other, third)}
        agreement |= _drop_unknown({k: measure_agreement(*two) for k, two in further.items()})
        if required == "auto" and agreement.get("em-columns", 0.0) >= MIN_AGREEMENT:
            return _keep_em(sample, "the reading by cross-fitted weights", agreement)
        if required == "auto" and agreement.get("prior-columns", 0.0) < MIN_SHARED:
            crossed = None
    if required == "auto" and crossed is None and "em-prior" not in agreement:
        return Reading("em", NO_MATCH, {})
    if rows is not None:
        fitted = fit_prior(sample, prior, tabulate_features(sample))
    scorer = _pool(sample, fitted, crossed, required)
    name = "prior" if scorer.columns is None else "pooled"
    why = "the settings require it"
    if required == "auto":
        others = "the pretrained prior" if crossed is None else "the other readings"
        why = f"EM finds another class of pairs than {others}"
        if crossed is not None and name == "prior":
            why += ", and second-best candidates show how non-matches score"
    return Reading(name, why, agreement, scorer)


def _measure_early(sample: CandidateSample, prior: Prior) -> float | None:
    """The agreement of EM and the prior on a small sample; None where it does not decide."""
    if len(sample.sizes) == 1:
        return None
    for limit in EARLY_SAMPLES:
        first = sample.thin(limit)
        if len(first.pairs) == len(sample.pairs):
            return None
        tables = tabulate_features(first, distinct_of(first.pairs.reshape(-1)))
        fitted = fit_prior(first, prior, tables)
        agreed = _measure_prior(first, fitted)
        matches = np.count_nonzero(first.scores.total > 0) + np.count_nonzero(fitted.log_odds > 0)
        error = np.sqrt(MIN_AGREEMENT * (1 - MIN_AGREEMENT) / max(matches / 2, 1.0))
        if abs(agreed - MIN_AGREEMENT) >= EARLY_ERRORS * error:
            return agreed
    return None


def _sampled_rows(sample: CandidateSample) -> Ints | None:
    """The records of the sample, ascending, if they are a minority; None for all records."""
    rows = distinct_of(sample.pairs.reshape(-1))
    return rows if 2 * rows.size <= sample.comparisons.n else None


def _pool(
    sample: CandidateSample, fitted: PriorFit, crossed: CrossFit | None, required: str = "auto"
) -> PooledScorer:
    """The scorer by the prior and cross-fitted weights, with the zero of links one to one.

    Cross-fitting corrects the zero of the prior. Where second-best candidates set the zero, the
    prior alone scores the pairs, unless the settings require both.
    """
    if sample.exclusive_source is None:
        return PooledScorer(fitted.weights, crossed)
    zero = find_second_best_zero(sample.pairs, fitted.log_odds, sample.exclusive_source)
    is_known = zero != 0.0 and required == "auto"
    return PooledScorer(fitted.weights._replace(zero=zero), None if is_known else crossed)


def _keep_em(sample: CandidateSample, other: str, agreement: dict[str, float]) -> Reading:
    """The reading of EM; for links one to one its zero moves down to that of second-best pairs.

    The zero does not rise. The pairs of a record compete in EM, which errs towards too few links,
    and decoys of records that have a match score higher than their best non-match.
    """
    why = f"{other} shares at least {MIN_AGREEMENT:.0%} of the matches of EM (F1)"
    if sample.exclusive_source is None:
        return Reading("em", why, agreement)
    zero = find_second_best_zero(sample.pairs, sample.scores.total, sample.exclusive_source)
    return Reading("em", why, agreement, ShiftedScorer(min(zero, 0.0)))


def _measure_prior(sample: CandidateSample, fitted: PriorFit) -> float:
    """The agreement of EM with the prior, before or after the prior is fitted to the file.

    The fit to a file with many household pairs drifts away from the matches that the prior finds.
    """
    em = sample.scores.total
    agreed = measure_agreement(em, fitted.log_odds)
    if len(sample.sizes) == 1:
        return agreed
    return float(np.fmax(agreed, measure_agreement(em, fitted.labels)))


def measure_agreement(first: Floats, second: Floats) -> float:
    """F1 of the positive log-odds of one reading against those of another; nan without any."""
    matches = np.count_nonzero(first > 0) + np.count_nonzero(second > 0)
    return float(2 * np.count_nonzero((first > 0) & (second > 0)) / matches) if matches else np.nan


def _drop_unknown(agreement: dict[str, float]) -> dict[str, float]:
    """The agreement of readings of which at least one finds a match."""
    return {name: value for name, value in agreement.items() if not np.isnan(value)}
