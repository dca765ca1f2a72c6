"""Columns that are compared: each pair of records gets a level, from exact to no agreement.

Level 0 is exact agreement and every next level is looser; -1 marks a missing value, which has no
weight. Only distinct pairs of values are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.comparison.automatic import automatic_comparison
from partita.comparison.comparison import Comparison
from partita.comparison.levels import Levels
from partita.comparison.strings import Documents, use_documents
from partita.errors import InputError
from partita.kernel import Ints, distinct_of, entry
from partita.lazy import alias_attributes

__all__ = ["MISSING", "ColumnLike", "Comparisons", "checked_pairs", "compare"]

MISSING = -1
"""The code and the level of a missing value."""
UNKNOWN = -2
"""The level of a value pair that was not compared yet."""
SAMPLED_PAIRS = 20_000
"""Value pairs in the sample that shows whether pairs repeat."""
MAX_DISTINCT = 0.3
"""Share of distinct pairs in the sample above which each pair is compared by itself."""
TABLE_CELLS = 1 << 22
"""Cells of the largest table that keeps the levels of all value pairs (4 MB)."""


class ColumnLike(Protocol):
    """The part of a column that a comparison reads."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """The value of each record as a number; -1 is missing."""

    @property
    def values(self) -> Any:
        """The distinct cleaned values: an Arrow array of strings, or any sequence of strings."""


def checked_pairs(pairs: ArrayLike, n: int) -> Ints:
    """Pairs of record numbers as an array of two columns, all within 0 .. n-1."""
    array = np.asarray(pairs)
    if array.size == 0:
        return np.zeros((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise InputError(
            f"pairs have shape {array.shape} and type {array.dtype}; "
            "give whole numbers in two columns"
        )
    if array.min() < 0 or array.max() >= n:
        wrong = int(array.min() if array.min() < 0 else array.max())
        raise InputError(f"a pair names record {wrong}; records are numbered 0 to {n - 1}")
    return array.astype(np.int64, copy=False)


def _strings(column: ColumnLike) -> list[str]:
    values = column.values
    texts: list[str] = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    if any(not isinstance(value, str) for value in texts):
        wrong = next(value for value in texts if not isinstance(value, str))
        raise InputError(
            f"column {column.name!r} has the value {wrong!r}; values are strings, "
            "and a missing one is code -1"
        )
    return texts


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


class _Undecided(NamedTuple):
    """Pairs of records whose values are present and differ: their places, and the two values."""

    place: Ints
    low: Ints
    high: Ints


@entry
def _decide_by_codes(
    codes: NDArray[np.int32], pairs: Ints, levels: Levels, undecided: _Undecided, known: Levels
) -> int:
    """Fill the levels that codes or a table of known levels decide; count the other pairs."""
    count = 0
    for k in range(len(pairs)):
        left, right = codes[pairs[k, 0]], codes[pairs[k, 1]]
        if left < 0 or right < 0:
            levels[k] = MISSING
        elif left == right:
            levels[k] = 0
        else:
            low, high = min(left, right), max(left, right)
            if known.shape[0] and known[low, high] != UNKNOWN:
                levels[k] = known[low, high]
                continue
            undecided.place[count], undecided.low[count], undecided.high[count] = k, low, high
            count += 1
    return count


class ComparedColumn:
    """One column, prepared once: its codes and the comparison of its values."""

    def __init__(
        self, column: ColumnLike, comparison: Comparison, documents: Documents | None = None
    ) -> None:
        strings = _strings(column)
        self.name, self.comparison, self.many = column.name, comparison, len(strings)
        self.codes = _checked_codes(column, self.many)
        with use_documents(documents):
            self.values = comparison.prepare(strings)
        size = self.many if self.many**2 <= TABLE_CELLS else 0
        self._known = np.full((size, size), UNKNOWN, np.int8)

    def levels(self, pairs: Ints) -> Levels:
        """The level of each pair of records."""
        levels = np.empty(len(pairs), np.int8)
        undecided = _Undecided(*(np.empty(len(pairs), np.int64) for _ in range(3)))
        count = _decide_by_codes(self.codes, pairs, levels, undecided, self._known)
        if count:
            place, low, high = (array[:count] for array in undecided)
            levels[place] = self._compare_values(low, high)
        return levels

    def _compare_values(self, low: Ints, high: Ints) -> Levels:
        """Compare pairs of values, each distinct pair once unless almost all are distinct."""
        if not len(self._known) and _mostly_distinct(low, high):
            return self.values.find(low, high)
        distinct, place = np.unique(low * self.many + high, return_inverse=True)
        low, high = distinct // self.many, distinct % self.many
        levels = self.values.find(low, high)
        if len(self._known):
            self._known[low, high] = levels
        return levels[place.reshape(-1)]


def _mostly_distinct(low: Ints, high: Ints) -> bool:
    """Whether few value pairs repeat, so that sorting costs more than it saves."""
    step = max(1, low.size // SAMPLED_PAIRS)
    sample = low[::step] << 32 | high[::step]
    return bool(low.size > SAMPLED_PAIRS and distinct_of(sample).size > MAX_DISTINCT * sample.size)


class Comparisons:
    """All compared columns of a table, prepared once for any number of pairs.

    Parameters
    ----------
    column_types
        The type of each column.
    comparisons
        The comparison of each column; by default the automatic one of its type.
    documents
        Document counts of the words and n-grams of each column, where the records are a part of
        a larger table; by default the values of the column are counted.
    """

    def __init__(
        self,
        columns: Sequence[ColumnLike],
        column_types: Sequence[str],
        comparisons: Sequence[Comparison] | None = None,
        documents: Sequence[Documents | None] | None = None,
    ) -> None:
        if len(columns) != len(column_types):
            raise InputError(
                f"there are {len(columns)} columns and {len(column_types)} types; give both"
            )
        sizes = {len(column.codes) for column in columns}
        if len(sizes) > 1:
            raise InputError(f"columns have {sorted(sizes)} records; give columns of one table")
        self.n = sizes.pop() if sizes else 0
        self.column_types = list(column_types)
        self.comparisons = (
            [automatic_comparison(column_type) for column_type in column_types]
            if comparisons is None
            else list(comparisons)
        )
        counts = documents or [None] * len(columns)
        self.columns = [
            ComparedColumn(*parts) for parts in zip(columns, self.comparisons, counts, strict=True)
        ]
        self.names = [column.name for column in self.columns]
        self.level_names = [list(comparison.labels) for comparison in self.comparisons]

    if not TYPE_CHECKING:
        __getattr__ = alias_attributes({"kinds": "column_types"})

    def levels(self, pairs: ArrayLike) -> Levels:
        """Levels of all pairs (rows) and columns; -1 where a value is missing."""
        checked = checked_pairs(pairs, self.n)
        levels = np.empty((len(checked), len(self.columns)), np.int8, order="F")
        for k, column in enumerate(self.columns):
            levels[:, k] = column.levels(checked)
        return levels


def compare(column: ColumnLike, comparison: Comparison | str, pairs: ArrayLike) -> Levels:
    """The level of one column for each pair of records, by a comparison or a column type."""
    if isinstance(comparison, str):
        comparison = automatic_comparison(comparison)
    return Comparisons([column], [""], [comparison]).levels(pairs)[:, 0]
