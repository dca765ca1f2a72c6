"""How many records an entity has in a source: rates and costs that the file itself shows.

A greedy matching of two sources leaves pairs over. In sources without duplicates they score below
the links. Where an entity has further records in a source, some of the pairs left over score as
links do: those of a record without a link to one that has a link (its entity has a further record),
and those across two links of which both cross pairs do. The best such pair of a record is its
evidence v. Local false-discovery rates (Efron) compare the number of records with an evidence near
v with the number of links that score so:

    P(further | v) = pi D(v) / F(v),

where D = links / n (1 / sqrt(u) - 1) is the expected share of further records in a bin of scores,
u the distribution function of links, and F the number of records with an evidence in the bin. pi is
the number of further records, estimated above the median link, less what a prior expects to score
so by chance. Scores of pairs that resemble each other without being one entity are often too high.
So a further record costs the score of its best pair beside the links less logit P, which leaves
logit P of it. Below P = 1/2 the cost rises to the dearest score of the source.

Two records of one source that resemble each other are duplicates, or neighbours such as models of
one series. The other sources tell: the link of one duplicate matches the other one as well. The
share of alike pairs that are confirmed in this way limits what similarity within a source counts.

All this rests on links. A free fit to all candidates, as if there were no sources, needs none, so
that it counts more where it confirms few links (`few`). It also counts where both of two sources
hold further records, whose pairs do not compete as links do (`loose`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints
from partita.linkage.pairwise.model import PairScores
from partita.linkage.readings.second_best import match_greedily

if TYPE_CHECKING:
    from partita.linkage.pairwise.scored_pairs import PairScorer, ScoredPairs

__all__ = ["ClassScorer", "Links", "SourceRates", "cost_by_rates", "find_links", "infer_rates"]

PRIOR_LINKS = 20.0
"""Links for one pair left over that scores as the better half of them by chance, and entities for
one with a further record in a source, by the prior. Origin: a choice, which favours few duplicates;
clean files of the panel have none to 1 in 20, and two shops 1 in 8."""
BINS = 8
"""Bins of scores, of as many links each. Origin: a choice."""
PRIOR_ALIKE = 2.0
"""Pairs that the prior of the confirmed share counts, half of them confirmed. Origin: a choice."""
SHARE_ABOVE = 1 / 3
"""The share of matches beside a link that score at least as the median link. Origin: the mean of
.17 and .50: two scores that share a record have a correlation of one half, and the lower one
reaches the median link in .17 of cases if it is the best of such two, and in .50 if it is of one
alone."""
LEAST_P = 1e-3
"""The smallest probability of a further record, and of none. Origin: a choice."""
Bools = NDArray[np.bool_]


class FreeFit(NamedTuple):
    """A fit to all candidates as if there were no sources, and its shares by two sources."""

    fit: ScoredPairs
    few: Floats
    """The share in all scores, which falls with the number of links that the fit confirms."""
    loose: Floats
    """The share in the scores of matches, which rises with the rates of both sources."""


@dataclass(frozen=True, eq=False)
class SourceRates:
    """Rates of the sources, and the costs of records; `source` is the one of each record."""

    names: tuple[str, ...]
    source: Ints
    further: Floats
    """By source, the rate at which an entity with a record in it has a further one there."""
    confirmed: Floats
    """By source, the probability that two alike records of it are one entity."""
    cost: Floats
    """By record, the cost (nats) of being a further one of its source in an entity."""
    free: FreeFit | None = None
    """The fit that needs no links; None where links alone count."""

    def by_name(self) -> dict[str, tuple[float, float]]:
        """The rate of further records and the share of confirmed pairs, by name of the source."""
        rates = zip(self.further.tolist(), self.confirmed.tolist(), strict=True)
        return dict(zip(self.names, rates, strict=True))

    def scorer(self, reading: PairScorer | None) -> ClassScorer:
        """The scorer of pairs across and within the sources, by a reading of pairs across."""
        return ClassScorer(reading, self)

    def join(self, free: ScoredPairs, links: Links) -> SourceRates:
        """The rates with a free fit, as far as links are few or do not compete."""
        pairs = links.pairs[links.is_link]
        p = 1 / (1 + np.exp(-free.score(pairs).total))
        known = np.zeros((len(self.names), len(self.names)))
        np.add.at(known, tuple(self.source[pairs].T), p)
        known += known.T
        by_source = known.sum(1)
        known[np.diag_indices_from(known)] = by_source
        # a further record costs nothing beyond its other pairs at a rate of one half; records that
        # are confirmed in less than half of the cases are neighbours
        confirmed = np.maximum(2 * self.confirmed - 1, 0.0)
        free_of_cost = np.minimum(2 * self.further * confirmed, 1.0)
        loose = np.minimum.outer(free_of_cost, free_of_cost)
        np.fill_diagonal(loose, 0.0)
        np.fill_diagonal(loose, loose.max(1))
        few = PRIOR_LINKS / (known + PRIOR_LINKS)
        cost = self.cost * (1 - PRIOR_LINKS / (by_source + PRIOR_LINKS))[self.source]
        return replace(self, cost=cost, free=FreeFit(free, few, loose))


class Links(NamedTuple):
    """A greedy matching of every two sources."""

    pairs: Ints
    """Pairs across sources that score as matches, the best first."""
    scores: Floats
    partner: Ints
    """The link of each record in each source, -1 for none; row by row."""
    is_link: Bools
    """Which of the pairs are links."""
    linked: Ints
    """Links by source."""

    @property
    def median(self) -> float:
        """The median score of the links."""
        return float(np.median(self.scores[self.is_link])) if self.is_link.any() else np.inf


@dataclass(frozen=True, eq=False)
class ClassScorer:
    """The scores of a reading; those within a source are limited by what other sources confirm."""

    reading: PairScorer | None
    rates: SourceRates

    def score(self, pairs: Ints, scores: PairScores) -> PairScores:
        """The scores of pairs, given those of the pairwise model."""
        if self.reading is not None:
            scores = self.reading.score(pairs, scores)
        source, confirmed = self.rates.source, self.rates.confirmed
        left, right = source[pairs].T
        limit = _logit(confirmed)[left]
        total, free = scores.total, self.rates.free
        other = total if free is None else free.fit.score(pairs).total
        if free is not None:
            total = total + free.loose[left, right] * (other - total)
        total = np.where(left == right, np.minimum(total, limit), total)
        if free is not None:
            # an average of probabilities: one extreme score does not outweigh the other
            few = free.few[left, right]
            both = np.logaddexp(np.log1p(-few) + _log_p(total), np.log(few) + _log_p(other))
            total = both - np.logaddexp(
                np.log1p(-few) + _log_p(-total), np.log(few) + _log_p(-other)
            )
        return scores.read_as(total)


def find_links(pairs: Ints, scores: Floats, source: Ints, sources: int) -> Links:
    """Match every two sources greedily by pairs across them that score as matches."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > 0]
    pairs, scores = pairs[order], scores[order]
    keys = pairs * sources + source[pairs[:, ::-1]]
    n = source.size * sources
    is_link = match_greedily(keys[:, 0], keys[:, 1], n, exclusive=True)
    partner = np.full(n, -1)
    for side in (0, 1):
        partner[keys[is_link, side]] = pairs[is_link, 1 - side]
    linked = np.bincount(source[pairs[is_link]].reshape(-1), minlength=sources)
    return Links(pairs, scores, partner, is_link, linked)


