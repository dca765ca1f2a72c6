"""Pairs within sources, and the rates of further records, beside scored pairs across sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.pairwise.source_rates import cost_by_rates, find_links, infer_rates
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading
from partita.linkage.readings.trust import overall_agreement
from partita.linkage.settings import Settings

__all__ = ["apply_rates", "find_further"]

FREE = 0.5
"""The rate of a source in which further records cost nothing."""


def find_further(
    scored: ScoredPairs,
    prepared: Prepared,
    candidates: NDArray[np.signedinteger],
    settings: Settings,
    reading: Reading,
    free: ScoredPairs | None = None,
) -> ScoredPairs:
    """Infer the rates of further records and add the candidates within sources.

    `free` are all candidates, scored as if there were no sources. Settings fix a rate: it is 0 for
    links one to one and in a reference, and free where links are said to be many.
    """
    if prepared.source is None:
        return scored
    sources = len(prepared.source_names)
    source = prepared.source
    is_within = source[candidates[:, 0]] == source[candidates[:, 1]]
    links = find_links(scored.pairs, scored.scores.total, source, sources)
    within = candidates[is_within].astype(np.int64)
    alike = within[scored.score(within).total >= links.median]
    confidence = overall_agreement(reading, len(prepared.compared))
    rates = infer_rates(prepared.source_names, source, links, alike, confidence)
    if settings.one_to_one is False:
        rates = replace(rates, further=np.full(sources, FREE), cost=np.zeros(source.size))
    if prepared.exclusive is not None:
        rates.further[np.unique(prepared.exclusive[prepared.exclusive >= 0])] = 0.0
    if not is_within.any():
        return replace(scored, rates=rates)
    if free is not None:
        rates = rates.join(free, links)
        scored = scored.read_by(rates.scorer(scored.scorer), candidates[~is_within])
    return scored.add_within(rates, candidates, is_within, reading.scorer)


def apply_rates(
    scored: ScoredPairs,
    prepared: Prepared,
    pairs: NDArray[np.signedinteger],
    known: Mapping[str, tuple[float, float]],
) -> ScoredPairs:
    """Score pairs by known rates of the sources, which `find_further` inferred from more records.

    A source without a rate has the mean of the others.
    """
    assert prepared.source is not None
    means = tuple(np.mean(list(known.values()), axis=0).tolist())
    names = prepared.source_names
    further, confirmed = np.array([known.get(name, means) for name in names]).T
    links = find_links(scored.pairs, scored.scores.total, prepared.source, len(names))
    rates = cost_by_rates(names, prepared.source, links, further, confirmed)
    return replace(scored.read_by(rates.scorer(scored.scorer), pairs), rates=rates)
