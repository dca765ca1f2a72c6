"""Encode author records as mentions: columns by their names, text as keys.

A mention has the features of HCOREF 4 (Wick, Singh & McCallum 2012): the first name, the initial
and the full form of the middle name, and bags of title words, venues and coauthors. A canopy holds
the mentions of one last name and first initial.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from partita.data import Records, clean
from partita.data.tex import parse_name
from partita.kernel import Ints
from partita.linkage.authors.columns import CONTENTS, roles_of
from partita.scale import Mentions
from partita.scale.encoding import mentions_of

__all__ = ["AuthorMentions", "author_mentions"]

SEPARATORS = (";", "|", " and ", ",")
"""Separators of lists of names; a column uses the first one that it contains."""
MIN_LETTERS = 3
"""Letters of the shortest title word that is used. Origin: 0.1."""

BACKGROUND = 20_000
"""Mentions of the assumed larger literature. Origin: chosen among 0, 1,000, 5,000, 20,000 and
100,000 on generated files of 60 to 20,000 mentions."""

Texts = NDArray[Any]
"""One text for each record; None is missing."""


class AuthorMentions(NamedTuple):
    """Mentions in canopy order, the input row of each, the columns by role, and notes."""

    mentions: Mentions
    row: Ints
    columns: dict[str, str]
    notes: tuple[str, ...]


class Names(NamedTuple):
    """The parts of the name of each record, cleaned."""

    last: Texts
    initial: Texts
    first: Texts
    middle_initial: Texts
    middle: Texts

    def labels(self) -> list[str | None]:
        """Initial and last name of each record, None without a last name."""
        pairs = zip(self.initial.tolist(), self.last.tolist(), strict=True)
        return [last and f"{initial or ''} {last}" for initial, last in pairs]


def author_mentions(records: Records, canopies: str | None = None) -> AuthorMentions:
    """Encode author records for a search.

    Parameters
    ----------
    canopies
        A column whose values no entity crosses; by default last name and first initial.
    """
    roles = roles_of(records)
    names = _names(records, roles)
    labels = names.labels()
    columns = {name: getattr(names, name) for name in ("first", "middle_initial", "middle")}
    bags: dict[str, sparse.csr_array] = {}
    if "title" in roles:
        bags["title"] = _words(records, roles["title"])
    if "venue" in roles:
        venue = records.column(roles["venue"])
        bags["venue"] = _bag(venue.codes, np.arange(len(venue.values) + 1), venue.values)
    if "coauthors" in roles:
        bags["coauthors"] = _coauthors(records, roles["coauthors"], labels)
    groups = _texts(labels) if canopies is None else _column(records, canopies)
    encoded = mentions_of(columns, bags, groups)
    mentions = _add_background(_by_initial(encoded.mentions, [names.first, None, names.middle]))
    absent = [name for name in CONTENTS if name not in roles]
    notes = list(encoded.notes)
    if absent:
        missing = " and ".join(absent)
        notes.append(f"there is no column of {missing}; only the other columns are compared")
    return AuthorMentions(mentions, encoded.row, roles, tuple(notes))


def _names(records: Records, roles: dict[str, str]) -> Names:
    """The parts of names, from separate columns or parsed from whole names."""
    if "name" in roles:
        whole = records.column(roles["name"], cleaned=False)
        split = [parse_name(text) for text in whole.values.to_pylist()]
        last, given_names, middle = (
            _spread(whole.codes, clean(pa.array(part, pa.string())))
            for part in (
                [name.last for name in split],
                [name.first for name in split],
                [name.middle for name in split],
            )
        )
    else:
        last, given_names, middle = (
            _column(records, roles.get(text)) for text in ("last", "first", "middle")
        )
    # "jean pierre" and "j p" have a middle name
    words = [(text or "").split(maxsplit=1) for text in given_names.tolist()]
    first = _texts([text[0] if text else None for text in words])
    remainder = _texts([text[1] if len(text) > 1 else None for text in words])
    second = np.where(middle == None, remainder, middle)  # noqa: E711
    second = _texts([text and text.split()[0] for text in second.tolist()])
    return Names(last, _initial(first), _full(first), _initial(second), _full(second))


def _texts(values: Sequence[str | None]) -> Texts:
    texts = np.empty(len(values), object)
    texts[:] = values
    return texts


def _spread(codes: NDArray[np.int32], values: pa.Array) -> Texts:
    """The value of each record; code -1 is the None at the end."""
    return _texts([*values.to_pylist(), None])[codes]


def _column(records: Records, name: str | None) -> Texts:
    if name is None:
        return _texts([None] * records.n)
    column = records.column(name)
    return _spread(column.codes, column.values)


def _initial(words: Texts) -> Texts:
    return _texts([word and word[0] for word in words.tolist()])


def _full(words: Texts) -> Texts:
    """The words that are more than an initial."""
    return _texts([word if word and len(word) > 1 else None for word in words.tolist()])


def _words(records: Records, name: str) -> sparse.csr_array:
    """Counts of the words of a column, by record."""
    column = records.column(name)
    lists = pc.split_pattern(column.values, " ")
    return _bag(column.codes, np.asarray(lists.offsets), lists.values, MIN_LETTERS)


def _bag(
    codes: NDArray[np.int32], start: NDArray[Any], words: pa.Array, shortest: int = 1
) -> sparse.csr_array:
    """Counts of words by record; distinct value v has the words from start[v] to start[v + 1]."""
    encoded = words.dictionary_encode()
    key = np.asarray(encoded.indices.fill_null(-1), np.int64)
    long = np.asarray(pc.utf8_length(encoded.dictionary), np.int64) >= shortest
    return _rows(codes, start, key, np.append(long, False))


def _rows(
    codes: NDArray[np.int32], start: NDArray[Any], key: Ints, usable: NDArray[np.bool_]
) -> sparse.csr_array:
    """Counts of usable keys by record; code -1 is a record without a value."""
    value = np.repeat(np.arange(start.size - 1), np.diff(start))
    mask = usable[key]
    shape = (start.size, max(1, usable.size - 1))
    ones = np.ones(int(mask.sum()))
    return sparse.csr_array((ones, (value[mask], key[mask])), shape=shape)[codes]


def _coauthors(records: Records, name: str, labels: list[str | None]) -> sparse.csr_array:
    """Initials and last names of the coauthors of each record."""
    column = records.column(name, cleaned=False)
    mark = next(
        (text for text in SEPARATORS if pc.any(pc.match_substring(column.values, text)).as_py()),
        ";",
    )
    lists = pc.split_pattern(column.values, mark)
    encoded = lists.values.dictionary_encode()
    number: dict[str, int] = {}
    split = [parse_name(text) for text in encoded.dictionary.to_pylist()]
    firsts, lasts = (
        clean(pa.array([getattr(text, part) for text in split], pa.string())).to_pylist()
        for part in ("first", "last")
    )
    numbers = [
        number.setdefault(f"{(first or '')[:1]} {last}", len(number)) if last else -1
        for first, last in zip(firsts, lasts, strict=True)
    ]
    key = np.append(np.array(numbers, np.int64), -1)[np.asarray(encoded.indices.fill_null(-1))]
    usable = np.append(np.ones(len(number), bool), False)
    bag = _rows(column.codes, np.asarray(lists.offsets), key, usable)
    # a list of all authors contains the mention itself
    mention_number = np.array([number.get(text or "", -1) for text in labels])
    bag.data[bag.indices == np.repeat(mention_number, np.diff(bag.indptr))] = 0.0
    bag.eliminate_zeros()
    return bag


def _by_initial(mentions: Mentions, columns: Sequence[Texts | None]) -> Mentions:
    """Share the base measure of a name among the names with its initial.

    All mentions of a canopy have the same initial, so the probability of a name in a canopy is its
    share among the names with that initial.
    """
    words = mentions.vocabulary
    family = words.family.astype(np.int64)
    for g, texts in enumerate(columns):
        if texts is not None:
            # the keys of a column are in the order of its values
            names = sorted({name for name in texts.tolist() if name is not None})
            place = words.edges[g] + np.arange(len(names))
            family[place] = [len(words.names) * (ord(name[0]) + 1) + g for name in names]
    compact = np.unique(family, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return mentions._replace(vocabulary=words._replace(family=compact))


def _add_background(mentions: Mentions) -> Mentions:
    """Give names and words the frequencies of a larger literature.

    In a short file every name is frequent, and a shared name would carry no weight. Each family
    gets one more key, which no mention has, with the occurrences of `BACKGROUND` mentions.
    """
    words = mentions.vocabulary
    mass = np.bincount(words.family, words.mass)
    occurrences = np.ceil(mass * (BACKGROUND / mentions.size)).astype(np.int64)
    edges = words.edges.copy()
    edges[-1] += occurrences.size
    vocabulary = words._replace(
        edges=edges,
        family=np.concatenate([words.family, np.arange(occurrences.size, dtype=np.int32)]),
        shown=np.concatenate([words.shown, np.zeros(occurrences.size, np.int64)]),
        mass=np.concatenate([words.mass, occurrences]),
    )
    return mentions._replace(vocabulary=vocabulary)
