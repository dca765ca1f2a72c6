"""Records of one source that are different entities, where one column is compared.

A list of names repeats a name as it is, but the similar names of one list, such as species of a
genus, are mostly different entities. The other list writes the same entities in its own way. If
so, the most similar pairs of unequal records lie across sources more often than by chance. If
entities are spread over the sources at random, such pairs are as frequent within a source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints

__all__ = ["are_sources_apart", "collect_sources", "share_source"]

MAX_SOURCES = 10
"""Sources up to which they are compared. A limit of memory: it holds sets of sources."""
MIN_PAIRS = 20
"""Most similar pairs that are counted, at least. Origin: a choice; see `MAX_RATE`."""
PAIRS_PER_RECORD = 0.01
"""Most similar pairs that are counted, by the number of records. Origin: a choice; `MAX_RATE`
separates the same files with .02."""
MAX_RATE = 0.5
"""Rate of the most similar pairs among all pairs within a source, by that across sources, up to
which records of one source are different entities. Origin: 27 single columns of two sources, the
prior without their domain. Lists and clean halves have .42 and less, random halves have .62 and
more; with one domain left out at a time, the middle of the gap is .46 to .52."""


def collect_sources(source: Ints, record: Ints, n: int) -> Ints | None:
    """The sources of the rows of each of n records as a set of bits; None if there are many."""
    if int(source.max(initial=0)) >= MAX_SOURCES:
        return None
    sets = np.zeros(n, np.int64)
    np.bitwise_or.at(sets, record, np.int64(1) << source)
    return sets


def share_source(source_sets: Ints, pairs: Ints) -> NDArray[np.bool_]:
    """Whether two different records occur in a common source, by their sets of sources."""
    common = source_sets[pairs[:, 0]] & source_sets[pairs[:, 1]]
    return np.asarray((common != 0) & (pairs[:, 0] != pairs[:, 1]))


def are_sources_apart(source_sets: Ints, pairs: Ints, labels: Floats) -> bool:
    """Whether few of the pairs with the highest labels share a source."""
    kept = max(MIN_PAIRS, int(PAIRS_PER_RECORD * source_sets.size))
    if len(pairs) < kept:
        return False
    likeliest = labels >= np.partition(labels, len(labels) - kept)[len(labels) - kept]
    within = share_source(source_sets, pairs[likeliest])
    all_within, all_across = _count_pairs(source_sets)
    if not all_within or not all_across:
        return False
    rate_within, rate_across = within.sum() / all_within, (~within).sum() / all_across
    return bool(rate_within <= MAX_RATE * rate_across)


def _count_pairs(source_sets: Ints) -> tuple[float, float]:
    """The numbers of all pairs of records that share a source, and that share none."""
    sets, count = np.unique(source_sets, return_counts=True)
    count = count.astype(np.float64)
    is_disjoint = (sets[:, None] & sets[None, :]) == 0
    across = float((count[:, None] * count[None, :])[is_disjoint].sum() / 2)
    return source_sets.size * (source_sets.size - 1) / 2 - across, across
