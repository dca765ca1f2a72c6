"""Candidate pairs of mentions: all pairs with equal or similar names."""

from __future__ import annotations

import numpy as np

from partita.blocking.candidates import Candidates, find_candidates
from partita.comparison import CustomComparison, Level
from partita.comparison.comparisons import compare
from partita.comparison.names import INITIALS, NICKNAMES, REORDERED
from partita.data import Column
from partita.kernel import Ints
from partita.linkage.pairwise.scored_pairs import group_records

__all__ = ["NAME_COMPARISON", "count_name_pairs", "find_name_pairs"]

NAME_COMPARISON = CustomComparison(
    [
        Level("given_names", (REORDERED, REORDERED), label="the same words in another order"),
        Level("given_names", (NICKNAMES, INITIALS), label="initials, nicknames or omitted words"),
        Level("cosine_ngrams", 0.7),
        Level("cosine_ngrams", 0.45),
    ],
    term_frequency_adjustments=False,
)
"""Levels of two names; a pair below the last level is no candidate."""
MAX_NAMES_COMPARED = 1_500
"""Distinct names up to which every two are compared; above, each with its nearest neighbours. A
limit of CPU seconds."""
NEAREST_NAMES = 50
"""Nearest neighbours of each name, by n-grams. A limit of CPU seconds."""
MAX_PAIRS = 2_000_000
"""Candidate pairs at most. Pairs with equal names are always candidates; similar names follow in
the order of their levels. A limit of memory."""


def count_name_pairs(column: Column) -> int:
    """The number of pairs of records with equal names."""
    return int((column.counts * (column.counts - 1) // 2).sum())


def find_name_pairs(column: Column, seed: int = 0) -> Candidates:
    """Pairs of records with equal or similar names."""
    names = len(column.values)
    known = column.codes >= 0
    order, first, size = group_records(np.where(known, column.codes, names).astype(np.int64))
    first, size = first[:names], size[:names]
    equal = _pairs_between(order, first, size, np.repeat(np.arange(names)[:, None], 2, 1))
    similar = _similar_names(column, seed)
    total = np.cumsum(size[similar[:, 0]] * size[similar[:, 1]])
    similar = similar[total <= MAX_PAIRS - len(equal)]
    parts = [equal, _pairs_between(order, first, size, similar)]
    pairs = np.concatenate(parts)
    flags = np.repeat(np.array([1, 2]), [len(part) for part in parts])
    pairs.sort(axis=1)
    ascending = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return Candidates(
        pairs[ascending].astype(np.int32),
        flags[ascending].astype(np.uint32),
        np.bincount(pairs.reshape(-1), minlength=column.codes.size).astype(np.int32),
        ("exact values", "n-grams"),
        3,
        ((), ()),
        ("equal names", "similar names"),
    )


def _similar_names(column: Column, seed: int) -> Ints:
    """Pairs of distinct names at one of the levels, the strictest level first."""
    names = len(column.values)
    distinct = Column(
        column.name, np.arange(names, dtype=np.int32), column.values, np.ones(names, np.int64)
    )
    if names <= MAX_NAMES_COMPARED:
        pairs = np.stack(np.triu_indices(names, 1), 1).astype(np.int64)
    else:
        candidates = find_candidates({column.name: distinct}, k=NEAREST_NAMES, seed=seed)
        pairs = candidates.pairs.astype(np.int64)
    levels = compare(distinct, NAME_COMPARISON, pairs)
    order = np.argsort(levels, kind="stable")
    return pairs[order][levels[order] <= len(NAME_COMPARISON.levels)]


def _pairs_between(order: Ints, first: Ints, size: Ints, groups: Ints) -> Ints:
    """All pairs of records between the two groups of each row, each pair once."""
    left, right = groups[:, 0], groups[:, 1]
    counts = size[left] * size[right]
    row = np.repeat(np.arange(len(groups)), counts)
    place = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.maximum(size[right[row]], 1)
    a = order[first[left[row]] + place // width]
    b = order[first[right[row]] + place % width]
    mask = (left[row] != right[row]) | (place // width < place % width)
    return np.stack([a[mask], b[mask]], 1)
