"""Columns in use: their types, roles and comparisons, and the values that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from partita.comparison import Comparison, automatic_comparison
from partita.comparison.dates import dates_of, days_of
from partita.comparison.forms import SEPARATOR, number_of
from partita.data import Column, ColumnProfile, Records
from partita.data.arrow import from_strings
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.settings import ColumnSettings, Settings
from partita.linkage.word_groups import GROUP_TITLES, choose_word_groups, split_column

__all__ = [
    "RAW_TYPES",
    "choose_columns",
    "compare_column",
    "name_unused",
    "read_numbers",
    "select_rows",
]

RAW_TYPES = ("number",)
"""Column types whose punctuation is part of the value."""


def choose_columns(profiles: Sequence[ColumnProfile], settings: Settings) -> Settings:
    """The settings with type, role and comparison of every column, by its profile."""
    _check_names(profiles, settings)
    columns = settings.columns
    chosen = {
        profile.name: replace(
            columns[profile.name],
            type=columns[profile.name].type or profile.type,
            weight=columns[profile.name].weight or profile.weight,
        )
        if profile.name in columns
        else ColumnSettings(profile.type, _role(profile), weight=profile.weight)
        for profile in profiles
    }
    for name in settings.compare:
        chosen[name] = replace(chosen[name], role="compare", weight=1.0)
    for column in columns.values():
        second = column.comparison and column.comparison.second_column
        if second and column.role == "compare" and second not in columns:
            chosen[second] = replace(chosen[second], role="block")
    links_only = settings.mode == "link" or settings.one_to_one
    if not links_only and all(column.role == "ignore" for column in chosen.values()):
        chosen |= _constant_columns(profiles, columns)
    if all(column.role == "ignore" for column in chosen.values()):
        raise InputError(
            "no column can be compared: all are empty or hold one value; give columns that differ"
        )
    if not any(column.role == "compare" for column in chosen.values()):
        chosen = {
            name: replace(column, role="compare") if column.role == "block" else column
            for name, column in chosen.items()
        }
    links_one_to_one = settings.mode != "dedupe" and settings.one_to_one is not False
    with_codes = {profile.name for profile in profiles if profile.has_codes}
    return settings.replaced(
        columns={
            name: _with_comparison(column, name in with_codes)
            for name, column in choose_word_groups(chosen, profiles, links_one_to_one).items()
        }
    )


def name_unused(profiles: Sequence[ColumnProfile], basis: Settings, chosen: Settings) -> list[str]:
    """Notes on the columns that are not compared although the user did not exclude them."""
    return [
        f"column {profile.name!r} is not compared because it {profile.unused_reason}; to compare "
        f"it, give --compare {profile.name!r}"
        for profile in profiles
        if (profile.is_surrogate or profile.is_redundant or profile.is_provenance)
        and profile.name not in basis.columns
        and chosen.columns[profile.name].role != "compare"
    ]


def _constant_columns(
    profiles: Sequence[ColumnProfile], columns: Mapping[str, ColumnSettings]
) -> dict[str, ColumnSettings]:
    """Columns of input in which all records are identical: one entity, not an error."""
    filled = [profile for profile in profiles if profile.distinct]
    if any(profile.distinct > 1 or profile.filled < 1.0 for profile in filled):
        return {}
    return {
        profile.name: ColumnSettings(profile.type, "compare")
        for profile in filled
        if profile.name not in columns
    }


def _check_names(profiles: Sequence[ColumnProfile], settings: Settings) -> None:
    known = {profile.name for profile in profiles}
    for name in settings.compare:
        if name not in known:
            raise InputError(
                f"there is no column {name!r} to compare; there are {', '.join(sorted(known))}"
            )
    for name, column in settings.columns.items():
        second = column.comparison and column.comparison.second_column
        for compared in filter(None, (None if name in settings.ignore else name, second)):
            if compared not in known:
                raise InputError(
                    f"the settings name a column {compared!r} that is not there; "
                    f"there are {', '.join(sorted(known))}"
                )


def _role(profile: ColumnProfile) -> str:
    if not profile.is_usable:
        return "ignore"
    return "compare" if profile.is_compared else "block"


def _with_comparison(column: ColumnSettings, has_codes: bool) -> ColumnSettings:
    if column.role != "compare" or column.comparison is not None or column.type is None:
        return column
    return replace(column, comparison=automatic_comparison(column.type, has_codes))


def compare_column(
    records: Records,
    name: str,
    columns: Mapping[str, ColumnSettings],
    prepared: Mapping[str, Column],
    rows: Ints,
) -> list[tuple[Column, str, Comparison]]:
    """The values that comparisons read, of some rows, with their type and the comparison.

    `prepared` are columns that blocking uses; `columns` are the settings of all columns. A column
    with groups of words gives one column for each group.
    """
    own_type = columns[name].type or ""
    comparison = columns[name].comparison or automatic_comparison(own_type)

    def values_of(name: str) -> Column:
        cleaned = comparison.uses_cleaned_values
        if name in prepared and cleaned == (columns[name].type not in RAW_TYPES):
            return prepared[name]
        column = select_rows(records.column(name, cleaned=cleaned), rows)
        # a word for a missing value, such as "n/a", is found by cleaning
        missing = records.column(name).codes[rows] < 0
        return _count(name, np.where(missing, -1, column.codes), column)

    if comparison.second_column is None:
        kind, values = columns[name].word_groups, values_of(name)
        parts = split_column(values, kind) if kind in GROUP_TITLES else [values]
        return [(part, own_type, comparison) for part in parts]
    joined = join_columns(values_of(name), values_of(comparison.second_column))
    return [(joined, comparison.column_type or own_type, comparison)]


def join_columns(first: Column, second: Column) -> Column:
    """Two columns as one, under the name of the first; missing where one of the two is."""
    both = (first.codes >= 0) & (second.codes >= 0)
    key = first.codes.astype(np.int64) * max(len(second.values), 1) + second.codes
    distinct, place = np.unique(key[both], return_inverse=True)
    codes = np.full(first.codes.size, -1, np.int32)
    codes[both] = place.reshape(-1)
    left, right = np.divmod(distinct, max(len(second.values), 1))
    first_values, second_values = first.values.to_pylist(), second.values.to_pylist()
    values = from_strings(
        [
            f"{first_values[a]}{SEPARATOR}{second_values[b]}"
            for a, b in zip(left, right, strict=True)
        ]
    )
    return _count(first.name, codes, replace(first, values=values))


def read_numbers(columns: Sequence[Column], settings: Settings) -> dict[str, Floats]:
    """Read the columns of numbers and dates, dates as days; NaN where a value is not a number."""
    numbers = {}
    for column in columns:
        own_type = settings.columns[column.name].type
        if own_type not in ("date", "number"):
            continue
        texts = column.values.to_pylist()
        known = days_of(dates_of(texts)) if own_type == "date" else list(map(number_of, texts))
        numbers[column.name] = np.append(known, np.nan)[column.codes]
    return numbers


def select_rows(column: Column, rows: Ints) -> Column:
    """Some rows of a column."""
    return _count(column.name, column.codes[rows], column)


def _count(name: str, codes: NDArray[np.signedinteger], column: Column) -> Column:
    counts = np.bincount(codes[codes >= 0], minlength=len(column.values)).astype(np.int64)
    return Column(name, codes.astype(np.int32), column.values, counts)
