"""Laws of values: case, accents, whitespace, the order of name parts, missing values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from benchmarks.laws.law import Law
from benchmarks.laws.tables import (
    ID,
    Presented,
    list_columns,
    map_values,
    measure_bits,
    split_files,
)
from partita.synthetic.phrases import strip_accents

__all__ = ["VALUES", "find_name_columns", "reverse_name"]

CHANGED = 0.5
"""Share of values that a law changes."""
ACCENT = 0.15
"""Share of vowels that get an accent."""
MARKS = ("\u0300", "\u0301", "\u0302", "\u0308")
NAME_HEADER = re.compile(r"name|author|artist|director|inventor|person|writer|editor", re.I)
NO_NAME = re.compile(r"file|brand|firm|compan|site|agency|program|product", re.I)
"""Headers with a word of names that hold no names of people."""
MAX_NAME_WORDS = 4
"""Words of a name at most, in the median; a list of names is split first."""
SEPARATOR = re.compile(r"(\s*;\s*|\s+and\s+|\s*\|\s*)")
MIN_FILLED = 0.5
"""Least share of filled values of a column from which the law of missing values removes some."""
MISSING_FLOOR = (0.95, 0.85)


def reverse_name(name: str) -> str:
    """Write "Ann B. Lee" as "Lee, Ann B.", and the reverse; lists of names one by one.

    >>> reverse_name("Ann Lee; Orr, Bob")
    'Lee, Ann; Bob Orr'
    """
    parts = SEPARATOR.split(name)
    return "".join(part if k % 2 else _reverse_one(part) for k, part in enumerate(parts))


def _reverse_one(name: str) -> str:
    last, comma, first = name.partition(",")
    if comma and first.strip():
        return f"{first.strip()} {last.strip()}"
    words = name.split()
    return f"{words[-1]}, {' '.join(words[:-1])}" if len(words) > 1 else name


def find_name_columns(table: pa.Table) -> list[str]:
    """Columns with names of people in one cell, by header and number of words."""
    chosen = []
    for name in list_columns(table):
        if not NAME_HEADER.search(name) or NO_NAME.search(name):
            continue
        values = table.column(name).cast(pa.string()).drop_null().to_pylist()
        counts = [len(SEPARATOR.split(value)[0].split()) for value in values]
        if counts and 2 <= float(np.median(counts)) <= MAX_NAME_WORDS:
            chosen.append(name)
    return chosen


def _change_case(value: str, rng: np.random.Generator) -> str:
    return (value.upper, value.lower, value.title)[int(rng.integers(3))]()


def _change_accents(value: str, rng: np.random.Generator) -> str:
    """Strip the accents of a value, or set some."""
    if rng.random() < 0.5:
        return strip_accents(value)
    letters = []
    for letter in value:
        is_marked = letter in "aeiouAEIOU" and rng.random() < ACCENT
        letters.append(letter + MARKS[int(rng.integers(len(MARKS)))] if is_marked else letter)
    return unicodedata.normalize("NFC", "".join(letters))


def _change_whitespace(value: str, rng: np.random.Generator) -> str:
    """Double the blanks of a value, or set blanks around it."""
    kind = int(rng.integers(4))
    blanks = ("  ", "\u00a0", "\t", " ")[kind]
    inside = value.replace(" ", blanks)
    return f" {value} " if kind == 3 else inside


def _change_values(
    change: Callable[[str, np.random.Generator], str],
    table: pa.Table,
    rng: np.random.Generator,
) -> Presented:
    def change_some(value: str) -> str:
        return change(value, rng) if rng.random() < CHANGED else value

    return Presented(split_files(map_values(table, list_columns(table), change_some)))


def _reverse_names(table: pa.Table, rng: np.random.Generator) -> Presented:
    def reverse_some(value: str) -> str:
        return reverse_name(value) if rng.random() < CHANGED else value

    return Presented(split_files(map_values(table, find_name_columns(table), reverse_some)))


def _list_filled(table: pa.Table) -> list[str]:
    """Columns of which enough values are filled and two are distinct."""
    least = MIN_FILLED * table.num_rows
    names = list_columns(table)
    filled = [name for name in names if table.num_rows - table.column(name).null_count >= least]
    return [name for name in filled if len(table.column(name).drop_null().unique()) > 1]


def _find_most_telling(table: pa.Table) -> str:
    bits = measure_bits(table)
    return max(_list_filled(table), key=lambda name: bits[name])


def _list_others(table: pa.Table) -> list[str]:
    """Filled columns without the most telling one, in a fixed random order."""
    most = _find_most_telling(table)
    names = [name for name in _list_filled(table) if name != most]
    return np.random.default_rng(len(names)).permutation(names).tolist()


def _remove_values(
    share: float, table: pa.Table, rng: np.random.Generator, column: str | None = None
) -> Presented:
    """Remove values of one column; compared over the records that keep theirs."""
    column = column or _find_most_telling(table)
    values = table.column(column).to_pylist()
    removed = (rng.random(len(values)) < share).tolist()
    left = [None if gone else value for value, gone in zip(values, removed, strict=True)]
    ids = zip(table.column(ID).to_pylist(), left, strict=True)
    place = table.column_names.index(column)
    changed = table.set_column(place, column, pa.array(left, table.schema.field(column).type))
    return Presented(split_files(changed), shared=frozenset(id for id, value in ids if value))


def _has_others(table: pa.Table) -> bool:
    return len(_list_filled(table)) > 1


def _has_filled(table: pa.Table) -> bool:
    return bool(_list_filled(table))


def _has_names(table: pa.Table) -> bool:
    return bool(find_name_columns(table))


CHANGES = {
    "case": _change_case,
    "accents": _change_accents,
    "whitespace": _change_whitespace,
}
VALUES = (
    *(
        Law(name, "values", partial(_change_values, change), (0.99, 0.97))
        for name, change in CHANGES.items()
    ),
    Law("name parts in another order", "values", _reverse_names, (0.97, 0.92), applies=_has_names),
    Law(
        "30 % missing",
        "values",
        partial(_remove_values, 0.3),
        MISSING_FLOOR,
        applies=_has_others,
        columns=_list_others,
        quick_draws=2,
    ),
    Law(
        "60 % missing",
        "values",
        partial(_remove_values, 0.6),
        applies=_has_others,
        columns=_list_others,
    ),
    Law(
        "30 % missing in the most telling column",
        "values",
        partial(_remove_values, 0.3),
        applies=_has_filled,
    ),
)
