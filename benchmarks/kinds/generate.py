"""One generator of all kinds: a specification, a seed and a split to a table of records."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.kinds.entities import Families, Maker, Values, draw_families, draw_range
from benchmarks.kinds.entities import draw_records as draw_sources
from benchmarks.kinds.errors import CHANNELS
from benchmarks.kinds.model import Column, Kind
from benchmarks.kinds.spec import list_idle, load_kind
from benchmarks.kinds.words import SPLITS

__all__ = ["ENTITY", "SOURCE", "generate"]

ENTITY, SOURCE = "entity", "source"
KEYS = ("{}", "C{:05d}", "ID-{:06d}", "{:08d}", "R{:04d}/A")
"""Forms of the keys of records."""
STRIDES = (1, 1, 3, 7)
"""Steps between the keys of neighbours."""

Frame = Any
"""A pandas data frame, which has no types here."""
Ints = NDArray[np.int64]


def generate(kind: str | Kind, seed: int = 0, split: str = "train", records: int = 2_000) -> Frame:
    """Generate a file of a kind: the column `entity`, `source` for several files, and values.

    Each seed draws its own columns, headers, ways of writing, rates and words. Training and test
    use different words, and different parts of the ranges of numbers. `attrs["columns"]` maps the
    headers to the columns of the specification; idle columns and keys are left out.
    """
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}; give one of {', '.join(SPLITS)}")
    if records < 1:
        raise ValueError(f"records is {records}; give a number above 0")
    kind = load_kind(kind) if isinstance(kind, str) else kind
    place = [zlib.crc32(kind.name.encode()), seed, SPLITS.index(split)]
    random = np.random.default_rng(place)
    families = draw_families(kind.family, records, random)
    entity, source = draw_sources(kind.sources, records, records, random)
    maker = Maker(kind, split, random)
    values = _draw_values(kind, maker, families, entity)
    frame: dict[str, Sequence[Any]] = {ENTITY: entity.tolist()}
    if kind.sources.provenance:
        frame[str(random.choice(kind.sources.provenance))] = _name_sources(maker, source)
    elif len(kind.sources.names) > 1:
        frame[SOURCE] = [kind.sources.names[k] for k in source.tolist()]
    columns = _write_columns(kind, maker, values, source)
    headers = _write_headers(list(columns), random)
    frame |= {header: columns[column] for column, header in zip(columns, headers, strict=True)}
    if random.random() < kind.key:
        frame[_pick_key_header(list(frame), random)] = _draw_keys(entity.size, random)
    order = random.permutation(entity.size)
    table = pd.DataFrame(frame, dtype=object).take(order).reset_index(drop=True)
    named = zip(columns, headers, strict=True)
    table.attrs["columns"] = {h: c.name for c, h in named if c in kind.columns}
    return table


def _draw_values(kind: Kind, maker: Maker, families: Families, entity: Ints) -> Values:
    """The values of all attributes of the records, with changes and attributes of records."""
    own = [attribute for attribute in kind.attributes if not attribute.record]
    base: Values = {}
    for attribute in own:
        base[attribute.name] = maker.draw(attribute, base, families)
    values = {name: drawn[entity] for name, drawn in base.items()}
    for change in kind.changes:
        rows = maker.random.random(entity.size) < draw_range(change.rate, maker.random)
        other: Values = {}
        for attribute in own:
            if attribute.name in change.attributes:
                drawn = maker.draw(attribute, {**base, **other}, families)
                other[attribute.name] = drawn
                values[attribute.name] = np.where(rows, drawn[entity], values[attribute.name])
    alone = Families(np.arange(entity.size), np.zeros(entity.size, np.int64))
    for attribute in kind.attributes:
        if attribute.record:
            values[attribute.name] = maker.draw(attribute, values, alone)
    return values


def _name_sources(maker: Maker, source: Ints) -> list[str]:
    """Names of the sources of a provenance column; lists shorter than them are numbered."""
    words = maker.words("brand")
    names = [
        f"{words[k % words.size]}{' ' + str(k // words.size + 1) if k >= words.size else ''}"
        for k in range(int(source.max()) + 1)
    ]
    return [names[k] for k in source.tolist()]


def _write_columns(
    kind: Kind, maker: Maker, values: Values, source: Ints
) -> dict[Column, list[str]]:
    """The texts of the columns that the file has, in random order of the idle ones."""
    random = maker.random
    texts: dict[Column, list[str]] = {}
    for column in kind.columns:
        if random.random() < column.keep:
            texts[column] = _write_column(column, maker, values, source)
    for change in kind.swaps:
        rows = np.flatnonzero(random.random(source.size) < draw_range(change.rate, random))
        kept = [texts[column] for column in texts if column.name in change.attributes]
        if len(kept) == 2:
            for row in rows.tolist():
                kept[0][row], kept[1][row] = kept[1][row], kept[0][row]
    alone = Families(np.arange(source.size), np.zeros(source.size, np.int64))
    count = round(draw_range(kind.idle, random))
    idle = list_idle()
    for place in random.permutation(len(idle))[:count].tolist():
        attribute, column = idle[place]
        drawn = {attribute.name: maker.draw(attribute, {}, alone)}
        texts[column] = _write_column(column, maker, drawn, np.zeros_like(source))
    return texts


def _write_column(column: Column, maker: Maker, values: Values, source: Ints) -> list[str]:
    """Write a column: one style a source, some records in another one, errors, missing values."""
    random = maker.random
    count = int(source.max()) + 1
    style = random.integers(0, len(column.styles), count)[source]
    mixed = random.random(source.size) < draw_range(column.mix, random)
    style[mixed] = random.integers(0, len(column.styles), int(mixed.sum()))
    texts = np.empty(source.size, object)
    for number, template in enumerate(column.styles):
        rows = np.flatnonzero(style == number)
        if rows.size:
            part = {name: values[name][rows] for name in template.names if name in values}
            texts[rows] = maker.fill(template, part, rows.size)
    out: list[str] = texts.tolist()
    for channel, span in column.errors.items():
        rate = random.uniform(*span, count)
        for row in np.flatnonzero(random.random(source.size) < rate[source]).tolist():
            out[row] = CHANNELS[channel](out[row], random)
    spans = [column.missing[place % len(column.missing)] for place in range(count)]
    rate = np.array([draw_range(span, random) for span in spans])
    for row in np.flatnonzero(random.random(source.size) < rate[source]).tolist():
        out[row] = ""
    return out


def _write_headers(columns: Sequence[Column], random: np.random.Generator) -> list[str]:
    """One of the headers of each column, all in one form; a repeated header is numbered."""
    form = int(random.integers(0, 5))
    headers: list[str] = []
    for column in columns:
        words = str(random.choice(column.headers)).split()
        forms: Mapping[int, str] = {
            0: "_".join(words),
            1: " ".join(words).title(),
            2: words[0] + "".join(word.title() for word in words[1:]),
            3: "_".join(words).upper(),
            4: " ".join(words),
        }
        header = forms[form]
        while header in headers or header.lower() in (ENTITY, SOURCE, "id"):
            header += "_2"
        headers.append(header)
    return headers


def _pick_key_header(present: Sequence[str], random: np.random.Generator) -> str:
    names = [name for name in ("record_no", "nr", "rowid", "ref", "Key") if name not in present]
    return str(random.choice(names))


def _draw_keys(rows: int, random: np.random.Generator) -> list[str]:
    """Unique keys: running numbers in some form, or random ones."""
    form, start = int(random.integers(0, len(KEYS) + 1)), int(random.integers(1, 50_000))
    if form == len(KEYS):
        return [f"{number:012x}" for number in random.integers(0, 2**48, rows).tolist()]
    stride = int(random.choice(STRIDES))
    numbers = start + stride * random.permutation(rows)
    return [KEYS[form].format(number) for number in numbers.tolist()]
