"""Settings of synthetic data sets: every rate and size, with its default."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.states.checks import positive, shown, whole

__all__ = ["Catalogue", "Errors", "Literature", "Population", "TextErrors", "check_settings"]


@dataclass(frozen=True)
class Errors:
    """Error rates of records of people; a rate is a probability for each record with errors.

    >>> Errors.only(insert=0.5).delete
    0.0
    """

    insert: float = 0.02
    """One character too many, in one of the fields."""
    delete: float = 0.03
    """One character too few."""
    substitute: float = 0.02
    """One character for another."""
    transpose: float = 0.02
    """Two characters in the wrong order."""
    neighbour: float = 0.03
    """The key beside the right one."""
    ocr: float = 0.01
    """A character misread, such as rn for m."""
    nickname: float = 0.10
    """A short form of the given name, where it has one."""
    initial: float = 0.04
    """The given name cut to its first letter."""
    swap: float = 0.02
    """Given name and surname swapped."""
    marriage: float = 0.04
    """A new surname, the same in all records of the person that have it; some are double."""
    plain: float = 0.30
    """Accents left out, where the name has some."""
    move: float = 0.10
    """One of the person's two later addresses."""
    phone_change: float = 0.10
    """One of the person's two later phone numbers."""
    email_change: float = 0.10
    """One of the person's two later e-mail addresses."""
    day_month: float = 0.02
    """Day and month of birth swapped, where the day can be a month."""
    date_digit: float = 0.03
    """A wrong digit in the date of birth, which need not leave a date."""
    partial_date: float = 0.01
    """Year and month of birth only."""
    year_only: float = 0.01
    """Year of birth only."""
    missing: float = 0.03
    """No value; for each field on its own."""
    whitespace: float = 0.02
    """A blank before, behind or doubled inside a name, street or city."""
    case: float = 0.05
    """Names, street and city all in capitals, or all in small letters."""
    spare_first: bool = True
    """Whether the first record of every person is free of errors."""

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def only(cls, spare_first: bool = True, **rates: float) -> Errors:
        """Errors at the rates `rates`; all other rates are 0."""
        return cls(**_complete_rates(cls, rates), spare_first=spare_first)

    def scaled(self, factor: float) -> Errors:
        """All rates multiplied by a factor, 1 at most."""
        return _scale_rates(self, factor)


@dataclass(frozen=True)
class TextErrors:
    """Error rates of products, companies, places and works, for each record with errors.

    >>> TextErrors.only(truncate=0.5).missing
    0.0
    """

    insert: float = 0.02
    """One character too many, in one of the fields."""
    delete: float = 0.03
    """One character too few."""
    substitute: float = 0.02
    """One character for another."""
    transpose: float = 0.02
    """Two characters in the wrong order."""
    neighbour: float = 0.03
    """The key beside the right one."""
    ocr: float = 0.02
    """A character misread, such as rn for m."""
    abbreviate: float = 0.25
    """A word abbreviated or spelled out, such as Mfg for Manufacturing, where it can be."""
    reorder: float = 0.05
    """Words of the name in another order."""
    drop: float = 0.06
    """A word of the name left out."""
    truncate: float = 0.03
    """The name cut off."""
    reformat: float = 0.15
    """A record written as another source writes it."""
    change: float = 0.08
    """A value that changed: an old phone number, another price, another address, another year."""
    missing: float = 0.05
    """No value; for each field on its own."""
    whitespace: float = 0.02
    """A blank before, behind or doubled inside a text."""
    case: float = 0.05
    """Texts all in capitals, or all in small letters."""

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def only(cls, **rates: float) -> TextErrors:
        """Errors at the rates `rates`; all other rates are 0."""
        return cls(**_complete_rates(cls, rates))

    def scaled(self, factor: float) -> TextErrors:
        """All rates multiplied by a factor, 1 at most."""
        return _scale_rates(self, factor)


