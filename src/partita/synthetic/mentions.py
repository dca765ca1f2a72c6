"""Mentions of authors as numbers: the rows of `authors`, without a string being made.

What a name, a word or a venue is called does not matter to inference, only which are the same. A
mention is a row of keys in six groups: the full first name, the initial and the full form of the
middle name (one key at most), then words of the title, the topic of the venue and last names of
coauthors (bags). Rows stand in canopies of one last name and initial. A mistyped name is a key, or
a canopy, that no other mention has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.states.checks import whole
from partita.synthetic.authors import Bibliography
from partita.synthetic.draws import Ints
from partita.synthetic.plan import owner
from partita.synthetic.settings import Literature, chosen
from partita.synthetic.words import VENUES, WORDS

__all__ = ["COLUMNS", "GROUPS", "EncodedAuthors", "encoded_authors"]

GROUPS = ("first", "middle_initial", "middle", "title", "topic", "coauthors")
COLUMNS = 3
"""The first groups are columns: a mention has one key there at most."""
BATCH = 1 << 17
MOST = 18
"""Keys of a mention, at most: three of names, ten words, a topic and four coauthors."""
LETTERS = 32


class EncodedAuthors(NamedTuple):
    """Mentions in canopy order; row r of `authors` with the same seed is where `row` says r."""

    start: Ints
    """Where the keys of each mention begin, and their number at the end."""
    key: NDArray[np.int32]
    count: NDArray[np.uint16]  # type: ignore[assignment]
    """How often the mention has the key."""
    edges: Ints
    """Keys of group g are those from edges[g] to edges[g + 1] - 1."""
    family: NDArray[np.int32]
    """By key: full names with one initial are one family, all else is one family by group."""
    canopy: Ints
    """Where each canopy begins, and the number of mentions at the end."""
    truth: NDArray[np.int32]
    """The author of each mention."""
    row: NDArray[np.int32]


def encoded_authors(
    n: int, seed: int = 0, *, literature: Literature | None = None
) -> EncodedAuthors:
    """The mentions of `authors(n, seed)` as keys, in canopies of one last name and initial.

    >>> encoded_authors(100, seed=1).start.size
    101
    """
    n, seed = whole(n, "n"), whole(seed, "seed", 0)
    return _Coder(Bibliography(n, seed, chosen(literature, Literature, "literature"))).all(n)


class _Coder:
    """The keys of a bibliography."""

    def __init__(self, made: Bibliography) -> None:
        self.made = made
        letters = made.given.cells[:, 0]
        self.letter = np.unique(letters, return_inverse=True)[1].reshape(-1).astype(np.int64)
        self.given = self.letter.size
        self.typos = np.flatnonzero(made.mistyped("first", np.arange(made.plan.slots.size)))
        widths = (self.given + self.typos.size, LETTERS, self.given, WORDS, made.literature.topics)
        self.edges = np.cumsum([0, *widths, len(made.surnames)])

    def all(self, n: int) -> EncodedAuthors:
        """Every mention, in canopy order."""
        canopy, order = self._canopies(n)
        start = np.zeros(n + 1, np.int64)
        # pages that are never touched cost no memory
        key, count = np.empty(MOST * n, np.int32), np.empty(MOST * n, np.uint16)
        truth, done = np.empty(n, np.int32), 0
        for first in range(0, n, BATCH):
            row = order[first : first + BATCH].astype(np.int64)
            author = self._author(row)
            truth[first : first + row.size] = author
            found, times, lengths = self._rows(author, row)
            key[done : done + found.size] = found
            count[done : done + found.size] = times
            start[first + 1 : first + row.size + 1] = done + np.cumsum(lengths)
            done += found.size
        return EncodedAuthors(
            start, key[:done], count[:done], self.edges, self._family(), canopy, truth, order
        )

    def _author(self, row: Ints) -> Ints:
        plan = self.made.plan
        return owner(plan.starts, plan.slots[row].astype(np.int64))

    def _canopies(self, n: int) -> tuple[Ints, NDArray[np.int32]]:
        code = np.empty(n, np.int64)
        for first in range(0, n, BATCH):
            row = np.arange(first, min(n, first + BATCH))
            author = self._author(row)
            last = self.made.surname_place(author)
            last = np.where(self.made.mistyped("last", row), len(self.made.surnames) + row, last)
            initial = self.letter[self.made.given_place("first", author)]
            code[row] = last * LETTERS + initial
        order = np.argsort(code, kind="stable")
        code = code[order]
        cuts = np.flatnonzero(code[1:] != code[:-1]) + 1
        return np.concatenate([[0], cuts, [n]]), order.astype(np.int32)

    def _rows(self, author: Ints, row: Ints) -> tuple[Ints, Ints, Ints]:
        """Keys of each row in order, how often it has each, and how many it has."""
        pieces = [*self._names(author, row), *self._contents(author, row)]
        place = np.concatenate([rows for rows, _ in pieces])
        keys = np.concatenate([keys for _, keys in pieces])
        width = int(self.edges[-1])
        code, times = np.unique(place * width + keys, return_counts=True)
        place, keys = np.divmod(code, width)
        return keys, times, np.bincount(place, minlength=row.size)

    def _names(self, author: Ints, row: Ints) -> list[tuple[Ints, Ints]]:
        made, here = self.made, np.arange(row.size)
        first = made.given_place("first", author)
        typo = made.mistyped("first", row)
        first = np.where(typo, self.given + np.searchsorted(self.typos, row), first)
        full, form = ~made.cut(row), made.middle_form(author, row)
        middle = made.given_place("middle", author)
        some, whole_ = form > 0, form == 2
        return [
            (here[full], first[full]),
            (here[some], self.edges[1] + self.letter[middle[some]]),
            (here[whole_], self.edges[2] + middle[whole_]),
        ]

    def _contents(self, author: Ints, row: Ints) -> list[tuple[Ints, Ints]]:
        made, here = self.made, np.arange(row.size)
        topic = made.topic(author, row)
        word, words = made.title(author, row, topic)
        venue, gone = made.venue(row, topic)
        other, others = made.coauthors(author, row)
        return [
            (np.repeat(here, words), self.edges[3] + word),
            (here[~gone], self.edges[4] + venue[~gone] // VENUES),
            (np.repeat(here, others), self.edges[5] + made.surname_place(other)),
        ]

    def _family(self) -> NDArray[np.int32]:
        found = np.repeat(np.arange(len(GROUPS)), np.diff(self.edges))
        typed = self.letter[self.made.given_place("first", self._author(self.typos))]
        found[: self.edges[1]] = len(GROUPS) + np.concatenate([self.letter, typed])
        found[self.edges[2] : self.edges[3]] = len(GROUPS) + LETTERS + self.letter
        return found.astype(np.int32)
