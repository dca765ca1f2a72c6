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
"""Letters of the shortest title word that is used."""

BACKGROUND = 20_000
"""Mentions of the assumed larger literature. Chosen among 0, 1,000, 5,000, 20,000 and 100,000 on
generated files of 60 to 20,000 mentions."""

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
    columns = {one: getattr(names, one) for one in ("first", "middle_initial", "middle")}
    bags: dict[str, sparse.csr_array] = {}
    if "title" in roles:
        bags["title"] = _words(records, roles["title"])
    if "venue" in roles:
        venue = records.column(roles["venue"])
        bags["venue"] = _bag(venue.codes, np.arange(len(venue.values) + 1), venue.values)
    if "coauthors" in roles:
        bags["coauthors"] = _coauthors(records, roles["coauthors"], labels)
    groups = _texts(labels) if canopies is None else _column(records, canopies)
    found = mentions_of(columns, bags, groups)
    mentions = _add_background(_by_initial(found.mentions, [names.first, None, names.middle]))
    lacking = [one for one in CONTENTS if one not in roles]
    notes = list(found.notes)
    if lacking:
        missing = " and ".join(lacking)
        notes.append(f"there is no column of {missing}; only the other columns are compared")
    return AuthorMentions(mentions, found.row, roles, tuple(notes))


def _names(records: Records, roles: dict[str, str]) -> Names:
    """The parts of names, from separate columns or parsed from whole names."""
    if "name" in roles:
        whole = records.column(roles["name"], cleaned=False)
        split = [parse_name(one) for one in whole.values.to_pylist()]
        last, given, middle = (
            _spread(whole.codes, clean(pa.array(part, pa.string())))
            for part in (
                [name.last for name in split],
                [name.first for name in split],
                [name.middle for name in split],
            )
        )
    else:
        last, given, middle = (
            _column(records, roles.get(one)) for one in ("last", "first", "middle")
        )
    # "jean pierre" and "j p" have a middle name
    words = [(one or "").split(maxsplit=1) for one in given.tolist()]
    first = _texts([one[0] if one else None for one in words])
    rest = _texts([one[1] if len(one) > 1 else None for one in words])
    second = np.where(middle == None, rest, middle)  # noqa: E711
    second = _texts([one and one.split()[0] for one in second.tolist()])
    return Names(last, _initial(first), _full(first), _initial(second), _full(second))


def _texts(values: Sequence[str | None]) -> Texts:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _spread(codes: NDArray[np.int32], values: pa.Array) -> Texts:
    """The value of each record; code -1 is the None at the end."""
    return _texts([*values.to_pylist(), None])[codes]


def _column(records: Records, name: str | None) -> Texts:
    if name is None:
        return _texts([None] * records.n)
    found = records.column(name)
    return _spread(found.codes, found.values)


def _initial(words: Texts) -> Texts:
    return _texts([one and one[0] for one in words.tolist()])


def _full(words: Texts) -> Texts:
    """The words that are more than an initial."""
    return _texts([one if one and len(one) > 1 else None for one in words.tolist()])


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
    codes: NDArray[np.int32], start: NDArray[Any], key: Ints, kept: NDArray[np.bool_]
) -> sparse.csr_array:
    """Counts of keys by record; a missing record (-1) and keys that are not kept have none."""
    value = np.repeat(np.arange(start.size - 1), np.diff(start))
    some = kept[key]
    shape = (start.size, max(1, kept.size - 1))
    ones = np.ones(int(some.sum()))
    return sparse.csr_array((ones, (value[some], key[some])), shape=shape)[codes]


def _coauthors(records: Records, name: str, labels: list[str | None]) -> sparse.csr_array:
    """Initials and last names of the coauthors of each record."""
    column = records.column(name, cleaned=False)
    mark = next(
        (one for one in SEPARATORS if pc.any(pc.match_substring(column.values, one)).as_py()), ";"
    )
    lists = pc.split_pattern(column.values, mark)
    encoded = lists.values.dictionary_encode()
    number: dict[str, int] = {}
    split = [parse_name(one) for one in encoded.dictionary.to_pylist()]
    firsts, lasts = (
        clean(pa.array([getattr(one, part) for one in split], pa.string())).to_pylist()
        for part in ("first", "last")
    )
    known = [
        number.setdefault(f"{(first or '')[:1]} {last}", len(number)) if last else -1
        for first, last in zip(firsts, lasts, strict=True)
    ]
    key = np.append(np.array(known, np.int64), -1)[np.asarray(encoded.indices.fill_null(-1))]
    kept = np.append(np.ones(len(number), bool), False)
    bag = _rows(column.codes, np.asarray(lists.offsets), key, kept)
    # a list of all authors names the mention itself
    own = np.array([number.get(one or "", -1) for one in labels])
    bag.data[bag.indices == np.repeat(own, np.diff(bag.indptr))] = 0.0
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
            # the keys of a column stand in the order of its values
            names = sorted({one for one in texts.tolist() if one is not None})
            place = words.edges[g] + np.arange(len(names))
            family[place] = [len(words.names) * (ord(one[0]) + 1) + g for one in names]
    compact = np.unique(family, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return mentions._replace(vocabulary=words._replace(family=compact))


def _add_background(mentions: Mentions) -> Mentions:
    """Give names and words the frequencies of a larger literature.

    In a short file every name is frequent, and a shared name would carry no weight. Each family
    gets one more key, which no mention has, with the occurrences of `BACKGROUND` mentions.
    """
    words = mentions.vocabulary
    mass = np.bincount(words.family, words.mass)
    more = np.ceil(mass * (BACKGROUND / mentions.size)).astype(np.int64)
    edges = words.edges.copy()
    edges[-1] += more.size
    known = words._replace(
        edges=edges,
        family=np.concatenate([words.family, np.arange(more.size, dtype=np.int32)]),
        shown=np.concatenate([words.shown, np.zeros(more.size, np.int64)]),
        mass=np.concatenate([words.mass, more]),
    )
    return mentions._replace(vocabulary=known)