@dataclass(frozen=True)
class Catalogue:
    """The entities of products, companies, places and works, before errors."""

    repeat: float = 0.45
    """Chance of another record of an entity; sizes are geometric."""
    largest: int = 12
    """Maximum records of one entity."""
    family: float = 0.6
    """Chance of another entity in a family of similar entities, such as models of one series."""
    largest_family: int = 8
    """Maximum entities of one family."""
    styles: int = 6
    """Number of writing styles in a single file, as if it merged several sources."""
    clean: float = 0.3
    """Share of records without errors."""
    branches: bool = True
    """Whether a branch of a company in another town is an entity; if not, it is the company."""

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class Population:
    """The people of the records, before errors."""

    repeat: float = 0.45
    """Chance of another record of a person, so that sizes are geometric with mean 1.8."""
    tail: float = 0.0005
    """Share of people with many records: 7 to `largest`, log-uniform, 2 % of a file at most."""
    largest: int = 300
    """Maximum records of one person."""
    household: float = 0.6
    """Chance of another person in a household, of six at most."""
    twins: float = 0.03
    """Chance that the second child of a household is the twin of the first."""
    junior: float = 0.03
    """Chance that a first child bears the given name of the head of the household."""
    own_name: float = 0.15
    """Chance that a partner has a surname of their own."""
    landline: float = 0.4
    """Chance that a person's phone is the household's."""
    no_phone: float = 0.1
    """Share of people without a phone."""
    no_email: float = 0.3
    """Share of people without an e-mail address."""
    accented: float = 0.03
    """Share of families with a non-ASCII surname; half of their given names are non-ASCII."""
    given_skew: float = 1.1
    """Exponent of the Zipf law of given names."""
    surname_skew: float = 0.9
    """Exponent of the Zipf law of surnames."""
    city_skew: float = 1.0
    """Exponent of the Zipf law of cities."""

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class Literature:
    """Authors, their papers, and how papers name them."""

    scale: float = 6.0
    """Papers of an author: 1 + scale (u^(-1 / exponent) - 1) for a uniform u (Lomax)."""
    exponent: float = 2.0
    """Exponent of that law; smaller is heavier."""
    largest: int = 4000
    """Maximum mentions of one author."""
    last_names: int | None = None
    """Number of last names in use; None is one for 80 mentions, from 40 to 60,000."""
    last_skew: float = 0.9
    """Exponent of the Zipf law of last names; canopies grow with it."""
    first_skew: float = 0.8
    """Exponent of the Zipf law of first names."""
    initial: float = 0.35
    """Chance of a first name cut to its initial."""
    first_typo: float = 0.015
    """Chance of a typing error in a first name that is not cut, behind its first letter."""
    last_typo: float = 0.005
    """Chance of a typing error in a last name, behind its first letter."""
    has_middle: float = 0.5
    """Share of authors with a middle name."""
    no_middle: float = 0.4
    """Chance that a mention leaves the middle name out."""
    middle_initial: float = 0.4
    """Chance that a mention cuts the middle name to its initial."""
    accented: float = 0.03
    """Share of authors with a non-ASCII last name."""
    community: int = 40
    """Authors in a circle of coauthors."""
    outsider: float = 0.1
    """Chance that a coauthor comes from outside the circle."""
    topics: int = 300
    """Number of topics; each has words and venues of its own."""
    first_topic: float = 0.7
    """Chance that a paper is on the first topic of its author."""
    second_topic: float = 0.23
    """Chance that it is on the second; the rest is on any topic."""
    topic_word: float = 0.5
    """Chance that a word of a title belongs to the paper's topic."""
    own_word: float = 0.15
    """Chance that it is one of the author's favourites; the rest is common to all."""
    stray_venue: float = 0.15
    """Chance that a paper appears outside the venues of its topic."""
    missing: float = 0.02
    """Chance of no venue, and of no year."""

    def __post_init__(self) -> None:
        _check(self)
        for first, second in (
            *(("no_middle", "middle_initial"), ("first_topic", "second_topic")),
            ("topic_word", "own_word"),
        ):
            total = getattr(self, first) + getattr(self, second)
            if total > 1.0 + 1e-9:
                raise InputError(
                    f"{first} and {second} add up to {total:g}; give rates with a sum of 1 at most"
                )


def check_settings(value: Any, kind: type[Any], name: str) -> Any:
    """Return the settings, or the defaults of their class for None."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise InputError(f"{name} is {shown(value)}; give {kind.__name__}(...)")
    return value


def _complete_rates(kind: type[Any], rates: dict[str, float]) -> dict[str, float]:
    """Set the rates that are not in `rates` to 0."""
    names = [field.name for field in dataclasses.fields(kind) if field.name != "spare_first"]
    for name in rates:
        if name not in names:
            raise InputError(f"there is no error {name!r}; give one of {', '.join(names)}")
    return {name: rates.get(name, 0.0) for name in names}


def _scale_rates(errors: Any, factor: float) -> Any:
    if not np.isfinite(factor) or factor < 0:
        raise InputError(f"the noise level is {factor}; give a number of at least 0")
    rates = {
        field.name: min(1.0, factor * getattr(errors, field.name))
        for field in dataclasses.fields(errors)
        if field.name != "spare_first"
    }
    return dataclasses.replace(errors, **rates)


POSITIVE = (
    *("scale", "exponent", "given_skew", "surname_skew", "city_skew"),
    *("last_skew", "first_skew"),
)
"""Settings that accept every positive number; other floats are rates from 0 to 1."""


def _check(settings: Any) -> None:
    """Reject settings out of the range of their declared type."""
    for field in dataclasses.fields(settings):
        name, value, kind = field.name, getattr(settings, field.name), str(field.type)
        if kind == "bool":
            if not isinstance(value, bool):
                raise InputError(f"{name} is {value!r}; give True or False")
        elif "int" in kind:
            if value is not None or "None" not in kind:
                whole(value, name, 2 if name == "community" else 1)
        elif name in POSITIVE:
            positive(value, name)
        else:
            _rate(value, name)


def _rate(value: Any, name: str) -> None:
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not 0.0 <= value <= 1.0:
        raise InputError(f"the rate {name} is {value!r}; give a number from 0 to 1")
