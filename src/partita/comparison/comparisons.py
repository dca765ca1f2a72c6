"""Comparisons of columns by kind: each pair of records gets a level, from equal to different.

Level 0 is equal and every next level is less alike; -1 says that a value is missing, which is
neither for nor against. Only distinct pairs of values are compared. Strings end here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.comparison.functions import COMPARERS, Grader, Levels
from partita.errors import InputError
from partita.kernel import Ints, distinct_of, entry

__all__ = ["MISSING", "ColumnLike", "Comparisons", "checked_pairs", "compare", "kinds", "levels"]

MISSING, UNKNOWN = -1, -2
SAMPLED = 20_000
"""Pairs of values that are looked at to see whether they repeat."""
DENSE = 1 << 22
"""Tables of value pairs up to this size are kept, so that no pair is graded twice."""


class ColumnLike(Protocol):
    """What a comparison needs of a column."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """The value of each record as a number; -1 is missing."""

    @property
    def values(self) -> Any:
        """The distinct cleaned values: an Arrow array of strings, or any sequence of strings."""


def kinds() -> list[str]:
    """All kinds of columns that can be compared."""
    return sorted(COMPARERS)


def levels(kind: str) -> list[str]:
    """The names of the levels of a kind of column, from equal to different."""
    return list(_comparer(kind).names)


def _comparer(kind: str) -> Any:
    if kind not in COMPARERS:
        raise InputError(f"there is no comparison for the kind {kind!r}; use one of {kinds()}")
    return COMPARERS[kind]


def checked_pairs(pairs: ArrayLike, n: int) -> Ints:
    """Pairs of record numbers as an array of two columns, all within 0 .. n-1."""
    found = np.asarray(pairs)
    if found.size == 0:
        return np.zeros((0, 2), np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError(
            f"pairs have shape {found.shape} and type {found.dtype}; "
            "give whole numbers in two columns"
        )
    if found.min() < 0 or found.max() >= n:
        wrong = int(found.min() if found.min() < 0 else found.max())
        raise InputError(f"a pair names record {wrong}; records are numbered 0 to {n - 1}")
    return found.astype(np.int64, copy=False)


def _strings(column: ColumnLike) -> list[str]:
    values = column.values
    found: list[str] = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    if any(not isinstance(value, str) for value in found):
        wrong = next(value for value in found if not isinstance(value, str))
        raise InputError(
            f"column {column.name!r} has the value {wrong!r}; values are strings, "
            "and a missing one is code -1"
        )
    return found


def _checked_codes(column: ColumnLike, many: int) -> NDArray[np.int32]:
    codes = np.asarray(column.codes)
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise InputError(f"column {column.name!r} has codes of type {codes.dtype}; give int32[n]")
    if codes.size and (codes.max() >= many or codes.min() < MISSING):
        raise InputError(
            f"column {column.name!r} has codes from {codes.min()} to {codes.max()} "
            f"for {many} values; codes are -1 to {many - 1}"
        )
    return codes.astype(np.int32, copy=False)


class _Open(NamedTuple):
    """Pairs of records whose values are there and differ: their places, and the two values."""

    place: Ints
    low: Ints
    high: Ints


@entry
def _sort_out(
    codes: NDArray[np.int32], pairs: Ints, found: Levels, opened: _Open, graded: Levels
) -> int:
    """The level of pairs that codes decide, or a table of graded pairs; how many stay open."""
    many = 0
    for k in range(len(pairs)):
        left, right = codes[pairs[k, 0]], codes[pairs[k, 1]]
        if left < 0 or right < 0:
            found[k] = MISSING
        elif left == right:
            found[k] = 0
        else:
            low, high = min(left, right), max(left, right)
            if graded.shape[0] and graded[low, high] != UNKNOWN:
                found[k] = graded[low, high]
                continue
            opened.place[many], opened.low[many], opened.high[many] = k, low, high
            many += 1
    return many


class _Comparison:
    """One column, prepared once: its codes and how pairs of values are graded."""

    def __init__(self, name: str, codes: NDArray[np.int32], many: int, grader: Grader) -> None:
        self.name, self.codes, self.many, self.grader = name, codes, many, grader
        size = many if many**2 <= DENSE else 0
        self._graded = np.full((size, size), UNKNOWN, np.int8)

    def levels(self, pairs: Ints) -> Levels:
        """The level of each pair of records."""
        found = np.empty(len(pairs), np.int8)
        opened = _Open(*(np.empty(len(pairs), np.int64) for _ in range(3)))
        many = _sort_out(self.codes, pairs, found, opened, self._graded)
        if many:
            place, low, high = (one[:many] for one in opened)
            found[place] = self._grade(low, high)
        return found

    def _grade(self, low: Ints, high: Ints) -> Levels:
        """Grade pairs of values, each distinct pair once where that spares work."""
        if not len(self._graded) and _mostly_distinct(low, high):
            return self.grader.grade(low, high)
        distinct, place = np.unique(low * self.many + high, return_inverse=True)
        low, high = distinct // self.many, distinct % self.many
        level = self.grader.grade(low, high)
        if len(self._graded):
            self._graded[low, high] = level
        return level[place.reshape(-1)]


def _mostly_distinct(low: Ints, high: Ints) -> bool:
    """Whether few pairs of values repeat, so that sorting them out costs more than it spares."""
    step = max(1, low.size // SAMPLED)
    some = low[::step] << 32 | high[::step]
    return bool(low.size > SAMPLED and distinct_of(some).size > 0.3 * some.size)


def _prepared(column: ColumnLike, kind: str) -> _Comparison:
    prepare = _comparer(kind).prepare
    strings = _strings(column)
    codes = _checked_codes(column, len(strings))
    return _Comparison(column.name, codes, len(strings), prepare(strings))


class Comparisons:
    """All columns of a table prepared for comparison, to be asked for pairs again and again."""

    def __init__(self, columns: Sequence[ColumnLike], kinds: Sequence[str]) -> None:
        if len(columns) != len(kinds):
            raise InputError(f"there are {len(columns)} columns and {len(kinds)} kinds; give both")
        sizes = {len(column.codes) for column in columns}
        if len(sizes) > 1:
            raise InputError(f"columns have {sorted(sizes)} records; give columns of one table")
        self.n = sizes.pop() if sizes else 0
        self.columns = [_prepared(*both) for both in zip(columns, kinds, strict=True)]
        self.names = [column.name for column in self.columns]
        self.kinds = list(kinds)
        self.level_names = [levels(kind) for kind in kinds]

    def levels(self, pairs: ArrayLike) -> Levels:
        """Levels of all pairs (rows) and columns; -1 where a value is missing."""
        checked = checked_pairs(pairs, self.n)
        found = np.empty((len(checked), len(self.columns)), np.int8, order="F")
        for k, column in enumerate(self.columns):
            found[:, k] = column.levels(checked)
        return found


def compare(column: ColumnLike, kind: str, pairs: ArrayLike) -> Levels:
    """The level of one column for each pair of records, named by `levels(kind)`."""
    return Comparisons([column], [kind]).levels(pairs)[:, 0]
