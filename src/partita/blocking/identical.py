"""Pairs of identical records, which searches miss where a record has more of them than neighbours.

A record is paired with a leader of its group and with the records that follow it, in an order in
which sources take turns. So a group is connected, its size times k bounds its pairs, and the n-th
records of two sources are a pair, which links one to one need.
"""

from __future__ import annotations

import numpy as np

from partita.blocking.ngrams import Int32s
from partita.blocking.union import PairList
from partita.kernel import Ints

__all__ = ["pair_identical"]


def pair_identical(same: Ints, source: Int32s, k: int) -> PairList:
    """Pair identical records, each with k others at most; `same` names the group of each record.

    With sources only pairs across sources count.
    """
    members = np.flatnonzero(np.bincount(same, minlength=same.size)[same] > 1)
    codes = source.astype(np.int64) if source.size else np.arange(same.size)
    own = codes[members]
    members = members[np.lexsort((own, _rank_within(same[members], own), same[members]))]
    group, own = same[members], codes[members]
    start = np.searchsorted(group, group)
    other = _find_other_leaders(group, own, start)
    leader = np.where(own == own[start], other, start)
    last = np.searchsorted(group, group, side="right")
    place = np.arange(members.size)[:, None] + np.arange(1, k)
    place = np.column_stack([leader, np.where(place < last[:, None], place, -1)])
    is_pair = (place >= 0) & (own[place] != own[:, None])
    return members.astype(np.int32), np.where(is_pair, members[place], -1).astype(np.int32)


def _rank_within(group: Ints, source: Ints) -> Ints:
    """The number of earlier records of the same group and source."""
    order = np.lexsort((source, group))
    is_first = np.append(True, np.diff(group[order]) != 0)[: order.size]
    is_first[1:] |= np.diff(source[order]) != 0
    places = np.arange(order.size)
    rank = np.empty(order.size, np.int64)
    rank[order] = places - np.maximum.accumulate(np.where(is_first, places, 0))
    return rank


def _find_other_leaders(group: Ints, own: Ints, start: Ints) -> Ints:
    """The place of the first record of each group in another source than its first one, or -1."""
    differs = np.flatnonzero(own != own[start])
    first = np.full(group.size, -1, np.int64)
    first[start[differs[::-1]]] = differs[::-1]
    return first[start]
