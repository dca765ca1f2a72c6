"""The choice between readings of a file.

A reading scores pairs by weights of its own: those of EM, cross-fitted weights, or the pretrained
prior. EM is kept where one of the others agrees with it. Where neither does, EM has found another
class of pairs than matches, and the mean log-odds of the other two replace it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats, generators
from partita.linkage.pairwise.random_pairs import draw_pairs
from partita.linkage.pairwise.scored_pairs import PairScorer
from partita.linkage.readings.prior import Prior
from partita.linkage.readings.sample import CandidateSample
from partita.linkage.readings.scorers import PooledScorer, ShiftedScorer, fit_columns, fit_prior
from partita.linkage.readings.second_best import find_second_best_zero

__all__ = ["Reading", "choose_reading", "measure_agreement"]

MIN_AGREEMENT = 0.75
"""Agreement of EM with another reading from which EM is kept. Origin: the panel and generated
people: .82 and more where EM is right, .51 and less where it is wrong."""
ZERO_SHARE = 0.9
"""Share of the way from the zero of EM to that of second-best pairs. Origin: the panel; .5 to 1
differ by .03 of F1 at most."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The chosen reading of a file."""

    name: str
    """"em", "prior", "pooled" (mean of the prior and of cross-fitted weights) or "trained"."""
    why: str
    agreement: dict[str, float]
    """Agreement of two readings on the candidates (F1 of their matches), by their names."""
    scorer: PairScorer | None = None
    """The scorer of candidates; None where the scores of EM are kept as they are."""

    @property
    def is_new(self) -> bool:
        """Whether other weights than those of EM score the pairs."""
        return self.name in ("prior", "pooled")


def choose_reading(sample: CandidateSample, prior: Prior, required: str = "auto") -> Reading:
    """Choose the reading: EM where another one agrees, else the mean of the others."""
    if required == "em" or not len(sample.pairs):
        why = "the settings require it" if required == "em" else "there are no candidate pairs"
        return Reading("em", why, {})
    drawn = draw_pairs(sample.comparisons.n, sample.source, generators(sample.seed, 1)[0])
    random = sample.comparisons.levels(drawn)
    by_prior = fit_prior(sample, prior, random)
    em, other = sample.scores.total, by_prior.score(sample.pairs, sample.scores.levels)
    agreement = {"em-prior": measure_agreement(em, other)}
    if len(sample.sizes) == 1:
        why = "one column is compared, so that no second column can confirm a match"
        return Reading("prior", why, agreement, PooledScorer(by_prior, None))
    if required == "auto" and agreement["em-prior"] >= MIN_AGREEMENT:
        return _keep_em(sample, "the pretrained prior agrees with EM", agreement)
    crossed = None if required == "prior" else fit_columns(sample, drawn, random)
    if crossed is not None:
        third = crossed.score(sample.scores.levels, sample.scores.term_frequency)
        agreement["em-columns"] = measure_agreement(em, third)
        agreement["prior-columns"] = measure_agreement(other, third)
        if required == "auto" and agreement["em-columns"] >= MIN_AGREEMENT:
            return _keep_em(sample, "cross-fitted weights agree with EM", agreement)
    if sample.links_two_sources and sample.source is not None:
        zero = find_second_best_zero(sample.pairs, other, sample.source)
        by_prior = by_prior._replace(zero=zero)
    name = "prior" if crossed is None else "pooled"
    why = "the settings require it"
    if required == "auto":
        others = "the pretrained prior" if crossed is None else "the other readings"
        why = f"EM finds another class of pairs than {others}"
    return Reading(name, why, agreement, PooledScorer(by_prior, crossed))


def _keep_em(sample: CandidateSample, why: str, agreement: dict[str, float]) -> Reading:
    """The reading of EM; for links one to one its zero moves towards that of second-best pairs."""
    if not sample.links_two_sources or sample.source is None:
        return Reading("em", why, agreement)
    zero = ZERO_SHARE * find_second_best_zero(sample.pairs, sample.scores.total, sample.source)
    return Reading("em", why, agreement, ShiftedScorer(zero))


def measure_agreement(one: Floats, other: Floats) -> float:
    """F1 of the positive log-odds of one reading against those of another."""
    matches = np.count_nonzero(one > 0) + np.count_nonzero(other > 0)
    return float(2 * np.count_nonzero((one > 0) & (other > 0)) / matches) if matches else 1.0
