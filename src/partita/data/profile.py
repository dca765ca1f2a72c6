"""What is in each column, before anything is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data.arrow import from_numpy, to_numpy
from partita.data.clean import clean
from partita.data.column_types import Sample, infer_base_type, infer_type, infer_type_from_name
from partita.data.table import Column, Records
from partita.kernel import Ints, distinct_of

__all__ = ["ColumnProfile", "measure_coverage", "profile"]

MOST_VALUES, MOST_ROWS, EXAMPLES = 2000, 3000, 3
LEAST_FILLED, NEAR_CONSTANT, NEAR_UNIQUE, COVERED = 0.02, 0.99, 0.95, 0.8
SHOWN = 30


@dataclass(frozen=True)
class ColumnProfile:
    """A column in numbers; shares are of all records (filled) or of the filled ones."""

    name: str
    type: str
    base_type: str
    filled: float
    distinct: int
    top_share: float
    length: float
    tokens: float
    covered_share: float
    is_redundant: bool
    examples: tuple[str, ...]

    is_near_unique: bool
    """Almost every record has a value of its own."""

    @property
    def is_near_constant(self) -> bool:
        """Whether almost all records have the same value."""
        return self.distinct <= 1 or self.top_share >= NEAR_CONSTANT

    @property
    def is_usable(self) -> bool:
        """Whether the column can say anything: some values, and not the same one everywhere."""
        return self.filled >= LEAST_FILLED and self.distinct > 1

    @property
    def is_compared(self) -> bool:
        """Whether the column is evidence of its own: usable, and not repeated from others."""
        return self.is_usable and not self.is_redundant


def profile(records: Records, *, seed: int = 0, use_names: bool = True) -> list[ColumnProfile]:
    """Profiles of all data columns; without `use_names` their names are not looked at."""
    samples = {
        name: _sample(records, name, seed, infer_type_from_name(name) if use_names else None)
        for name in records.names
    }
    columns = [records.column(name) for name in records.names]
    useful = [
        column
        for column in columns
        if len(column.values) > 1 and column.counts.sum() >= LEAST_FILLED * records.n
    ]
    shares, dropped = measure_coverage(useful, records.n, seed)
    return [
        _profiled(records, column, samples[column.name], shares.get(column.name, 0.0), dropped)
        for column in columns
    ]


def _profiled(
    records: Records, column: Column, sample: Sample, share: float, dropped: set[str]
) -> ColumnProfile:
    """The profile of one column."""
    filled, distinct = int(column.counts.sum()), len(column.values)
    some = bool(len(sample.clean))
    type = infer_type(sample)
    if pa.types.is_nested(records.table.schema.field(column.name).type):
        type = "list"
    weights = column.counts / max(1, filled)
    lengths = to_numpy(pc.utf8_length(column.values))
    blanks = to_numpy(pc.count_substring(column.values, " "))
    return ColumnProfile(
        name=column.name,
        type=type,
        base_type=infer_base_type(sample) if some else "name",
        filled=filled / max(1, records.n),
        distinct=distinct,
        top_share=float(weights.max()) if distinct else 0.0,
        is_near_unique=filled > 0 and distinct >= NEAR_UNIQUE * filled,
        length=float(weights @ lengths),
        tokens=float(weights @ (blanks + 1)),
        covered_share=share,
        is_redundant=column.name in dropped,
        examples=_examples(sample),
    )


def _sample(records: Records, name: str, seed: int, hint: str | None) -> Sample:
    """Some distinct values of a column, drawn by a seed."""
    raw = records.column(name, cleaned=False)
    column = records.column(name)
    some = np.arange(len(raw.values))
    if len(some) > MOST_VALUES:
        some = np.sort(np.random.default_rng(seed).choice(some, MOST_VALUES, replace=False))
    values = raw.values.take(from_numpy(some))
    cleaned = clean(values)
    kept = np.flatnonzero(to_numpy(cleaned.is_valid()))
    return Sample(
        values.take(from_numpy(kept)).to_pylist(),
        cleaned.take(from_numpy(kept)).to_pylist(),
        raw.counts[some[kept]].astype(float),
        len(column.values),
        int(column.counts.sum()),
        hint,
    )


def _examples(sample: Sample) -> tuple[str, ...]:
    """The most frequent values of a sample, as they came."""
    order = np.argsort(-sample.counts, kind="stable")[:EXAMPLES]
    return tuple(_short(sample.raw[at]) for at in order)


def _short(text: str) -> str:
    """A value that fits a table."""
    line = " ".join(text[: 4 * SHOWN].split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def measure_coverage(
    columns: Sequence[Column], n: int, seed: int = 0
) -> tuple[dict[str, float], set[str]]:
    """How far each column only repeats the others of its record, and which can be left out.

    The share of a column's words that occur in the union of the other kept columns of the same
    record, on average over sampled records; longest columns first, since a long one is more often
    made from short ones.
    """
    rows = np.arange(n)
    if n > MOST_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(n, MOST_ROWS, replace=False))
    words = {column.name: _words(column, rows) for column in columns}
    sizes = {name: float(np.mean([len(one) for one in found])) for name, found in words.items()}
    kept = dict(words)
    shares: dict[str, float] = {}
    dropped: set[str] = set()
    for name in sorted(words, key=lambda name: (-sizes[name], name)):
        others = [found for other, found in kept.items() if other != name]
        shares[name] = _share(words[name], others)
        if shares[name] >= COVERED:
            dropped.add(name)
            del kept[name]
    return shares, dropped


def _words(column: Column, rows: Ints) -> list[frozenset[str]]:
    """The words of a column in some records."""
    codes = column.codes[rows]
    wanted = distinct_of(codes[codes >= 0])
    texts = column.values.take(from_numpy(wanted)).to_pylist()
    found = {
        code: frozenset(text.split()) for code, text in zip(wanted.tolist(), texts, strict=True)
    }
    return [found.get(code, frozenset()) for code in codes.tolist()]


def _share(own: list[frozenset[str]], others: list[list[frozenset[str]]]) -> float:
    """The mean share of a record's words that its other columns hold too."""
    shares = [
        len(mine & frozenset().union(*(other[at] for other in others))) / len(mine)
        for at, mine in enumerate(own)
        if mine
    ]
    return float(np.mean(shares)) if shares else 0.0