def _measure_evidence(links: Links, source: Ints, sources: int) -> tuple[Floats, Floats]:
    """By record, the best score of a pair beside the links, and of one that shows it as further.

    They are 0 without such a pair.
    """
    own = np.zeros(source.size * sources)
    for side in (0, 1):
        linked = links.pairs[links.is_link]
        own[linked[:, side] * sources + source[linked[:, 1 - side]]] = links.scores[links.is_link]
    rest = ~links.is_link
    pairs, scores, n = links.pairs[rest], links.scores[rest], source.size
    keys = pairs * sources + source[pairs[:, ::-1]]
    # a record whose link is worse than the pair is as good as without a link
    is_better = own[keys] < scores[:, None]
    theirs = np.where(is_better, -1, links.partner[keys])
    # the links of a and b are b' and a': the cross pair (a', b') has to score as a match as well
    is_crossed = (theirs >= 0).all(1)
    key, known = _key(theirs[is_crossed], n), _key(pairs, n)
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], key), max(known.size - 1, 0))
    crossed = np.where(known[order][at] == key, scores[order][at], 0.0) if known.size else key
    weaker = scores.copy()
    weaker[is_crossed] = np.minimum(scores[is_crossed], crossed)
    best, evidence = np.zeros(n), np.zeros(n)
    for side in (0, 1):
        np.maximum.at(best, pairs[:, side], scores)
        shows = (theirs[:, 1 - side] >= 0) & ((theirs[:, side] < 0) | is_crossed)
        np.maximum.at(evidence, pairs[shows, side], weaker[shows])
    return best, evidence


def _key(pairs: Ints, n: int) -> Ints:
    """One number for each pair of records."""
    return np.asarray(pairs.min(1) * n + pairs.max(1)) if len(pairs) else np.zeros(0, np.int64)


