"""Profiles of columns: type, filled share, distinct values and repetition of other columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data.arrow import from_numpy, to_numpy
from partita.data.clean import clean
from partita.data.codes import has_code
from partita.data.column_types import Sample, infer_type, infer_type_from_name
from partita.data.redundancy import find_derived, find_surrogates, measure_coverage
from partita.data.table import Column, Records

__all__ = ["ColumnProfile", "profile"]

SAMPLE_VALUES = 2000
"""Distinct values of a column from which its type is inferred. A limit of CPU seconds."""
EXAMPLES = 3
"""Most frequent values that a profile shows."""
EXAMPLE_LENGTH = 30
"""Characters of an example."""
MIN_FILLED = 0.02
"""The filled share below which a column is not used. Origin: 0.1."""
NEAR_CONSTANT = 0.99
"""The share of the most frequent value from which a column is nearly constant. `partita profile`
alone shows it."""
NEAR_UNIQUE = 0.95
"""Distinct values per filled record from which a column is nearly unique. `partita profile`
alone shows it."""
CODED_SHARE = 0.5
"""The share of distinct values with a code from which codes are part of the column. Below it, on
the open sets of benchmarks/panel, most codes are noise."""
PLAIN_TYPES = ("category", "code", "number", "postcode")
"""Types of columns that may be surrogates, or left out as a function of another column. Names,
texts and dates describe an entity also where another column determines them."""


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
    examples: tuple[str, ...]

    is_near_unique: bool
    """Whether nearly every record has a value of its own."""
    has_codes: bool
    """Whether most values hold a code, such as a model number."""
    covered_share: float = 0.0
    """The share of its words that other columns of the same record hold."""
    function_of: str | None = None
    """The column that determines the value of this one."""
    is_redundant: bool = False
    """Whether the column only repeats others, or is a function of another."""
    is_surrogate: bool = False
    """Whether the column describes records, as a running number does, and not their entities."""
    relevance: float | None = None
    """How far records that are similar in the other columns agree in this one, in standard errors;
    None where the others cannot show it."""
    is_provenance: bool = False
    """Whether the column names where a record comes from: similar records differ in it."""
    key_probability: float = 0.0
    """The probability that the column numbers the records."""
    weight: float = 1.0
    """By how much the evidence of the column counts, in (0, 1]."""
    is_usable: bool = False
    """Whether the column has values, and more than one unless every column is constant, and is no
    surrogate."""

    @property
    def is_near_constant(self) -> bool:
        """Whether nearly all records have the same value."""
        return self.distinct <= 1 or self.top_share >= NEAR_CONSTANT

    @property
    def is_compared(self) -> bool:
        """Whether the column is compared: it is usable and does not repeat others."""
        return self.is_usable and not self.is_redundant

    @property
    def unused_reason(self) -> str:
        """Why the column is not compared; empty if it is compared."""
        if self.is_provenance:
            return "names where a record comes from: similar records have different values"
        if self.is_surrogate:
            return "describes the records, not the entities"
        if not self.is_usable:
            return "has one value" if self.distinct == 1 else "is nearly empty"
        if self.function_of is not None:
            return f"is a function of {self.function_of!r}"
        return f"repeats other columns ({self.covered_share:.0%})" if self.is_redundant else ""


def profile(records: Records, *, seed: int = 0, use_names: bool = True) -> list[ColumnProfile]:
    """Profile all data columns; `use_names` lets their names hint at their types."""
    samples = {
        name: _draw_sample(records, name, seed, infer_type_from_name(name) if use_names else None)
        for name in records.names
    }
    columns = [records.column(name) for name in records.names]
    profiles = [_profile_column(records, column, samples[column.name]) for column in columns]
    filled = [item for item in columns if item.counts.sum() >= max(1, MIN_FILLED * records.n)]
    # records that agree in every column are one entity: their columns are constant and still used
    usable = [item for item in filled if len(item.values) > 1] or filled
    plain = {column.name for column in profiles if column.type in PLAIN_TYPES}
    numbers = {column.name for column in profiles if column.type == "number"}
    surrogates = find_surrogates(usable, plain, numbers, records.sources, seed)
    # records of nothing but numbers are compared by them
    used = [item for item in usable if item.name not in surrogates] or usable
    shares, covered = measure_coverage(used, records.n, seed, records.sources)
    items = [item for item in used if item.name not in covered]
    derived = find_derived(items, plain, records.n, records.sources)
    names = {item.name for item in used}
    return [
        replace(
            column,
            covered_share=shares.get(column.name, 0.0),
            function_of=derived.get(column.name),
            is_redundant=column.name in covered or column.name in derived,
            is_surrogate=column.name in surrogates - names,
            is_usable=column.name in names,
        )
        for column in profiles
    ]


def _profile_column(records: Records, column: Column, sample: Sample) -> ColumnProfile:
    """Profile one column by itself."""
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
        base_type=sample.base_type if len(sample.clean) else "name",
        filled=filled / max(1, records.n),
        distinct=distinct,
        top_share=float(weights.max()) if distinct else 0.0,
        is_near_unique=filled > 0 and distinct >= NEAR_UNIQUE * filled,
        length=float(weights @ lengths),
        tokens=float(weights @ (blanks + 1)),
        has_codes=len(sample.clean) > 0 and sample.share_clean(has_code) >= CODED_SHARE,
        examples=_choose_examples(sample),
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
