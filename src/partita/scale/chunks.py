"""Chunks: groups of canopies that one chain searches, with their own numbering of keys.

A canopy of thousands of mentions is a chunk of its own. Small canopies are grouped, so that there
are few chains and no Python object for each canopy. Keys are renumbered within a chunk, which keeps
tables small and local in memory. A key that only one mention of a canopy has cannot match and is
dropped: it changes an aggregated score by a constant only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry, kernel
from partita.proposals.canopies import Canopies
from partita.scale.mentions import Mentions, spans

__all__ = ["Chunk", "Scratch", "local", "plan", "scratch"]


class Chunk(NamedTuple):
    """The mentions of a group of canopies, with renumbered keys."""

    rows: Ints
    """The number of each mention among all."""
    start: Ints
    key: Ints
    """Keys of each mention, rising within a row."""
    count: Floats  # type: ignore[assignment]
    group: Ints
    """The group of each key."""
    origin: Ints
    """The number of each key in the vocabulary."""
    own: Floats
    """Occurrences of each mention in each group, including dropped keys."""
    length: Floats
    """Squared norm of each mention in each group; keys are weighted by idf."""
    canopies: Canopies

    @property
    def size(self) -> int:
        """The number of mentions."""
        return int(self.rows.size)


class Scratch(NamedTuple):
    """Tables that all chunks share, and work arrays by key for one thread."""

    group: NDArray[np.uint8]
    idf: Floats
    seen: NDArray[np.int32]
    number: NDArray[np.int32]


def scratch(mentions: Mentions) -> Scratch:
    """Allocate the scratch arrays of one thread."""
    words = mentions.vocabulary
    size = int(words.edges[-1])
    return Scratch(words.group, words.idf(), np.zeros(size, np.int32), np.full(size, -1, np.int32))


def plan(mentions: Mentions, limit: int) -> list[Ints]:
    """Group canopies into chunks of up to `limit` mentions, the largest canopies first.

    Canopies of one mention need no search and are in no chunk.
    """
    sizes = np.diff(mentions.canopy)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 1]
    chunks, first, filled = [], 0, 0
    for k, size in enumerate(sizes[order].tolist()):
        if filled and filled + size > limit:
            chunks.append(order[first:k])
            first, filled = k, 0
        filled += size
    if filled:
        chunks.append(order[first:])
    return chunks


def local(mentions: Mentions, canopies: Ints, room: Scratch) -> Chunk:
    """Build the chunk of a group of canopies."""
    sizes = np.diff(mentions.canopy)[canopies]
    rows = spans(mentions.canopy[canopies], sizes)
    m, cell_limit = rows.size, int((mentions.start[rows + 1] - mentions.start[rows]).sum())
    groups = len(mentions.vocabulary.names)
    start, bounds = np.zeros(m + 1, np.int64), np.concatenate([[0], np.cumsum(sizes)])
    key, count = np.empty(cell_limit, np.int64), np.empty(cell_limit)
    group, origin = np.empty(cell_limit, np.int64), np.empty(cell_limit, np.int64)
    own, length = np.zeros((m, groups)), np.zeros((m, groups))
    cells, keys = renumber(
        *(mentions.start, mentions.key, mentions.count, rows, bounds, room),
        *(start, key, count, group, origin, own, length),
    )
    return Chunk(
        rows,
        start,
        key[:cells],
        count[:cells],
        group[:keys],
        origin[:keys],
        own,
        length,
        Canopies(np.arange(m), np.repeat(np.arange(sizes.size), sizes), bounds, np.array([0, m])),
    )


@kernel
def sink(key: Ints, count: Floats, first: int, last: int) -> None:
    """Insert the last cell of a row in order; the other cells are sorted already."""
    at = last
    k, c = key[last], count[last]
    while at > first and key[at - 1] > k:
        key[at] = key[at - 1]
        count[at] = count[at - 1]
        at -= 1
    key[at] = k
    count[at] = c


@kernel
def weigh(key: Any, count: Any, room: Scratch, a: int, b: int, own: Floats, length: Floats) -> None:
    """Add occurrences and norms of one mention by group; count the mentions of each key."""
    for q in range(a, b):
        f = key[q]
        g = room.group[f]
        room.seen[f] += 1
        own[g] += count[q]
        x = count[q] * room.idf[f]
        length[g] += x * x


@entry
def renumber(
    first: Ints,
    key: Any,
    count: Any,
    rows: Ints,
    bounds: Ints,
    room: Scratch,
    start: Ints,
    new_key: Ints,
    new_count: Floats,
    group: Ints,
    origin: Ints,
    own: Floats,
    length: Floats,
) -> tuple[int, int]:
    """Fill the arrays of a chunk; returns its number of cells and keys."""
    cells, keys = 0, 0
    for c in range(bounds.size - 1):
        for r in range(bounds[c], bounds[c + 1]):
            i = rows[r]
            weigh(key, count, room, first[i], first[i + 1], own[r], length[r])
        for r in range(bounds[c], bounds[c + 1]):
            i = rows[r]
            for q in range(first[i], first[i + 1]):
                f = key[q]
                if room.seen[f] > 1:
                    if room.number[f] < 0:
                        room.number[f] = keys
                        origin[keys] = f
                        group[keys] = room.group[f]
                        keys += 1
                    new_key[cells] = room.number[f]
                    new_count[cells] = count[q]
                    sink(new_key, new_count, start[r], cells)
                    cells += 1
            start[r + 1] = cells
        for r in range(bounds[c], bounds[c + 1]):
            i = rows[r]
            for q in range(first[i], first[i + 1]):
                room.seen[key[q]] = 0
                room.number[key[q]] = -1
    return cells, keys
