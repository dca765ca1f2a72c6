"""Relatives inside entities: two groups of records, each with its own values in two columns.

An error is rarely repeated, so the records of an entity have one value and its variants. Branches
of a company, editions of an album and versions of a paper share a name, and each of them repeats
its own address, year or price. An entity is divided if two of its records agree in two columns, and
two others agree in the same columns on other values. A person who moved house is divided too, if
several records have the old address and several have the new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from partita.data import Column
from partita.kernel import Ints

__all__ = ["measure_divided"]

MIN_RECORDS = 4
"""Distinct records of an entity that can be divided: two groups of two."""
MIN_DIVIDED = 3
"""Divided entities from which their share counts. Origin: a choice."""


def measure_divided(entity: Ints, columns: Sequence[Column]) -> float:
    """The share of divided entities among those of four distinct records and more.

    `entity` and the columns are those of distinct records. The share is 0 where few are divided.
    """
    _, place, size = np.unique(entity, return_inverse=True, return_counts=True)
    is_large = size >= MIN_RECORDS
    rows = np.flatnonzero(is_large[place.reshape(-1)])
    group = place.reshape(-1)[rows]
    values = [_keep_repeated(group, column.codes[rows].astype(np.int64)) for column in columns]
    is_divided = np.zeros(size.size, np.bool_)
    for left, right in combinations(values, 2):
        filled = np.flatnonzero((left >= 0) & (right >= 0) & ~is_divided[group])
        is_divided[_find_divided(group[filled], left[filled], right[filled])] = True
    count = int(is_divided.sum())
    return count / int(is_large.sum()) if count >= MIN_DIVIDED else 0.0


def _keep_repeated(group: Ints, codes: Ints) -> Ints:
    """The codes that occur twice in their group, in groups with two such codes; -1 elsewhere."""
    key = np.where(codes >= 0, group * (codes.max(initial=0) + 1) + codes, -1)
    values, place, count = np.unique(key, return_inverse=True, return_counts=True)
    is_repeated = (values >= 0) & (count > 1)
    first = np.zeros(values.size, np.int64)
    first[place.reshape(-1)] = group
    repeated = np.bincount(first[is_repeated], minlength=int(group.max(initial=0)) + 1)
    keep = is_repeated & (repeated[first] > 1)
    return np.where(keep[place.reshape(-1)], codes, -1)


def _find_divided(group: Ints, left: Ints, right: Ints) -> Ints:
    """The groups in which two pairs of values are repeated and differ in both values."""
    lefts, rights = int(left.max(initial=0)) + 1, int(right.max(initial=0)) + 1
    keys, count = np.unique((group * lefts + left) * rights + right, return_counts=True)
    keys = keys[count > 1]
    groups, rest = np.divmod(keys, lefts * rights)
    repeated = np.stack([groups, rest // rights, rest % rights], axis=1)
    start = np.flatnonzero(np.diff(repeated[:, 0]) > 0) + 1
    return np.array(
        [part[0, 0] for part in np.split(repeated, start) if _differ_in_both(part)], np.int64
    )


def _differ_in_both(pairs: NDArray[np.int64]) -> bool:
    """Whether two of some pairs of values, in the last two columns, differ in both."""
    _, left, right = pairs.T
    return bool(((left[:, None] != left) & (right[:, None] != right)).any())
