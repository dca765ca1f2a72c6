"""Agreement of two runs, and whether a run agrees with itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.metrics.scores import contingency, pairs_within

__all__ = [
    "PairCounts",
    "count_pairs",
    "count_unblocked",
    "covers",
    "measure_agreement",
    "share_apart",
    "share_contradicted",
]


class PairCounts(NamedTuple):
    """Pairs of records that are joined by one partition, by the other, and by both."""

    both: int
    left: int
    right: int

    @property
    def f1(self) -> float:
        """Pairwise F1; 1 if both partitions join no pair."""
        total = self.left + self.right
        return 2 * self.both / total if total else 1.0

    @property
    def precision(self) -> float:
        """Share of the left pairs that the right partition joins; 1 without left pairs."""
        return self.both / self.left if self.left else 1.0

    @property
    def recall(self) -> float:
        """Share of the right pairs that the left partition joins; 1 without right pairs."""
        return self.both / self.right if self.right else 1.0

    def minus(self, other: PairCounts) -> PairCounts:
        """The counts without those of some of the pairs."""
        return PairCounts(*(a - b for a, b in zip(self, other, strict=True)))

    def plus(self, other: PairCounts) -> PairCounts:
        """The counts of two sets of pairs."""
        return PairCounts(*(a + b for a, b in zip(self, other, strict=True)))


def count_pairs(left: ArrayLike, right: ArrayLike) -> PairCounts:
    """Pairs that two partitions of the same records join.

    >>> count_pairs([1, 1, 2, 2], [5, 5, 6, 7])
    PairCounts(both=1, left=2, right=1)
    """
    if np.asarray(left).size == 0:
        return PairCounts(0, 0, 0)
    table = contingency(left, right)
    sizes = (table.shared, table.predicted_sizes, table.true_sizes)
    return PairCounts(*(int(pairs_within(size)) for size in sizes))


def measure_agreement(left: ArrayLike, right: ArrayLike) -> float:
    """Pairwise F1 of two partitions of the same records; 1 if both join no pair.

    >>> measure_agreement([1, 2, 3], [7, 8, 9])
    1.0
    """
    return count_pairs(left, right).f1


def share_apart(labels: ArrayLike) -> float:
    """Clusters for each record: 1 if no records are joined."""
    values = np.asarray(labels)
    return np.unique(values).size / values.size


def share_contradicted(labels: ArrayLike, p_member: ArrayLike) -> float:
    """Share of records whose mean p_same with the other members of their cluster is below .5."""
    code = np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)
    joined = np.bincount(code)[code] > 1
    return float((joined & (np.asarray(p_member) < 0.5)).mean())


def covers(low: float, high: float, truth: float) -> bool:
    """Whether a range holds the true number of entities."""
    return low <= truth <= high


def count_unblocked(
    values: NDArray[np.int64],
    sources: NDArray[np.int64],
    distinct: NDArray[np.int64],
    candidates: NDArray[np.int64],
) -> tuple[int, int]:
    """Pairs of identical rows of two files that are no candidates, and all such pairs.

    `values` holds the codes of each row's values, below 0 if missing. Each row is paired with the
    first identical row of every other file. `distinct` numbers the records that blocking sees,
    and `candidates` are pairs of these.
    """
    filled = np.flatnonzero((values >= 0).any(axis=1))
    key = np.unique(values[filled], axis=0, return_inverse=True)[1].reshape(-1)
    # the first row of each group of identical rows in each file
    first: dict[int, dict[int, int]] = {}
    for row, group in zip(filled.tolist(), key.tolist(), strict=True):
        first.setdefault(group, {}).setdefault(int(sources[row]), row)
    pairs = [
        (row, other)
        for row, group in zip(filled.tolist(), key.tolist(), strict=True)
        for source, other in first[group].items()
        if source > sources[row]
    ]
    ends = distinct[np.array(pairs, np.int64).reshape(-1, 2)]
    codes, known = (_encode(part, distinct.size) for part in (ends, candidates))
    unblocked = (ends[:, 0] != ends[:, 1]) & ~np.isin(codes, known)
    return int(unblocked.sum()), len(pairs)


def _encode(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """One number for each unordered pair of numbers below `count`."""
    return pairs.min(axis=1) * count + pairs.max(axis=1)
