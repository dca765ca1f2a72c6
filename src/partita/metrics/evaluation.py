"""All metrics of a partition against the truth, from one table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike

from partita.metrics.ceaf import ceaf_e_of
from partita.metrics.codes import Labelling
from partita.metrics.scores import (
    Score,
    adjusted_rand_of,
    bcubed_of,
    exact_clusters_of,
    muc_of,
    pairwise_of,
)
from partita.metrics.table import contingency, pairs_within

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """All scores of a partition, and the counts behind them, over the labelled records.

    `ceaf_e` is None unless requested.
    """

    pairwise: Score
    bcubed: Score
    muc: Score
    ceaf_e: Score | None
    exact_clusters: Score
    adjusted_rand: float
    records: int
    unlabelled: int
    found_entities: int
    true_entities: int
    pairs_found: int
    pairs_true: int
    pairs_shared: int
    largest_found: int
    largest_true: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers in nested dictionaries, for JSON."""
        return asdict(self)


def evaluate(
    labels: Labelling, truth: Labelling, known: ArrayLike | None = None, ceaf: bool = True
) -> Evaluation:
    """Compare a partition with the truth by every metric.

    Parameters
    ----------
    labels
        The found entity of each record: integers, strings or other hashable labels.
    truth
        The true entity of each record; None, NaN, "" or -1 if unknown.
    known
        True where the true label counts; by default wherever there is one. Unlabelled records are
        left out of both partitions, so wrong merges with them do not count; `estimate` extends the
        scores of a sample to all records.
    ceaf
        Whether to compute CEAF-e, which is slow for unrelated partitions.

    Examples
    --------
    >>> result = evaluate([0, 0, 1, 1], ["a", "a", "a", "b"])
    >>> result.pairwise
    Score(precision=0.5, recall=0.3333333333333333, f1=0.4)
    >>> result.pairs_found, result.pairs_true, result.pairs_shared
    (2, 3, 1)
    """
    table = contingency(labels, truth, known)
    return Evaluation(
        pairwise=pairwise_of(table),
        bcubed=bcubed_of(table),
        muc=muc_of(table),
        ceaf_e=ceaf_e_of(table) if ceaf else None,
        exact_clusters=exact_clusters_of(table),
        adjusted_rand=adjusted_rand_of(table),
        records=table.records,
        unlabelled=table.unlabelled,
        found_entities=len(table.predicted_sizes),
        true_entities=len(table.true_sizes),
        pairs_found=pairs_within(table.predicted_sizes),
        pairs_true=pairs_within(table.true_sizes),
        pairs_shared=pairs_within(table.shared),
        largest_found=int(table.predicted_sizes.max()),
        largest_true=int(table.true_sizes.max()),
    )
