"""Columns of provenance, found by content: a guide, a crawl, a supplier, an edition of a list.

Entities repeat across the values of such a column and almost never inside one, because each list
names an entity once. Among records that are nearly equal in the other columns, far fewer pairs than
by chance have one value. Compared as a field, such a column would be evidence against every match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partita.comparison.strings import Strings
from partita.data import Column, ColumnProfile
from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.relevance import COMPARED_LETTERS, NeighbourPairs, NeighbourSearch

__all__ = ["find_provenance"]

MAX_RELEVANCE = 1.0
"""Relevance (standard errors) above which a column is no provenance: similar records agree in it.
Origin: a choice."""
MIN_FILLED = 0.9
"""Filled share of a column of provenance. Origin: a choice."""
MIN_RECORDS_PER_VALUE = 5.0
"""Records per value, on average. Origin: a choice; a column of more values names single records."""
MIN_CONFIDENT = 0.85
"""Mean similarity of two records in the other columns from which they probably match. Origin: a
choice."""
MAX_SHARE_OF_CHANCE = 0.2
"""Pairs with one value per pair that chance would give. Origin: a choice."""
MIN_EXPECTED = 9.0
"""Pairs that chance would give at least: three standard errors of a Poisson count."""
TYPES = ("category", "code", "long text", "full name", "surname", "given name")
"""Types of columns that may name where a record comes from."""


def find_provenance(
    profiles: Sequence[ColumnProfile],
    columns: Sequence[Column],
    relevance: Mapping[str, float],
    search: NeighbourSearch,
) -> set[str]:
    """Find the columns of provenance among the compared columns of one input."""
    suspects = [
        q
        for q, (profile, column) in enumerate(zip(profiles, columns, strict=True))
        if profile.type in TYPES
        and profile.filled >= MIN_FILLED
        and 2 <= len(column.values) <= column.counts.sum() / MIN_RECORDS_PER_VALUE
        and not relevance[profile.name] > MAX_RELEVANCE
    ]
    return {profiles[q].name for q in suspects if _is_provenance(q, columns, search)}


def _is_provenance(q: int, columns: Sequence[Column], search: NeighbourSearch) -> bool:
    """Whether nearly equal records have one value far less often than chance gives."""
    pairs = search.find(q, queries=search.sample.rows.size)
    rows, codes = search.sample.rows, columns[q].codes[search.sample.rows]
    others = [column for k, column in enumerate(columns) if k != q]
    is_sure = _measure_similarity(others, rows, pairs) >= MIN_CONFIDENT
    left, near = pairs.left[is_sure], pairs.near[is_sure]
    share = columns[q].counts / columns[q].counts.sum()
    # a random record of the file has the value of the record this often
    expected = float(share[codes[left]].sum())
    same = int((codes[left] == codes[near]).sum())
    return expected >= MIN_EXPECTED and same <= MAX_SHARE_OF_CHANCE * expected


def _measure_similarity(columns: Sequence[Column], rows: Ints, pairs: NeighbourPairs) -> Floats:
    """The mean similarity of records and their neighbours in the columns that both fill."""
    total, count = np.zeros(pairs.left.size), np.zeros(pairs.left.size)
    for column in columns:
        codes = column.codes[rows]
        left, near = codes[pairs.left], codes[pairs.near]
        both = np.flatnonzero((left >= 0) & (near >= 0))
        used = distinct_of(np.concatenate([left[both], near[both]]).astype(np.int64))
        text = Strings([value[:COMPARED_LETTERS] for value in column.texts(used)])
        first, second = (np.searchsorted(used, side[both]) for side in (left, near))
        total[both] += text.jaro_winkler(first, second, 0.0)
        count[both] += 1
    return total / np.maximum(count, 1)
