"""Profiles of columns: type, filled share, distinct values and repetition of other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data.arrow import from_numpy, to_numpy
from partita.data.clean import clean
from partita.data.column_types import Sample, infer_base_type, infer_type, infer_type_from_name
from partita.data.table import Column, Records
from partita.kernel import Ints, distinct_of

__all__ = ["ColumnProfile", "measure_coverage", "profile"]

SAMPLE_VALUES = 2000
"""Distinct values of a column from which its type is inferred."""
SAMPLE_ROWS = 3000
"""Records from which the coverage of a column by others is measured."""
EXAMPLES = 3
"""Most frequent values that a profile shows."""
EXAMPLE_LENGTH = 30
"""Characters of an example."""
MIN_FILLED = 0.02
"""The filled share below which a column is not used."""
NEAR_CONSTANT = 0.99
"""The share of the most frequent value from which a column is nearly constant."""
NEAR_UNIQUE = 0.95
"""Distinct values per filled record from which a column is nearly unique."""
COVERED_SHARE = 0.8
"""The share of words in other columns from which a column is redundant."""


@dataclass(frozen=True)
class ColumnProfile:
    """Statistics of a column; shares are of all records (filled) or of filled records."""

    name: str
    type: str
    base_type: str
    filled: float
    distinct: int
    top_share: float
    """The share of the most frequent value."""
    length: float
    tokens: float
    covered_share: float
    """The share of its words that other columns of the same record hold."""
    is_redundant: bool
    """Whether the column only repeats others."""
    examples: tuple[str, ...]

    is_near_unique: bool
    """Whether nearly every record has a value of its own."""
    is_usable: bool
    """Whether the column has values, and more than one unless every column is constant."""

    @property
    def is_near_constant(self) -> bool:
        """Whether nearly all records have the same value."""
        return self.distinct <= 1 or self.top_share >= NEAR_CONSTANT

    @property
    def is_compared(self) -> bool:
        """Whether the column is compared: it is usable and does not repeat others."""
        return self.is_usable and not self.is_redundant


def profile(records: Records, *, seed: int = 0, use_names: bool = True) -> list[ColumnProfile]:
    """Profile all data columns; `use_names` lets their names hint at their types."""
    samples = {
        name: _draw_sample(records, name, seed, infer_type_from_name(name) if use_names else None)
        for name in records.names
    }
    columns = [records.column(name) for name in records.names]
    filled = [item for item in columns if item.counts.sum() >= max(1, MIN_FILLED * records.n)]
    # records that agree in every column are one entity: their columns are constant and still used
    usable = [item for item in filled if len(item.values) > 1] or filled
    shares, redundant = measure_coverage(usable, records.n, seed)
    names = {item.name for item in usable}
    return [
        _profile_column(
            records,
            column,
            samples[column.name],
            covered_share=shares.get(column.name, 0.0),
            is_redundant=column.name in redundant,
            is_usable=column.name in names,
        )
        for column in columns
    ]


def _profile_column(
    records: Records, column: Column, sample: Sample, **coverage: Any
) -> ColumnProfile:
    """Profile one column; `coverage` holds the fields that depend on the other columns."""
    filled, distinct = int(column.counts.sum()), len(column.values)
    type = infer_type(sample)
    if pa.types.is_nested(records.table.schema.field(column.name).type):
        type = "list"
    weights = column.counts / max(1, filled)
    lengths = to_numpy(pc.utf8_length(column.values))
    blanks = to_numpy(pc.count_substring(column.values, " "))
    return ColumnProfile(
        name=column.name,
        type=type,
        base_type=infer_base_type(sample) if len(sample.clean) else "name",
        filled=filled / max(1, records.n),
        distinct=distinct,
        top_share=float(weights.max()) if distinct else 0.0,
        is_near_unique=filled > 0 and distinct >= NEAR_UNIQUE * filled,
        length=float(weights @ lengths),
        tokens=float(weights @ (blanks + 1)),
        examples=_choose_examples(sample),
        **coverage,
    )


def _draw_sample(records: Records, name: str, seed: int, hint: str | None) -> Sample:
    """Draw distinct values of a column by a seed."""
    raw = records.column(name, cleaned=False)
    column = records.column(name)
    rows = np.arange(len(raw.values))
    if len(rows) > SAMPLE_VALUES:
        rows = np.sort(np.random.default_rng(seed).choice(rows, SAMPLE_VALUES, replace=False))
    values = raw.values.take(from_numpy(rows))
    cleaned = clean(values)
    present = np.flatnonzero(to_numpy(cleaned.is_valid()))
    return Sample(
        values.take(from_numpy(present)).to_pylist(),
        cleaned.take(from_numpy(present)).to_pylist(),
        raw.counts[rows[present]].astype(float),
        len(column.values),
        int(column.counts.sum()),
        hint,
    )


def _choose_examples(sample: Sample) -> tuple[str, ...]:
    """The most frequent values of a sample, uncleaned."""
    order = np.argsort(-sample.counts, kind="stable")[:EXAMPLES]
    return tuple(_shorten(sample.raw[at]) for at in order)


def _shorten(text: str) -> str:
    """Shorten a value to one line that fits a table."""
    line = " ".join(text[: 4 * EXAMPLE_LENGTH].split())
    return line if len(line) <= EXAMPLE_LENGTH else line[: EXAMPLE_LENGTH - 1] + "…"


def measure_coverage(
    columns: Sequence[Column], n: int, seed: int = 0
) -> tuple[dict[str, float], set[str]]:
    """Measure how far each column repeats the others, and find the redundant columns.

    The covered share is the share of a column's words that occur in the union of the other kept
    columns of the same record, averaged over sampled records. Longest columns come first, since a
    long column is more often made from short ones.
    """
    rows = np.arange(n)
    if n > SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(n, SAMPLE_ROWS, replace=False))
    words = {column.name: _list_words(column, rows) for column in columns}
    sizes = {name: float(np.mean([len(tokens) for tokens in sets])) for name, sets in words.items()}
    remaining = dict(words)
    shares: dict[str, float] = {}
    redundant: set[str] = set()
    for name in sorted(words, key=lambda name: (-sizes[name], name)):
        others = [sets for other, sets in remaining.items() if other != name]
        shares[name] = _average_overlap(words[name], others)
        if shares[name] >= COVERED_SHARE:
            redundant.add(name)
            del remaining[name]
    return shares, redundant


def _list_words(column: Column, rows: Ints) -> list[frozenset[str]]:
    """The set of words of a column in each of some records."""
    codes = column.codes[rows]
    distinct = distinct_of(codes[codes >= 0])
    texts = column.values.take(from_numpy(distinct)).to_pylist()
    pairs = zip(distinct.tolist(), texts, strict=True)
    words = {code: frozenset(text.split()) for code, text in pairs}
    return [words.get(code, frozenset()) for code in codes.tolist()]


def _average_overlap(own: list[frozenset[str]], others: list[list[frozenset[str]]]) -> float:
    """The mean share of a record's words that its other columns hold too."""
    shares = [
        len(words & frozenset().union(*(other[at] for other in others))) / len(words)
        for at, words in enumerate(own)
        if words
    ]
    return float(np.mean(shares)) if shares else 0.0
