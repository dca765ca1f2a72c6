"""Dates as people write them: year, month and day in any order, incomplete, and with typos."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.strings import Strings
from partita.kernel import Floats, Ints, entry, kernel

__all__ = ["DATE_LEVELS", "Dates", "date_levels", "dates_of", "days_of"]

DATE_LEVELS = (
    "one digit differs, or two neighbours swapped",
    "two digits differ, or day and month swapped",
    "same year and month",
    "same year",
    "same month and day, or three digits differ",
)
"""Levels between exact and no agreement, from 1 on."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FIRST_YEAR = 1000
LAST_YEAR = 2100
"""Four digits outside these years are no year."""
CENTURY_FROM = 30
"""Two-digit years above this number belong to the twentieth century, others to the next."""
EPOCH = datetime.date(1970, 1, 1).toordinal()
"""The number of NumPy's first day in days."""
CACHED_COLUMNS = 4
"""Columns of dates whose values stay parsed. A limit of memory."""


class Parts(NamedTuple):
    """Numbers of distinct dates; 0 where a part is missing."""

    year: Ints
    month: Ints
    day: Ints


class Dates(NamedTuple):
    """The parts and the digits of distinct dates."""

    parts: Parts
    digits: Strings
    """Eight digits of a date, and the text itself where it is no date."""


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR


def _split(text: str) -> list[str]:
    """The parts of a date: numbers and month names, without the time of day."""
    spaced = "".join(sign if sign.isalnum() else " " for sign in text.lower())
    parts = spaced.split()
    joined = "".join(parts)
    if joined.isdigit() and len(joined) == 8 and len(parts) == 1:
        if _is_year(joined[:4]):
            return [joined[:4], joined[4:6], joined[6:]]
        return [joined[:2], joined[2:4], joined[4:]]
    if len(parts) == 1 and joined.isdigit() and len(joined) == 6:
        return [joined[:4], joined[4:]] if _is_year(joined[:4]) else []
    return parts


def _month_number(part: str) -> int:
    return MONTHS.index(part[:3]) + 1 if part[:3] in MONTHS else 0


def _read(parts: list[str], day_first: bool) -> tuple[int, int, int]:
    """Year, month and day, with 0 for a missing part; (0, 0, 0) if it is not a date."""
    named = [_month_number(part) for part in parts if part.isalpha()]
    month = next((number for number in named if number), 0)
    numbers = [part for part in parts if part.isdigit()][:3]
    years = [k for k, part in enumerate(numbers) if len(part) == 4]
    if not years and len(numbers) == (2 if month else 3) and len(numbers[-1]) == 2:
        # two digits stand for a year of the last hundred years or so
        short = int(numbers[-1])
        numbers[-1] = str(short + (1900 if short > CENTURY_FROM else 2000))
        years = [len(numbers) - 1]
    if not years:
        return 0, 0, 0
    year = years[0]
    rest = [int(part) for k, part in enumerate(numbers) if k != year]
    if month:
        return int(numbers[year]), month, rest[0] if rest else 0
    if len(rest) == 2 and year > 0 and day_first:
        rest.reverse()
    first, second = [*rest, 0, 0][:2]
    return int(numbers[year]), first, second


def _day_first(split: Sequence[list[str]]) -> bool:
    """Whether day precedes month where the year is last, by the numbers above twelve."""
    votes = 0
    for parts in split:
        if len(parts) >= 3 and len(parts[0]) <= 2 and parts[0].isdigit() and parts[1].isdigit():
            votes += (int(parts[0]) > 12) - (int(parts[1]) > 12)
    return votes >= 0


def dates_of(values: Sequence[str]) -> Dates:
    """Parse the distinct values of a column of dates."""
    return _parse(tuple(values))


@lru_cache(maxsize=CACHED_COLUMNS)
def _parse(values: tuple[str, ...]) -> Dates:
    """Parse dates once: blocking, exact forms and levels use the same values."""
    split = [_split(value) for value in values]
    day_first = _day_first(split)
    read = [_read(parts, day_first) for parts in split]
    year, month, day = np.ascontiguousarray(np.array(read, np.int64).reshape(-1, 3).T)
    digits = [
        f"{y:04d}{m:02d}{d:02d}" if y else value
        for value, (y, m, d) in zip(values, read, strict=True)
    ]
    return Dates(Parts(year, month, day), Strings(digits))


def days_of(dates: Dates) -> Floats:
    """The number of each date in days; NaN for an incomplete date, or for none."""
    year, month, day = dates.parts
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    number = first.astype("datetime64[D]") + (day - 1)
    exists = (year > 0) & (month > 0) & (month < 13) & (day > 0)
    exists &= number.astype("datetime64[M]") == first
    return np.where(exists, number.astype(np.int64) + EPOCH, np.nan)


def date_levels(dates: Dates, left: Ints, right: Ints) -> NDArray[np.int8]:
    """The level of each pair of dates that are written differently.

    0 is the same date, 1 to 5 are `DATE_LEVELS`, 6 is no agreement.
    """
    levels = np.empty(len(left), np.int8)
    wrong = dates.digits.edits(left, right, 3)
    _fill_levels(dates.parts, left, right, wrong, levels)
    return levels


@kernel
def _level(parts: Parts, a: int, b: int, wrong: int) -> int:
    """The level of two dates with `wrong` different digits."""
    year, month, day = parts.year, parts.month, parts.day
    read = year[a] > 0 and year[b] > 0
    whole = read and month[a] > 0 and month[b] > 0 and day[a] > 0 and day[b] > 0
    # a missing part is no error, and its zeros are no edits
    partial = read and not whole
    if wrong <= 1 and not partial:
        return 0 if wrong == 0 and whole else 1
    same_year, same_month = read and year[a] == year[b], month[a] == month[b]
    swapped = whole and same_year and month[a] == day[b] and day[a] == month[b]
    if swapped or (wrong <= 2 and not partial):
        return 2
    if same_year:
        return 3 if same_month and month[a] > 0 else 4
    if whole and ((same_month and day[a] == day[b]) or wrong <= 3):
        return 5
    return 5 if partial and wrong <= 1 else 6


@entry
def _fill_levels(
    parts: Parts, left: Ints, right: Ints, wrong: NDArray[np.int32], levels: NDArray[np.int8]
) -> None:
    for k in range(left.size):
        levels[k] = _level(parts, left[k], right[k], wrong[k])
