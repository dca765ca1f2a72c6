"""The contingency table of two partitions, from which all metrics of clusters follow.

One cell for each pair (found entity, true entity) that shares a record, so there are never more
cells than records. Built by one sort, O(n log n); each metric is then a few sums over cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel import Ints
from partita.metrics.codes import Labelling, encode_both

__all__ = ["Table", "contingency", "pairs_within"]


@dataclass(frozen=True, eq=False)
class Table:
    """Cells in the order of (predicted, true); sizes count labelled records only.

    Attributes
    ----------
    predicted, true, shared
        Found entity, true entity and number of shared records of each cell.
    predicted_sizes, true_sizes
        Labelled records of each entity.
    whole_sizes
        All records of each found entity, those without a true label among them.
    records, unlabelled
        Number of labelled records, and of records without a true label.
    """

    predicted: Ints
    true: Ints
    shared: Ints
    predicted_sizes: Ints
    true_sizes: Ints
    whole_sizes: Ints
    records: int
    unlabelled: int


def contingency(labels: Labelling, truth: Labelling, known: ArrayLike | None = None) -> Table:
    """Build the table of two labellings, restricted to the records with a known true label."""
    predicted_codes, true_codes = encode_both(labels, truth, known)
    labelled = true_codes >= 0
    whole_sizes = np.bincount(predicted_codes)
    n = len(predicted_codes)
    if not labelled.all():
        predicted_codes, true_codes = predicted_codes[labelled], true_codes[labelled]
    predicted_codes, predicted_sizes, entities = _compact(predicted_codes, len(whole_sizes))
    true_codes, true_sizes, _ = _compact(true_codes, int(true_codes.max()) + 1)
    # at most (10^7)^2 distinct keys, far below 2^63
    keys, shared = np.unique(predicted_codes * len(true_sizes) + true_codes, return_counts=True)
    rows, columns = np.divmod(keys, len(true_sizes))
    return Table(
        predicted=rows,
        true=columns,
        shared=shared.astype(np.int64),
        predicted_sizes=predicted_sizes,
        true_sizes=true_sizes,
        whole_sizes=whole_sizes[entities],
        records=len(predicted_codes),
        unlabelled=n - len(predicted_codes),
    )


def pairs_within(sizes: Ints) -> int:
    """Count unordered pairs inside groups: sum of s (s - 1) / 2, exact to 4e9 records."""
    return int((sizes * (sizes - 1) // 2).sum())


def _compact(codes: Ints, limit: int) -> tuple[Ints, Ints, Ints]:
    """Return codes without gaps, the size of each, and the old code of each."""
    sizes = np.bincount(codes, minlength=limit)
    used = np.flatnonzero(sizes)
    if len(used) == limit:
        return codes, sizes, used
    numbers = np.cumsum(sizes > 0) - 1
    return numbers[codes], sizes[used], used
