"""Scored pairs: pairs of distinct records with their comparison levels and match weights.

Candidates cover a small share of the pairs of a large entity. Given a partition, the pairs inside
its clusters, and some between clusters that a candidate links, are compared as well.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Ints, Rng, distinct_of
from partita.linkage.numbering import DistinctIds
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.pairwise.pruning import SLICE, score_above
from partita.linkage.pairwise.random_pairs import RandomPairs

if TYPE_CHECKING:
    from partita.linkage.pairwise.source_rates import SourceRates

__all__ = ["LEAST", "LINKED", "UNSEEN", "PairScorer", "ScoredPairs", "group_records"]

LEAST = -6.0
"""Log-odds (nats) below which a candidate is pruned and counts as never compared. Origin: 0.1."""
LINKED = -3.0
"""Log-odds (nats) above which a pair may be in one entity because of other pairs. Origin: 0.1."""
UNSEEN = -1.0
"""Score (nats) of a pair that was never compared: blocking or pruning rejected it. Origin: 0.1."""
MAX_CLUSTER_COMPARED_IN_FULL = 40
"""Records of a cluster whose pairs are all compared, at most. Origin: 0.1."""
PAIRS_PER_RECORD = 20
"""Pairs per record of a larger cluster. Origin: 0.1."""
PAIRS_BETWEEN_CLUSTERS = 2
"""Pairs between two clusters that a candidate links. Origin: 0.1."""


class PairScorer(Protocol):
    """Another reading of the file: scores pairs beside the pairwise model."""

    def score(self, pairs: Ints, scores: PairScores) -> PairScores:
        """The scores of pairs, given those of the pairwise model."""
        ...


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Scored pairs of distinct records, i < j in each row, without pruned candidates."""

    comparisons: Comparisons
    model: PairModel
    pairs: DistinctIds
    scores: PairScores
    likely: NDArray[np.bool_]
    """Which candidates have positive log-odds, in the order of blocking."""
    source: Ints | None = None
    """The source of each record, where only pairs across sources can match."""
    scorer: PairScorer | None = None
    """The score of another reading than that of `model`."""
    least: float = LEAST
    """Log-odds (nats) below which candidates are pruned."""
    random: RandomPairs | None = None
    """The random pairs from which `model` is estimated."""
    rates: SourceRates | None = None
    """The rates of further records in the sources; None where there is one source."""

    @classmethod
    def of(
        cls,
        comparisons: Comparisons,
        model: PairModel,
        pairs: NDArray[np.signedinteger],
        levels: NDArray[np.int8] | None = None,
        source: Ints | None = None,
        random: RandomPairs | None = None,
        least: float = LEAST,
    ) -> ScoredPairs:
        """Score candidates and prune those with log-odds below `least`."""
        parts = list(score_above(model, comparisons, pairs, least, levels))
        place = np.concatenate([part for part, _ in parts])
        scores = _joined([part for _, part in parts])
        likely = np.zeros(len(pairs), bool)
        likely[place[scores.total > 0]] = True
        chosen = DistinctIds(np.asarray(pairs)[place].astype(np.int64))
        return cls(comparisons, model, chosen, scores, likely, source, random=random, least=least)

    @property
    def n(self) -> int:
        """The number of distinct records."""
        return self.comparisons.n

    def read_by(self, scorer: PairScorer, candidates: NDArray[np.signedinteger]) -> ScoredPairs:
        """Score all candidates by another reading of the file."""
        parts, likely = [], np.zeros(len(candidates), bool)
        for at in range(0, max(len(candidates), 1), SLICE):
            pairs = np.ascontiguousarray(candidates[at : at + SLICE], np.int64)
            scores = scorer.score(pairs, self.model.score(self.comparisons, pairs))
            rows = np.flatnonzero(scores.total > self.least)
            likely[at : at + SLICE] = scores.total > 0
            parts.append((pairs[rows], scores.rows(rows)))
        return replace(
            self,
            pairs=DistinctIds(np.concatenate([pairs for pairs, _ in parts])),
            scores=_joined([scores for _, scores in parts]),
            likely=likely,
            scorer=scorer,
        )

    def add_within(
        self,
        rates: SourceRates,
        candidates: NDArray[np.signedinteger],
        is_within: NDArray[np.bool_],
        reading: PairScorer | None,
    ) -> ScoredPairs:
        """Add the candidates within sources, by the rates and the reading of pairs across.

        The pairs across are scored already.
        """
        scored = replace(self, source=None, scorer=rates.scorer(reading), rates=rates)
        pairs = candidates[is_within].astype(np.int64)
        within, likely = scored.score(pairs), np.zeros(len(candidates), bool)
        likely[~is_within], likely[is_within] = self.likely, within.total > 0
        rows = np.flatnonzero(within.total > self.least)
        return replace(
            scored,
            likely=likely,
            pairs=DistinctIds(np.concatenate([self.pairs, pairs[rows]])),
            scores=_joined([self.scores, within.rows(rows)]),
        )

    def linked(self) -> NDArray[np.bool_]:
        """Pairs that may be in one entity."""
        return self.scores.total > LINKED

    def score(self, pairs: Ints) -> PairScores:
        """The scores of any pairs, by the reading of the file."""
        scores = self.model.score(self.comparisons, pairs)
        return scores if self.scorer is None else self.scorer.score(pairs, scores)

    def add_pairs_of(self, labels: Ints, rng: Rng) -> ScoredPairs:
        """Add the pairs inside and between the clusters of a partition."""
        more = _further(self.pairs, labels, self.linked(), rng)
        if self.source is not None:
            more = more[self.source[more[:, 0]] != self.source[more[:, 1]]]
        if not len(more):
            return self
        scored = self.score(more)
        return replace(
            self,
            pairs=DistinctIds(np.concatenate([self.pairs, more])),
            scores=_joined([self.scores, scored]),
        )


