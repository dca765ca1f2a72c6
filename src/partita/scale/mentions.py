"""Mentions as flat arrays: rows of keys in canopy order.

A mention has keys of several groups: at most one of a column (a name), any number of a bag (words).
Mentions of one canopy are adjacent. No entity crosses canopies, so a set of canopies can be
searched, or sent to another machine, on its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints

__all__ = [
    "Mentions",
    "Vocabulary",
    "check_mentions",
    "gather",
    "reorder_mentions",
    "spans",
    "vocabulary",
]


class Vocabulary(NamedTuple):
    """All keys of the data; a shard may hold only a part of them."""

    names: tuple[str, ...]
    """Names of the groups: columns first, then bags."""
    columns: int
    """Number of columns among the groups."""
    edges: Ints
    """Group g has the keys from edges[g] to edges[g + 1] - 1."""
    family: NDArray[np.int32]
    """Keys of one family share the base measure of their group (names with one initial)."""
    shown: Ints
    """Mentions that have the key."""
    mass: Ints
    """Occurrences of the key."""
    mentions: int
    """Mentions of the data."""

    @property
    def group(self) -> NDArray[np.uint8]:
        """The group of each key."""
        return np.repeat(np.arange(len(self.names), dtype=np.uint8), np.diff(self.edges))

    def idf(self) -> Floats:
        """The inverse document frequency of each key, log((N + 1) / shown)."""
        return np.log((self.mentions + 1.0) / np.maximum(self.shown, 1))

    def base(self) -> Floats:
        """The share of each key among the occurrences of its family."""
        mass = np.maximum(self.mass, 1e-12)
        total = np.bincount(self.family, mass)
        return np.asarray(mass / total[self.family], float)


class Mentions(NamedTuple):
    """Rows of keys; canopy c holds the mentions from canopy[c] to canopy[c + 1] - 1."""

    start: Ints
    key: NDArray[np.int32]
    """Keys of each mention, rising within a row."""
    count: NDArray[np.uint16]  # type: ignore[assignment]
    """Occurrences of the key in the mention."""
    canopy: Ints
    vocabulary: Vocabulary

    @property
    def size(self) -> int:
        """The number of mentions."""
        return int(self.start.size - 1)


def vocabulary(
    names: tuple[str, ...],
    columns: int,
    edges: Ints,
    family: NDArray[np.int32],
    key: NDArray[np.int32],
    count: NDArray[np.uint16],
    mentions: int,
) -> Vocabulary:
    """The vocabulary of mentions, with the occurrences of each key counted."""
    size = int(edges[-1])
    shown = np.bincount(key, minlength=size)
    mass = np.bincount(key, count, size).astype(np.int64)
    return Vocabulary(names, columns, edges, family, shown, mass, mentions)


def check_mentions(mentions: Mentions) -> Mentions:
    """Return the mentions; raise an InputError if their arrays do not fit each other."""
    n, words = mentions.size, mentions.vocabulary
    if n < 1:
        raise InputError("there are no mentions; give at least one")
    if len(words.names) != words.edges.size - 1 or words.edges[-1] != words.family.size:
        raise InputError(
            f"the vocabulary has {len(words.names)} groups, {words.edges.size} edges and "
            f"{words.family.size} families; give one edge more than groups, and a family by key"
        )
    for name, cuts, last in (
        ("start", mentions.start, mentions.key.size),
        ("canopy", mentions.canopy, n),
    ):
        if cuts[0] != 0 or cuts[-1] != last or (np.diff(cuts) < 0).any():
            raise InputError(
                f"{name} of the mentions goes from {cuts[0]} to {cuts[-1]}; "
                f"let it rise from 0 to {last}"
            )
    if mentions.key.size and not 0 <= mentions.key.min() <= mentions.key.max() < words.edges[-1]:
        raise InputError(
            f"keys of the mentions go from {mentions.key.min()} to {mentions.key.max()} but the "
            f"vocabulary has {words.edges[-1]}; number keys from 0"
        )
    return mentions


def gather(mentions: Mentions, canopies: Ints) -> Mentions:
    """Copy the canopies `canopies`, in this order, into a shard."""
    sizes = np.diff(mentions.canopy)[canopies]
    rows = spans(mentions.canopy[canopies], sizes)
    return reorder_mentions(mentions, rows, np.concatenate([[0], np.cumsum(sizes)]))


def reorder_mentions(mentions: Mentions, rows: Ints, canopy: Ints) -> Mentions:
    """Copy the mentions `rows`, in this order, into new canopies."""
    lengths = np.diff(mentions.start)[rows]
    cells = spans(mentions.start[rows], lengths)
    return Mentions(
        np.concatenate([[0], np.cumsum(lengths)]),
        mentions.key[cells],
        mentions.count[cells],
        canopy,
        mentions.vocabulary,
    )


def spans(first: Ints, lengths: Ints) -> Ints:
    """The numbers first[k], first[k] + 1, ... of each span, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(int(lengths.sum())) + np.repeat(first - (ends - lengths), lengths)