def _estimate_further(scores: Floats, evidence: Floats, confidence: float) -> tuple[float, Floats]:
    """The expected number of further records, and P(further) of each record with evidence."""
    edges = np.unique(np.quantile(scores, np.linspace(0, 1, BINS + 1)[1:-1]))
    links = np.bincount(np.searchsorted(edges, scores, side="right"), minlength=edges.size + 1)
    place = np.searchsorted(edges, evidence, side="right")
    records = np.bincount(place, minlength=edges.size + 1)
    is_top = np.arange(edges.size + 1) >= np.searchsorted(edges, np.median(scores), side="right")
    chance = scores.size / PRIOR_LINKS
    above = confidence * records[is_top].sum() ** 2 / (records[is_top].sum() + chance)
    # of two equally distributed scores the link is the higher one, and the lower one has this
    # density where the distribution function of links is u
    u = np.maximum(np.cumsum(links) - links / 2, 0.5) / scores.size
    density = links / scores.size * (1 / np.sqrt(u) - 1)
    expected = min(above / max(float(density[is_top].sum()), 1 / PRIOR_LINKS), evidence.size)
    by_bin = expected * density / (records + chance)
    by_bin = np.minimum(by_bin, above / max(records[is_top].sum(), 1))
    return expected, np.maximum.accumulate(by_bin)[place]


def _count_confirmed(links: Links, within: Ints, source: Ints, sources: int) -> tuple[Ints, Ints]:
    """By source, the links of alike records, and those that match the other record as well."""
    n, known = source.size, _key(links.pairs[links.scores >= links.median], source.size)
    tested, confirmed = np.zeros(sources, np.int64), np.zeros(sources, np.int64)
    for record, other in (within.T, within.T[::-1]):
        for code in range(sources):
            link = links.partner[record * sources + code]
            near, at = other[link >= 0], link[link >= 0]
            is_match = np.isin(_key(np.stack([near, at], 1), n), known)
            tested += np.bincount(source[near], minlength=sources)
            confirmed += np.bincount(source[near[is_match]], minlength=sources)
    return tested, confirmed


def infer_rates(
    names: tuple[str, ...], source: Ints, links: Links, within: Ints, confidence: float
) -> SourceRates:
    """Infer the rates of the sources; `within` are alike records, scored like the median link.

    `confidence` is the share of the matches that another reading confirms: of those that none
    confirms, the pairs left over are no evidence, and neither are the pairs that confirm others.
    """
    sources = len(names)
    best, evidence = _measure_evidence(links, source, sources)
    further, p = np.zeros(sources), np.zeros(source.size)
    for code in range(sources):
        own = source[links.pairs[links.is_link]] == code
        scores = links.scores[links.is_link][own.any(1)]
        shown = np.flatnonzero((source == code) & (evidence > 0))
        expected, shares = 0.0, np.zeros(shown.size)
        if scores.size:
            expected, shares = _estimate_further(scores, evidence[shown], confidence)
        further[code] = (expected + 1.0) / (expected + scores.size + PRIOR_LINKS)
        p[source == code] = further[code]
        p[(source == code) & (best > 0)] = 0.0
        p[shown] = shares
    tested, confirmed = _count_confirmed(links, within, source, sources)
    confirmed = np.minimum(confidence * confirmed / SHARE_ABOVE, tested)
    alike = (confirmed + PRIOR_ALIKE / 2) / (tested + PRIOR_ALIKE)
    return SourceRates(names, source, further, alike, _cost(best, p, source))


def cost_by_rates(
    names: tuple[str, ...], source: Ints, links: Links, further: Floats, confirmed: Floats
) -> SourceRates:
    """The rates with the costs that they imply without evidence of single records."""
    best, _ = _measure_evidence(links, source, len(names))
    return SourceRates(names, source, further, confirmed, _cost(best, further[source], source))


def _cost(best: Floats, p: Floats, source: Ints) -> Floats:
    """The cost of each record, given its best score beside the links and P(further).

    Of two records of a source the dearer one is free. So a record that is probably no further one
    costs more than any evidence of the source, and the cost falls as P approaches one half.
    """
    most = np.zeros(int(source.max(initial=0)) + 1)
    np.maximum.at(most, source, best)
    alone = np.maximum(1 - 2 * p, 0.0)
    return np.maximum(best + alone * (most[source] - best) - _logit(p), 0.0)


def _log_p(log_odds: Floats) -> Floats:
    """Log probabilities of log-odds."""
    return -np.logaddexp(0.0, -log_odds)


def _logit(p: Any) -> Any:
    """Log-odds of probabilities, none of which is certain."""
    p = np.clip(p, LEAST_P, 1 - LEAST_P)
    return np.log(p) - np.log1p(-p)
