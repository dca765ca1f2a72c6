"""Templates of values: literal text, placeholders with formats, and masks of codes.

"{brand} {size|04d} ml"     a word list or an attribute, with formats behind bars
"{:AA-9999*}"               a mask: A letter, 9 digit, * check digit, others stand for themselves
"{=3-40}"                   a whole number of a range
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FORMATS", "Placeholder", "Template", "TemplateError", "draw_mask", "format_date"]

FIELD = re.compile(r"\{([^{}]*)\}")
ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Letters of codes, without those that look like digits."""
SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


class TemplateError(ValueError):
    """A template that cannot be read."""


def strip_accents(text: str) -> str:
    """The text without accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text.replace("ß", "ss").replace("ø", "o"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def write_roman(number: int) -> str:
    """A number in Roman numerals."""
    text = ""
    for value, letters in ROMAN:
        while number >= value:
            text, number = text + letters, number - value
    return text


def write_ordinal(number: int) -> str:
    """A number as an ordinal."""
    suffix = "th" if 10 < number % 100 < 14 else SUFFIXES.get(number % 10, "th")
    return f"{number}{suffix}"


def format_date(day: int, pattern: str) -> str:
    """The date of an ordinal day."""
    return dt.date.fromordinal(int(day)).strftime(pattern)


FORMATS: dict[str, Callable[[Any], Any]] = {
    "lower": lambda value: str(value).lower(),
    "upper": lambda value: str(value).upper(),
    "title": lambda value: str(value).title(),
    "plain": lambda value: strip_accents(str(value)),
    "slug": lambda value: re.sub(r"[^a-z0-9]", "", strip_accents(str(value)).lower()),
    "initial": lambda value: str(value)[:1],
    "initials": lambda value: "".join(part[:1] for part in str(value).split()),
    "three": lambda value: str(value)[:3],
    "first": lambda value: str(value).partition(" ")[0],
    "rest": lambda value: str(value).partition(" ")[2],
    "last": lambda value: str(value).rpartition(" ")[2],
    "nospace": lambda value: str(value).replace(" ", ""),
    "digits": lambda value: re.sub(r"\D", "", str(value)),
    "bare": lambda value: re.sub(r"[^0-9A-Za-z]", "", str(value)),
    "dotted": lambda value: re.sub(r"[- ]", ".", str(value)),
    "spaced": lambda value: re.sub(r"[-.]", " ", str(value)),
    "comma": lambda value: str(value).replace(".", ","),
    "int": int,
    "roman": lambda value: write_roman(int(value)) if value != "" else "",
    "ordinal": lambda value: write_ordinal(int(value)) if value != "" else "",
    "sequel": lambda value: "" if int(value) <= 1 else int(value),
}
"""Formats by name; others are %-patterns of dates, format specifications and factors (*0.1)."""


def _find_format(text: str) -> Callable[[Any], Any]:
    if text in FORMATS:
        return FORMATS[text]
    if text.startswith("%"):
        return lambda value: format_date(value, text)
    if text.startswith("*"):
        factor = float(text[1:])
        return lambda value: float(value) * factor
    if re.fullmatch(r"0?\d*d", text):
        return lambda value: format(int(value), text)
    if re.fullmatch(r"\.\df", text):
        return lambda value: format(float(value), text)
    raise TemplateError(f"there is no format {text!r}; use {', '.join(FORMATS)}, %Y, .2f or *0.1")


@dataclass(frozen=True)
class Placeholder:
    """A name, a mask or a range, and the formats of its value."""

    name: str = ""
    mask: str = ""
    span: tuple[int, int] | None = None
    formats: tuple[Callable[[Any], Any], ...] = ()

    def write(self, value: Any) -> str:
        """The text of a value."""
        for change in self.formats:
            value = change(value)
        if isinstance(value, float | np.floating):
            return str(int(value)) if value == int(value) else f"{value:.2f}"
        return str(value)


@dataclass(frozen=True)
class Template:
    """Literal text and placeholders in turn."""

    parts: tuple[str | Placeholder, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        """Read a template."""
        parts: list[str | Placeholder] = []
        for place, part in enumerate(FIELD.split(text)):
            if place % 2:
                parts.append(_parse_field(part))
            elif "{" in part or "}" in part:
                raise TemplateError(f"{text!r} has an open brace; close it")
            elif part:
                parts.append(part)
        return cls(tuple(parts))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes and word lists of the template."""
        fields = (part for part in self.parts if isinstance(part, Placeholder))
        return tuple(part.name for part in fields if part.name)

    def write(self, values: Sequence[Sequence[Any]], rows: int) -> list[str]:
        """The texts of all rows, from one list of values for each placeholder."""
        columns: list[Sequence[str]] = []
        remaining = iter(values)
        for part in self.parts:
            if isinstance(part, str):
                columns.append([part] * rows)
            else:
                columns.append([part.write(value) for value in next(remaining)])
        if not columns:
            return [""] * rows
        return [" ".join("".join(row).split()) for row in zip(*columns, strict=True)]


def _parse_field(text: str) -> Placeholder:
    name, *formats = text.split("|")
    changes = tuple(_find_format(part) for part in formats)
    if name.startswith(":"):
        return Placeholder(mask=name[1:], formats=changes)
    if name.startswith("="):
        numbers = re.fullmatch(r"=(\d+)-(\d+)", name)
        if numbers is None or int(numbers[1]) > int(numbers[2]):
            raise TemplateError(f"{{{name}}} is no range; write it like {{=3-40}}")
        return Placeholder(span=(int(numbers[1]), int(numbers[2])), formats=changes)
    if not name:
        raise TemplateError("a placeholder has no name; write an attribute or a word list")
    return Placeholder(name, formats=changes)


def draw_mask(mask: str, rows: int, random: np.random.Generator) -> list[str]:
    """Random codes of a mask; the check digit is the weighted sum of the code modulo 10."""
    columns = []
    for letter in mask:
        if letter == "9":
            columns.append(random.integers(0, 10, rows).astype("U1").tolist())
        elif letter == "A":
            places = random.integers(0, len(LETTERS), rows)
            columns.append([LETTERS[place] for place in places.tolist()])
        else:
            columns.append([letter] * rows)
    codes = ["".join(row) for row in zip(*columns, strict=True)]
    return [_complete(code) for code in codes] if "*" in mask else codes


def _complete(code: str) -> str:
    values = [ord(letter) for letter in code if letter.isalnum()]
    check = sum(value * (3 if place % 2 else 1) for place, value in enumerate(values)) % 10
    return code.replace("*", str(check))
