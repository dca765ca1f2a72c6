"""Canopies beyond measure are cut into pieces, and what is lost by it is said.

The cost of a step does not depend on the canopy, but in a canopy of a million, of many thousand
entities, mentions of one entity hardly meet, and all its tables are in memory at once.
"""

from __future__ import annotations

import numpy as np

from partita.kernel import Ints
from partita.scale.mentions import Mentions, reordered

__all__ = ["back", "firsts", "limited"]


def limited(mentions: Mentions, most: int) -> tuple[Mentions, Ints, list[str]]:
    """Mentions whose canopies have at most `most` each, their old numbers, and what was done.

    Mentions of a canopy that is too large are sorted by a key that they share: of the first group
    in which a mention has one that fits into a piece, the commonest. Equal keys stay together.
    """
    sizes = np.diff(mentions.canopy)
    order, notes = np.arange(mentions.size), []
    cuts = [mentions.canopy]
    for c in np.flatnonzero(sizes > most):
        first, last = int(mentions.canopy[c]), int(mentions.canopy[c + 1])
        place, ends = pieces(signatures(mentions, first, last, most), most)
        order[first:last] = first + place
        cuts.append(first + ends)
        notes.append(
            f"canopy {c} has {last - first:,} mentions and was cut into {ends.size + 1} pieces of "
            f"at most {most:,}: an entity that lies in two pieces stays apart; "
            "give narrower canopies, such as the full first name"
        )
    if not notes:
        return mentions, order, notes
    return reordered(mentions, order, np.sort(np.concatenate(cuts))), order, notes


def signatures(mentions: Mentions, first: int, last: int, most: int) -> Ints:
    """The key by which each mention of a canopy is sorted; -1 where it shares none that fits."""
    words = mentions.vocabulary
    a, b = int(mentions.start[first]), int(mentions.start[last])
    key = mentions.key[a:b].astype(np.int64)
    row = np.repeat(np.arange(last - first), np.diff(mentions.start[first : last + 1]))
    shown = np.bincount(key, minlength=int(words.edges[-1]))[key]
    fits = np.flatnonzero((shown > 1) & (shown <= most))
    # the last one written stays: later groups first, and in a group the commonest last
    rank = np.lexsort((shown[fits], -words.group[key[fits]].astype(np.int64)))
    found = np.full(last - first, -1)
    found[row[fits][rank]] = key[fits][rank]
    return found


def pieces(signature: Ints, most: int) -> tuple[Ints, Ints]:
    """An order in which equal signatures stand together, and where to cut it."""
    place = np.argsort(signature, kind="stable")
    ranked = signature[place]
    edges = np.flatnonzero(np.diff(ranked, prepend=ranked[0] - 1, append=ranked[-1] + 1))
    cuts, held = [], 0
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if held and held + end - begin > most:
            cuts.append(begin)
            held = 0
        # one signature may be too common by itself: those that share nothing are
        extra = range(begin + most, end, most)
        cuts.extend(extra)
        held = end - (extra[-1] if extra else begin - held)
    return place, np.array(cuts, np.int64)


def back(labels: Ints, order: Ints) -> Ints:
    """Labels by old number, each the old number of the first mention of the entity."""
    found = np.empty_like(labels)
    found[order] = labels
    return firsts(found)


def firsts(labels: Ints, number: Ints | None = None) -> Ints:
    """For each place, the lowest number of a place with the same label; by default, of its own."""
    number = np.arange(labels.size) if number is None else number
    first = np.full(int(labels.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, labels, number)
    return first[labels]
