"""Entities of a file: families, attributes, and the records that each source has of an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.kinds.model import Attribute, Family, Kind, Range, Sources
from benchmarks.kinds.templates import Placeholder, Template, draw_mask
from benchmarks.kinds.words import FILE_SHARE, draw_ranks, split_words

__all__ = ["Families", "Maker", "draw_families", "draw_range", "draw_records"]

Ints = NDArray[np.int64]
Values = dict[str, NDArray[Any]]
"""The values of attributes by name."""
PART = 0.65
"""Part of a range of values that one split covers; the two splits cover opposite ends."""
MIN_WIDTH = 8
"""Narrower ranges are not split."""


@dataclass(frozen=True)
class Families:
    """The family of every entity: the row of its first member, and the place in it."""

    head: Ints
    member: Ints


def draw_range(span: Range, random: np.random.Generator) -> float:
    """A number of a range."""
    return float(random.uniform(*span))


def draw_families(family: Family, entities: int, random: np.random.Generator) -> Families:
    """Divide entities into families, of which a share has several members."""
    share = draw_range(family.share, random)
    low, high = (int(size) for size in family.size)
    sizes = np.where(
        random.random(entities) < share, random.integers(low, high + 1, entities), 1
    ).astype(np.int64)
    start = np.cumsum(sizes) - sizes
    head = np.repeat(start, sizes)[:entities]
    return Families(head, np.arange(entities) - head)


def draw_records(
    sources: Sources, entities: int, records: int, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """The entity and the source of each record, entity by entity."""
    if sources.provenance:
        return _draw_provenance(sources, entities, records, random)
    counts = np.empty((entities, len(sources.names)), np.int64)
    for place in range(len(sources.names)):
        counts[:, place] = _draw_counts(sources, place, entities, random)
        counts[random.random(entities) >= draw_range(sources.coverage[place], random), place] = 0
    absent = np.flatnonzero(counts.sum(1) == 0)
    counts[absent, random.integers(0, len(sources.names), absent.size)] = 1
    entity = np.repeat(np.arange(entities), counts.sum(1))
    source = np.repeat(np.tile(np.arange(len(sources.names)), entities), counts.ravel())
    return entity[:records], source[:records]


def _draw_counts(sources: Sources, place: int, entities: int, random: np.random.Generator) -> Ints:
    low, high = (int(number) for number in sources.copies[place])
    several = random.random(entities) < draw_range(sources.repeat[place], random)
    return np.where(several, random.integers(low, high + 1, entities), 1)


def _draw_provenance(
    sources: Sources, entities: int, records: int, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Records of an entity have different sources, large ones more often."""
    count = round(draw_range(sources.count, random))
    counts = np.minimum(_draw_counts(sources, 0, entities, random), count)
    weight = draw_ranks(count, 0.0, count, random) + 1.0
    order = np.argsort(-(random.random((entities, count)) ** weight), axis=1)
    entity = np.repeat(np.arange(entities), counts)
    rank = np.arange(entity.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return entity[:records], order[entity, rank][:records]


class Maker:
    """Draws attributes of entities and of records, with the words of one file."""

    def __init__(self, kind: Kind, split: str, random: np.random.Generator) -> None:
        self.kind, self.split, self.random = kind, split, random
        self.chosen: dict[str, NDArray[Any]] = {}

    def draw(self, attribute: Attribute, values: Values, families: Families) -> NDArray[Any]:
        """The values of one attribute in the order of the rows."""
        rows = families.head.size
        if attribute.number is not None:
            drawn = self._draw_numbers(attribute, families)
        elif attribute.date is not None:
            drawn = self._draw_dates(attribute, rows)
        else:
            own = families if attribute.distinct else None
            drawn = self.write(attribute.templates, values, rows, own)
        shared = self.random.random(rows) < attribute.family
        return np.where(shared, drawn[families.head], drawn)

    def write(
        self,
        templates: Sequence[Template],
        values: Mapping[str, NDArray[Any]],
        rows: int,
        families: Families | None = None,
    ) -> NDArray[Any]:
        """One of several templates in each row."""
        choice = self.random.integers(0, len(templates), rows)
        out = np.empty(rows, object)
        for number, template in enumerate(templates):
            written = np.array(self.fill(template, values, rows, families), object)
            out[choice == number] = written[choice == number]
        return out

    def fill(
        self,
        template: Template,
        values: Mapping[str, NDArray[Any]],
        rows: int,
        families: Families | None = None,
    ) -> list[str]:
        """The texts of a template; word lists and masks are drawn for every row."""
        columns: list[Sequence[Any]] = []
        for part in template.parts:
            if isinstance(part, Placeholder):
                columns.append(self._find(part, values, rows, families))
        return template.write(columns, rows)

    def words(self, name: str) -> NDArray[Any]:
        """The words of a list that this file uses, the most frequent first."""
        if name not in self.chosen:
            listed = self.kind.words[name]
            words = np.array(split_words(listed, self.split), object)
            kept = words.size if listed.list else round(FILE_SHARE * words.size)
            self.chosen[name] = self.random.permutation(words)[:kept]
        return self.chosen[name]

    def _find(
        self,
        part: Placeholder,
        values: Mapping[str, NDArray[Any]],
        rows: int,
        families: Families | None,
    ) -> Sequence[Any]:
        if part.mask:
            return draw_mask(part.mask, rows, self.random)
        if part.span is not None:
            return self.random.integers(part.span[0], part.span[1] + 1, rows).tolist()
        if part.name in values:
            return values[part.name].tolist()
        words = self.words(part.name)
        ranks = draw_ranks(words.size, self.kind.words[part.name].skew, rows, self.random)
        if families is not None:
            ranks = (ranks[families.head] + families.member) % words.size
        return words[ranks].tolist()

    def _draw_numbers(self, attribute: Attribute, families: Families) -> NDArray[Any]:
        assert attribute.number is not None, attribute.name
        rows = families.head.size
        low, high = attribute.number
        if attribute.scale == "log":
            low, high = np.log(low), np.log(high)
            part = _cut((low, high), self.split if attribute.split else "", 0.0)
            drawn = np.round(np.exp(self.random.uniform(*part, rows)), 2)
        else:
            part = _cut((low, high), self.split if attribute.split else "", MIN_WIDTH)
            drawn = self.random.integers(round(part[0]), round(part[1]) + 1, rows)
        if attribute.step is None:
            return drawn
        steps = [round(number) for number in attribute.step]
        step = self.random.integers(steps[0], steps[1] + 1, rows)
        return drawn[families.head] + step[families.head] * families.member

    def _draw_dates(self, attribute: Attribute, rows: int) -> NDArray[Any]:
        assert attribute.date is not None, attribute.name
        years = _cut(attribute.date, self.split if attribute.split else "", MIN_WIDTH)
        days = [round(365.2425 * (year - 1)) + 1 for year in (years[0], years[1] + 1)]
        return self.random.integers(days[0], days[1], rows)


def _cut(span: Range, split: str, width: float) -> Range:
    """The lower part of a range for training, the upper part for tests."""
    low, high = span
    if not split or high - low < width:
        return span
    part = PART * (high - low)
    return (low, low + part) if split == "train" else (high - part, high)
