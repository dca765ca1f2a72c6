"""Names of the records of a knowledge base: which records a name may mean, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats
from partita.text.coreference.attributes import is_name, normalise_name
from partita.text.coreference.documents import Document

__all__ = ["Meaning", "NameTable", "count_names", "count_types"]

NameCounts = Mapping[tuple[str, str], int]
"""Times that a (normalised) name means a record, by both."""


class Meaning(NamedTuple):
    """A record that a name may mean."""

    record: int
    times: float
    """Times that the name means the record in annotated texts."""
    is_listed: bool
    """Whether the knowledge base itself lists the name."""


@dataclass(eq=False)
class NameTable:
    """Records of a knowledge base with their names."""

    ids: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    popularity: list[float] = field(default_factory=list)
    """How often other texts refer to a record; 0 if unknown."""
    number: dict[str, int] = field(default_factory=dict)
    """The record of each id."""
    meanings: dict[str, dict[int, Meaning]] = field(default_factory=dict)
    """The records of each normalised name."""
    names: dict[int, set[str]] = field(default_factory=dict)
    """The normalised names of each record."""
    type_counts: dict[str, Counter[str]] = field(default_factory=dict)
    """How often annotated mentions of an id have each type."""

    def add_record(self, id: str, title: str, type: str = "", popularity: float = 0.0) -> int:
        """Add a record, or return the number of a known one."""
        if id in self.number:
            return self.number[id]
        record = self.number[id] = len(self.ids)
        self.ids.append(id)
        self.titles.append(title)
        self.types.append(type)
        self.popularity.append(popularity)
        return record

    def add_name(self, name: str, record: int, count: float = 0.0, listed: bool = True) -> None:
        """Add a name of a record, or add to its count."""
        key = normalise_name(name)
        if not key:
            return
        known = self.meanings.setdefault(key, {})
        before = known.get(record, Meaning(record, 0.0, False))
        known[record] = Meaning(record, before.times + count, before.is_listed or listed)
        self.names.setdefault(record, set()).add(key)

    def look_up(self, name: str, without: NameCounts | None = None) -> list[Meaning]:
        """The records of a name; counts of `without` (by name and id) are subtracted."""
        key = normalise_name(name)
        meanings = []
        for meaning in self.meanings.get(key, {}).values():
            count = meaning.times
            if without:
                count = max(count - without.get((key, self.ids[meaning.record]), 0), 0.0)
            if meaning.is_listed or count > 0:
                meanings.append(meaning._replace(times=count))
        return meanings

    def count_records(self) -> Floats:
        """How often each record is meant in annotated texts, by any name."""
        counts = np.zeros(len(self.ids))
        for known in self.meanings.values():
            for meaning in known.values():
                counts[meaning.record] += meaning.times
        return counts


def count_names(documents: Iterable[Document]) -> Counter[tuple[str, str]]:
    """Count which annotated links each name has in documents; other phrases are left out."""
    return Counter(
        (normalise_name(mention.text), mention.link)
        for document in documents
        for mention in document.mentions
        if mention.link and is_name(mention.text)
    )


def count_types(documents: Iterable[Document]) -> dict[str, Counter[str]]:
    """Count the types of the annotated names of each id."""
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        for mention in document.mentions:
            if mention.link and mention.type and is_name(mention.text):
                counts.setdefault(mention.link, Counter())[mention.type] += 1
    return counts
