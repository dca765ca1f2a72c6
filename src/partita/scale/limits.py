"""Split canopies above the size limit and report the pairs this separates.

The cost of a step does not depend on the size of the canopy. In a canopy of a million mentions and
thousands of entities, however, a proposal rarely draws two mentions of one entity, and all tables
of the canopy are in memory at once.
"""

from __future__ import annotations

import numpy as np

from partita.kernel import Ints
from partita.scale.mentions import Mentions, reorder_mentions

__all__ = ["first_mentions", "restore_order", "split_canopies"]


def split_canopies(mentions: Mentions, limit: int) -> tuple[Mentions, Ints, list[str]]:
    """Mentions in canopies of at most `limit` each, their old numbers, and a note for each split.

    Mentions of a larger canopy are sorted by a shared key, so that mentions with the same key stay
    in one piece. The key is the most frequent one, of the first group in which the mention has a
    key that is not too frequent for a piece.
    """
    sizes = np.diff(mentions.canopy)
    order, notes = np.arange(mentions.size), []
    cuts = [mentions.canopy]
    for c in np.flatnonzero(sizes > limit):
        first, last = int(mentions.canopy[c]), int(mentions.canopy[c + 1])
        place, ends = cut_pieces(shared_keys(mentions, first, last, limit), limit)
        order[first:last] = first + place
        cuts.append(first + ends)
        notes.append(
            f"canopy {c} has {last - first:,} mentions and was split into {ends.size + 1} pieces "
            f"of at most {limit:,}: an entity with mentions in two pieces stays split; "
            "use narrower canopies, such as the full first name"
        )
    if not notes:
        return mentions, order, notes
    return reorder_mentions(mentions, order, np.sort(np.concatenate(cuts))), order, notes


def shared_keys(mentions: Mentions, first: int, last: int, limit: int) -> Ints:
    """The key by which each mention of a canopy is sorted; -1 without a suitable shared key."""
    words = mentions.vocabulary
    a, b = int(mentions.start[first]), int(mentions.start[last])
    key = mentions.key[a:b].astype(np.int64)
    row = np.repeat(np.arange(last - first), np.diff(mentions.start[first : last + 1]))
    frequency = np.bincount(key, minlength=int(words.edges[-1]))[key]
    fits = np.flatnonzero((frequency > 1) & (frequency <= limit))
    # the last assignment wins: later groups first, and in a group the most frequent key last
    rank = np.lexsort((frequency[fits], -words.group[key[fits]].astype(np.int64)))
    shared = np.full(last - first, -1)
    shared[row[fits][rank]] = key[fits][rank]
    return shared


def cut_pieces(key: Ints, limit: int) -> tuple[Ints, Ints]:
    """An order in which mentions with equal keys are adjacent, and the places where to cut it."""
    place = np.argsort(key, kind="stable")
    sorted_keys = key[place]
    edges = np.flatnonzero(
        np.diff(sorted_keys, prepend=sorted_keys[0] - 1, append=sorted_keys[-1] + 1)
    )
    cuts, filled = [], 0
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if filled and filled + end - begin > limit:
            cuts.append(begin)
            filled = 0
        # mentions without a shared key may be more than one piece holds
        extra = range(begin + limit, end, limit)
        cuts.extend(extra)
        filled = end - (extra[-1] if extra else begin - filled)
    return place, np.array(cuts, np.int64)


def restore_order(labels: Ints, order: Ints) -> Ints:
    """Labels by old number; a label is the old number of the first mention of the entity."""
    restored = np.empty_like(labels)
    restored[order] = labels
    return first_mentions(restored)


def first_mentions(labels: Ints, number: Ints | None = None) -> Ints:
    """The lowest number among the mentions with the same label; `number` defaults to the place."""
    number = np.arange(labels.size) if number is None else number
    first = np.full(int(labels.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, labels, number)
    return first[labels]
