"""Relatives in the entity model: what an entity loses because relatives would agree as well.

Of two records that share what a household shares, the pair model takes back evidence (`related`).
An entity of n records loses the mean of that over its pairs, n - 1 times: as often as it joins one
more record, and not as often as it has pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.factors import Template, cluster_score
from partita.kernel import Floats, Ints
from partita.resolution.evidence import Evidence

__all__ = ["kin"]


class Relief(NamedTuple):
    """By record: others that are like relatives of it, ascending, and what that takes back."""

    start: Ints
    other: Ints
    value: Floats


def mean_relief(relief: Relief, members: Ints) -> float:
    """The sum over pairs, by half the number of records."""
    total = 0.0
    for a in range(len(members)):
        for b in range(a):
            i, j = members[a], members[b]
            low, high = relief.start[i], relief.start[i + 1]
            last = high
            while low < high:
                middle = (low + high) >> 1
                if relief.other[middle] < j:
                    low = middle + 1
                else:
                    high = middle
            if low < last and relief.other[low] == j:
                total += relief.value[low]
    return 2.0 * total / len(members)


def kin(evidence: Evidence, rows: Ints) -> tuple[Template, ...]:
    """The template of some records; none where the pair model knows no relatives."""
    if evidence.model.related is None:
        return ()
    place = np.full(evidence.n, -1)
    place[rows] = np.arange(rows.size)
    pairs, value = place[evidence.pairs], evidence.scores.dependence
    kept = (pairs >= 0).all(1) & (value < 0.0)
    both = np.concatenate([pairs[kept], pairs[kept][:, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    start = np.searchsorted(both[order, 0], np.arange(rows.size + 1))
    relief = Relief(start, both[order, 1], np.tile(value[kept], 2)[order])
    return (cluster_score(mean_relief, relief, rows.size, name="kin"),)
