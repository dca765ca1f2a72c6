"""A sample of the candidate pairs, on which the reading of a file is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.data import Column
from partita.kernel import Ints
from partita.linkage.pairwise.model import PairScores
from partita.linkage.pairwise.random_pairs import RandomPairs
from partita.linkage.pairwise.scored_pairs import ScoredPairs, group_records

__all__ = ["CandidateSample", "sample_candidates"]

MAX_PAIRS_READ = 150_000
"""Candidates in a sample, at most: a limit of CPU seconds, about 2."""


class CandidateSample(NamedTuple):
    """Candidate pairs with their scores by EM, and the data of the file that readings use."""

    pairs: Ints
    share: float
    """The share of all candidates."""
    scores: PairScores
    comparisons: Comparisons
    columns: Sequence[Column]
    source: Ints | None
    """The source of each record, where only pairs across sources can match."""
    one_to_one: bool
    random: RandomPairs
    column_weights: Sequence[float] = ()
    """By how much the evidence of each column is tempered; empty where by nothing."""

    @property
    def sizes(self) -> list[int]:
        """The number of levels of each column."""
        return [len(names) for names in self.comparisons.level_names]

    @property
    def exclusive_source(self) -> Ints | None:
        """The source of each record, if a record of two sources has at most one match."""
        two = self.source is not None and int(self.source.max()) == 1
        return self.source if self.one_to_one and two else None

    def thin(self, limit: int) -> CandidateSample:
        """At most `limit` pairs of the sample, evenly."""
        some = np.arange(0, len(self.pairs), max(1, -(-len(self.pairs) // limit)))
        share = self.share * len(some) / max(1, len(self.pairs))
        return self._replace(pairs=self.pairs[some], share=share, scores=self.scores.rows(some))


def sample_candidates(
    scored: ScoredPairs,
    candidates: NDArray[np.signedinteger],
    columns: Sequence[Column],
    one_to_one: bool,
    seed: int,
) -> CandidateSample:
    """Sample candidate pairs evenly and score them by EM.

    The candidates of a record compete where one column is compared or sources are linked. With
    sources the records of the smallest one are sampled, with all their candidates; pairs of two
    other sources are sampled by their second record. With one column and no sources all candidates
    are read.
    """
    reads_all = len(columns) == 1 and scored.source is None
    step = 1 if reads_all else max(1, -(-len(candidates) // MAX_PAIRS_READ))
    if scored.source is None:
        pairs = candidates[::step]
    else:
        order, _, size = group_records(scored.source)
        record = np.where(scored.source[candidates[:, 0]] == np.argmin(size), *candidates.T)
        # records count within their source: sources may alternate from row to row
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        pairs = candidates[place[record] % step == 0]
    pairs = np.ascontiguousarray(pairs, np.int64)
    scores = scored.model.score(scored.comparisons, pairs)
    share = len(pairs) / max(1, len(candidates))
    random = scored.random or RandomPairs.draw(scored.comparisons, scored.source, seed)
    return CandidateSample(
        pairs,
        share,
        scores,
        scored.comparisons,
        columns,
        scored.source,
        one_to_one,
        random,
        scored.model.column_weights,
    )
