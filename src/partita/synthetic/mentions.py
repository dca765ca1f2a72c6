"""Author mentions as integer keys: the rows of `authors`, generated without strings.

Inference compares names, words and venues for equality only. A mention is a row of keys in six
groups: the full first name, the initial and the full form of the middle name (one key at most),
then words of the title, the topic of the venue and last names of coauthors (bags). Rows are grouped
into canopies of one last name and initial. A mistyped name is a key, or a canopy, that no other
mention has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.states.checks import whole
from partita.synthetic.authors import Bibliography
from partita.synthetic.draws import Ints
from partita.synthetic.plan import owner
from partita.synthetic.settings import Literature, check_settings
from partita.synthetic.words import VENUES, WORDS

__all__ = ["COLUMNS", "GROUPS", "EncodedAuthors", "encoded_authors"]

GROUPS = ("first", "middle_initial", "middle", "title", "topic", "coauthors")
COLUMNS = 3
"""Number of groups, from the first, with at most one key a mention."""
BATCH_ROWS = 1 << 17
"""Mentions generated at a time."""
MAX_KEYS = 18
"""Maximum keys of a mention: three of names, ten words, a topic and four coauthors."""
INITIALS = 32
"""Upper bound of the distinct initials of given names."""


class EncodedAuthors(NamedTuple):
    """Mentions in canopy order; `row` maps each to its row of `authors` with the same seed."""

    start: Ints
    """Offset of the first key of each mention; the last entry is the number of keys."""
    key: NDArray[np.int32]
    count: NDArray[np.uint16]  # type: ignore[assignment]
    """Multiplicity of the key in the mention."""
    edges: Ints
    """Keys of group g run from edges[g] to edges[g + 1] - 1."""
    family: NDArray[np.int32]
    """By key: full names with one initial are one family, all else is one family by group."""
    canopy: Ints
    """Offset of the first mention of each canopy; the last entry is the number of mentions."""
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
    return _Coder(Bibliography(n, seed, check_settings(literature, Literature, "literature"))).all(
        n
    )


class _Coder:
    """The keys of a bibliography."""

    def __init__(self, bibliography: Bibliography) -> None:
        self.bibliography = bibliography
        letters = bibliography.given.cells[:, 0]
        self.letter = np.unique(letters, return_inverse=True)[1].reshape(-1).astype(np.int64)
        self.given = self.letter.size
        self.typos = np.flatnonzero(
            bibliography.has_typo("first", np.arange(bibliography.plan.slots.size))
        )
        widths = (
            self.given + self.typos.size,
            INITIALS,
            self.given,
            WORDS,
            bibliography.literature.topics,
        )
        self.edges = np.cumsum([0, *widths, len(bibliography.surnames)])

    def all(self, n: int) -> EncodedAuthors:
        """Every mention, in canopy order."""
        canopy, order = self._canopies(n)
        start = np.zeros(n + 1, np.int64)
        # pages that are never touched cost no memory
        key, count = np.empty(MAX_KEYS * n, np.int32), np.empty(MAX_KEYS * n, np.uint16)
        truth, filled = np.empty(n, np.int32), 0
        for first in range(0, n, BATCH_ROWS):
            row = order[first : first + BATCH_ROWS].astype(np.int64)
            author = self._author(row)
            truth[first : first + row.size] = author
            keys, times, lengths = self._rows(author, row)
            key[filled : filled + keys.size] = keys
            count[filled : filled + keys.size] = times
            start[first + 1 : first + row.size + 1] = filled + np.cumsum(lengths)
            filled += keys.size
        return EncodedAuthors(
            start, key[:filled], count[:filled], self.edges, self._family(), canopy, truth, order
        )

    def _author(self, row: Ints) -> Ints:
        plan = self.bibliography.plan
        return owner(plan.starts, plan.slots[row].astype(np.int64))

    def _canopies(self, n: int) -> tuple[Ints, NDArray[np.int32]]:
        code = np.empty(n, np.int64)
        for first in range(0, n, BATCH_ROWS):
            row = np.arange(first, min(n, first + BATCH_ROWS))
            author = self._author(row)
            last = self.bibliography.surname_place(author)
            last = np.where(
                self.bibliography.has_typo("last", row), len(self.bibliography.surnames) + row, last
            )
            initial = self.letter[self.bibliography.given_place("first", author)]
            code[row] = last * INITIALS + initial
        order = np.argsort(code, kind="stable")
        code = code[order]
        cuts = np.flatnonzero(code[1:] != code[:-1]) + 1
        return np.concatenate([[0], cuts, [n]]), order.astype(np.int32)

    def _rows(self, author: Ints, row: Ints) -> tuple[Ints, Ints, Ints]:
        """Keys of the rows in order, their multiplicities, and the number of keys by row."""
        pieces = [*self._names(author, row), *self._contents(author, row)]
        place = np.concatenate([rows for rows, _ in pieces])
        keys = np.concatenate([keys for _, keys in pieces])
        width = int(self.edges[-1])
        code, times = np.unique(place * width + keys, return_counts=True)
        place, keys = np.divmod(code, width)
        return keys, times, np.bincount(place, minlength=row.size)

    def _names(self, author: Ints, row: Ints) -> list[tuple[Ints, Ints]]:
        bibliography, place = self.bibliography, np.arange(row.size)
        first = bibliography.given_place("first", author)
        typo = bibliography.has_typo("first", row)
        first = np.where(typo, self.given + np.searchsorted(self.typos, row), first)
        shows_first, form = ~bibliography.cut(row), bibliography.middle_form(author, row)
        middle = bibliography.given_place("middle", author)
        shows_initial, shows_middle = form > 0, form == 2
        return [
            (place[shows_first], first[shows_first]),
            (place[shows_initial], self.edges[1] + self.letter[middle[shows_initial]]),
            (place[shows_middle], self.edges[2] + middle[shows_middle]),
        ]

    def _contents(self, author: Ints, row: Ints) -> list[tuple[Ints, Ints]]:
        bibliography, place = self.bibliography, np.arange(row.size)
        topic = bibliography.topic(author, row)
        word, words = bibliography.title(author, row, topic)
        venue, gone = bibliography.venue(row, topic)
        coauthor, coauthors = bibliography.coauthors(author, row)
        return [
            (np.repeat(place, words), self.edges[3] + word),
            (place[~gone], self.edges[4] + venue[~gone] // VENUES),
            (np.repeat(place, coauthors), self.edges[5] + bibliography.surname_place(coauthor)),
        ]

    def _family(self) -> NDArray[np.int32]:
        family = np.repeat(np.arange(len(GROUPS)), np.diff(self.edges))
        initial = self.letter[self.bibliography.given_place("first", self._author(self.typos))]
        family[: self.edges[1]] = len(GROUPS) + np.concatenate([self.letter, initial])
        family[self.edges[2] : self.edges[3]] = len(GROUPS) + INITIALS + self.letter
        return family.astype(np.int32)
