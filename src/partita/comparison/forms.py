"""Forms of values: the part or the spelling of a value that a comparison level compares.

A form maps all distinct values of a column at once, because the order of day and month is read
from the column as a whole. An empty form agrees with no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from partita.comparison.dates import dates_of
from partita.comparison.phonetic import metaphone, soundex

__all__ = ["FORMS", "SEPARATOR", "form_of", "items_of", "number_of"]

Form = Callable[[Sequence[str]], list[str]]

SEPARATOR = "\x1f"
"""The sign between the values of two columns that are compared as one (ASCII unit separator)."""
NOT_ALPHANUMERIC = re.compile(r"[\W_]")
NOT_DIGIT = re.compile(r"\D")
PHONE_DIGITS = 7
"""Digits of a telephone number without its area code (North American numbering plan)."""
PREFIX_LETTERS = 3
"""Letters of a postcode in one word that name its area."""
UK_POSTCODE = re.compile(r"([a-z]{1,2})(\d[a-z\d]?)\s*(?:(\d)[a-z]{2})?$")
"""Area, district and sector of a British postcode."""


def _each(function: Callable[[str], str]) -> Form:
    return lambda values: [function(value) for value in values]


def _prefix(value: str) -> str:
    """The first word of a postcode, or its first letters where it is one word."""
    words = value.split()
    return words[0] if len(words) > 1 else value[:PREFIX_LETTERS]


def _uk_postcode(parts: int) -> Form:
    """Area, area and district, or area, district and sector of British postcodes."""

    def shorten(value: str) -> str:
        match = UK_POSTCODE.match(value.lower())
        groups = match.groups()[:parts] if match else ()
        return " ".join(groups) if groups and all(groups) else ""

    return _each(shorten)


def _username(value: str) -> str:
    """The part of an address before the @; without one, all but the last two words."""
    if "@" in value:
        return value.split("@")[0]
    words = value.split()
    return " ".join(words[:-2]) if len(words) > 2 else value


def _last_digits(value: str) -> str:
    digits = NOT_DIGIT.sub("", value)
    return digits[-PHONE_DIGITS:] if len(digits) >= PHONE_DIGITS else ""


def number_of(text: str) -> float:
    """A number, also where cleaning replaced its point and commas by blanks; NaN for no number."""
    try:
        return float(text)
    except ValueError:
        sign, parts = (-1.0 if text.startswith("-") else 1.0), text.removeprefix("-").split()
    if not parts or not all(part.isdecimal() for part in parts):
        return np.nan
    if len(parts) > 2 or (len(parts) == 2 and len(parts[1]) == 3 and len(parts[0]) <= 3):
        return sign * float("".join(parts))
    return sign * float(".".join(parts))


def _number(value: str) -> str:
    number = number_of(value)
    # adding 0 gives both zeros one sign
    return "" if np.isnan(number) else repr(number + 0.0)


def _dates(values: Sequence[str]) -> list[str]:
    """Eight digits of each whole date."""
    dates = dates_of(values)
    whole = (dates.parts.year > 0) & (dates.parts.month > 0) & (dates.parts.day > 0)
    return [text if full else "" for text, full in zip(dates.digits.text, whole, strict=True)]


def items_of(value: str) -> list[str]:
    """The items of a list: the parts between ; | or commas, and words where there are none."""
    for mark in ";|,":
        if mark in value:
            return [" ".join(item.split()) for item in value.split(mark) if item.strip()]
    return value.split()


def _item_set(value: str) -> str:
    return SEPARATOR.join(sorted(set(items_of(value.lower()))))


def _sounds(code: Callable[[str], str]) -> Form:
    return _each(lambda value: " ".join(filter(None, map(code, value.split()))))


def _column(place: int) -> Form:
    return _each(lambda value: value.split(SEPARATOR)[place] if SEPARATOR in value else "")


def _any_order(value: str) -> str:
    return SEPARATOR.join(sorted(value.split(SEPARATOR)))


FORMS: dict[str, Form] = {
    "": list,
    "letters and digits": _each(lambda value: NOT_ALPHANUMERIC.sub("", value)),
    "digits": _each(lambda value: NOT_DIGIT.sub("", value)),
    "last seven digits": _each(_last_digits),
    "username": _each(_username),
    "domain": _each(lambda value: value.partition("@")[2]),
    "postcode prefix": _each(_prefix),
    "postcode sector": _uk_postcode(3),
    "postcode district": _uk_postcode(2),
    "postcode area": _uk_postcode(1),
    "number": _each(_number),
    "date": _dates,
    "items": _each(_item_set),
    "soundex": _sounds(soundex),
    "metaphone": _sounds(metaphone),
    "first column": _column(0),
    "second column": _column(1),
    "any order of columns": _each(_any_order),
}
"""Forms by name; the form without a name is the value itself."""


def form_of(form: str, values: Sequence[str]) -> Sequence[str]:
    """The form of each value."""
    return values if form == "" else FORMS[form](values)
