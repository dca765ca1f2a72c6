"""A kind as data classes: families, sources, attributes, columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.kinds.templates import Template
from benchmarks.kinds.words import WordList

__all__ = ["Attribute", "Change", "Column", "Family", "Kind", "Range", "Sources"]

Range = tuple[float, float]
"""Least and largest value of a number that each file draws."""


@dataclass(frozen=True)
class Family:
    """Entities that share most values and are different: households, product lines, chains."""

    share: Range = (0.0, 0.0)
    """Share of the families that have several entities."""
    size: Range = (1, 1)
    """Number of entities of such a family."""


@dataclass(frozen=True)
class Sources:
    """Which records an entity has, by source."""

    names: tuple[str, ...]
    coverage: tuple[Range, ...]
    """Share of the entities in each source."""
    repeat: tuple[Range, ...]
    """Share of a source's entities that have several records there."""
    copies: tuple[Range, ...]
    """Number of records of such an entity in the source."""
    provenance: tuple[str, ...] = ()
    """Headers of the column of sources, where all sources are one file."""
    count: Range = (0, 0)
    """Number of sources of a provenance column; their names are numbered."""

    @property
    def is_linked(self) -> bool:
        """Whether an entity has at most one record in each of several files."""
        single = all(rate[1] == 0 for rate in self.repeat)
        return len(self.names) > 1 and not self.provenance and single


@dataclass(frozen=True)
class Attribute:
    """A property of entities, or of records if `record` is set."""

    name: str
    templates: tuple[Template, ...] = ()
    number: Range | None = None
    date: Range | None = None
    family: float = 0.0
    """Probability that an entity has the value of the first entity of its family."""
    distinct: bool = False
    """Whether the entities of a family have different words."""
    record: bool = False
    step: Range | None = None
    """Range of the difference between the numbers of neighbours in a family."""
    scale: str = "linear"
    split: bool = True
    """Whether training and test draw from different parts of the range."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the file: ways of writing, headers, errors and missing values."""

    name: str
    styles: tuple[Template, ...]
    headers: tuple[str, ...]
    errors: Mapping[str, Range]
    missing: tuple[Range, ...] = ((0.0, 0.0),)
    """Share of missing values: one range, or one for each source."""
    keep: float = 1.0
    """Probability that a file has the column."""
    mix: Range = (0.0, 0.0)
    """Share of records in another style than their source's."""


@dataclass(frozen=True)
class Change:
    """Values that a record has anew or from another time: attributes drawn again together."""

    attributes: tuple[str, ...]
    rate: Range


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    name: str
    about: str
    group: str
    words: Mapping[str, WordList]
    family: Family
    sources: Sources
    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    changes: tuple[Change, ...] = ()
    swaps: tuple[Change, ...] = ()
    """Columns whose values are exchanged, and how often."""
    idle: Range = (0, 0)
    """Number of columns that are no evidence."""
    key: float = 0.0
    """Probability of a column of unique keys."""