def _joined(parts: list[PairScores]) -> PairScores:
    both: dict[str, Any] = {"prior": parts[0].prior}
    for part in fields(PairScores):
        if part.name != "prior":
            both[part.name] = np.concatenate([getattr(scores, part.name) for scores in parts])
    return PairScores(**both)


def group_records(labels: Ints) -> tuple[Ints, Ints, Ints]:
    """Records by cluster: their order, the first place of each cluster in it, and its size."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return order, np.cumsum(sizes) - sizes, sizes


def _further(pairs: Ints, labels: Ints, links: NDArray[np.bool_], rng: Rng) -> Ints:
    n = labels.size
    sample = np.concatenate([_inside(labels, rng), _between(pairs[links], labels, rng)])
    low, high = sample.min(1), sample.max(1)
    keys, known = distinct_of((low * n + high)[low != high]), pairs[:, 0] * n + pairs[:, 1]
    if (known[1:] < known[:-1]).any():
        known = np.sort(known)
    at = np.minimum(np.searchsorted(known, keys), known.size - 1)
    keys = keys[known[at] != keys] if known.size else keys
    return np.stack([keys // n, keys % n], 1)


def _inside(labels: Ints, rng: Rng) -> Ints:
    """All pairs of small clusters and some of large ones."""
    order, starts, sizes = group_records(labels)
    parts = [np.zeros((0, 2), np.int64)]
    for size in distinct_of(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        if size <= MAX_CLUSTER_COMPARED_IN_FULL:
            a, b = np.triu_indices(size, 1)
            left, right = members[:, a], members[:, b]
        else:
            sample = rng.integers(0, size, (len(members), size * PAIRS_PER_RECORD))
            left, right = (
                np.repeat(members, PAIRS_PER_RECORD, axis=1),
                np.take_along_axis(members, sample, axis=1),
            )
        parts.append(np.stack([left.reshape(-1), right.reshape(-1)], 1))
    return np.concatenate(parts)


def _between(pairs: Ints, labels: Ints, rng: Rng) -> Ints:
    """Some pairs of every two clusters that are linked."""
    order, starts, sizes = group_records(labels)
    a, b = labels[pairs[:, 0]], labels[pairs[:, 1]]
    keys = distinct_of((np.minimum(a, b) * sizes.size + np.maximum(a, b))[a != b])
    keys = np.repeat(keys, PAIRS_BETWEEN_CLUSTERS)
    sample: list[Ints] = []
    for cluster in (keys // sizes.size, keys % sizes.size):
        sample.append(
            order[starts[cluster] + (rng.random(keys.size) * sizes[cluster]).astype(np.int64)]
        )
    return np.stack(sample, 1).astype(np.int64)
