"""Counts of a whole table by value and by word, for comparisons of a few of its records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita.comparison import Comparison
from partita.comparison.strings import use_documents
from partita.data import Column
from partita.kernel import Floats, Ints
from partita.linkage.prepare import Prepared

__all__ = ["DocumentCounts", "TableCounts", "count_table"]


class DocumentCounts:
    """The values of a column that have each word or n-gram, by unit of the comparison.

    A comparison counts its units in a fixed order. The first pass over the whole column records
    the counts; a reader of a few values returns them in the same order.
    """

    def __init__(self, comparison: Comparison, values: Sequence[str]) -> None:
        self.n = len(values)
        self.units: list[tuple[Ints, Ints]] = []
        if values:
            with use_documents(self._record):
                comparison.prepare(values)

    def _record(self, keys: Ints, df: Ints, n: int) -> tuple[Ints, int]:
        order = np.argsort(keys)
        self.units.append((keys[order], df[order]))
        return df, n

    def make_reader(self) -> _Reader:
        """A function that returns the counts of the whole column, unit by unit."""
        return _Reader(self)


class _Reader:
    """Returns the counts of a column, unit by unit."""

    def __init__(self, counts: DocumentCounts) -> None:
        self.counts, self.unit = counts, 0

    def __call__(self, keys: Ints, df: Ints, n: int) -> tuple[Ints, int]:
        """The counts of the keys among all values of the column."""
        if self.unit >= len(self.counts.units):
            return df, n
        known, times = self.counts.units[self.unit]
        self.unit += 1
        place = np.minimum(np.searchsorted(known, keys), max(known.size - 1, 0))
        is_known = known[place] == keys if known.size else np.zeros(keys.size, bool)
        return np.where(is_known, times[place] if known.size else 0, 0), self.counts.n


class TableCounts(NamedTuple):
    """Counts of the compared columns of a table."""

    values: list[dict[str, int]]
    """Records that have each value."""
    documents: list[DocumentCounts]
    filled: Ints
    """Records with a value."""
    squares: Floats
    """The sum of the squared counts of all values."""

    def count_values(self, compared: Sequence[Column]) -> list[Ints]:
        """The records of the table that have each value of some columns."""
        return [
            np.array([known.get(value, 0) for value in column.values.to_pylist()], np.int64)
            for known, column in zip(self.values, compared, strict=True)
        ]


def count_table(prepared: Prepared) -> TableCounts:
    """Count the values of the compared columns, and their words and n-grams."""
    values, documents, filled, squares = [], [], [], []
    for column, comparison in zip(prepared.compared, prepared.comparisons, strict=True):
        texts = column.values.to_pylist()
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(texts))
        values.append(dict(zip(texts, counts.tolist(), strict=True)))
        documents.append(DocumentCounts(comparison, texts))
        filled.append(int(counts.sum()))
        squares.append(float((counts.astype(float) ** 2).sum()))
    return TableCounts(values, documents, np.array(filled), np.array(squares))
