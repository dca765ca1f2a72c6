"""Generate records of places with known truth: chains, neighbours, coordinates with jitter.

A family is a chain with one name in many towns, or neighbours in one street. Sources differ in
language, vocabulary of categories, precision of coordinates and form of addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from partita.synthetic.dice import Dice
from partita.synthetic.listing import list_records
from partita.synthetic.phrases import abbreviate, change_words, strip_accents
from partita.synthetic.place_words import (
    CATEGORIES,
    PLACE_FORMS,
    Category,
    chain_names,
    name_stems,
)
from partita.synthetic.settings import Catalogue, TextErrors
from partita.synthetic.sites import TOWNS, Site, build_site, write_phone, write_street
from partita.synthetic.source import Source, Truth

__all__ = ["Places", "places"]

TYPED = {"name": 0.6, "address": 0.3, "city": 0.1}
"""Columns with typing errors, and the share of the errors in each."""
JITTER_DEGREES = 0.0012
"""Maximum error of a coordinate in degrees, about 130 m."""
FAR_DEGREES = 0.05
"""Maximum error of a coordinate that is the centre of a town, in degrees."""
CITY_STEP = 41
"""Distance of the towns of a chain in the list of cities; it keeps eight towns apart."""

CATEGORY_STEP = 5
"""Distance of the categories of neighbours in the list; no divisor of its length."""


class Style(NamedTuple):
    """Conventions of a source."""

    language: int
    """English, German or French words for a category within a name."""
    label: int
    precision: int
    """Decimals of coordinates."""
    jitter: float
    """Typical error of a coordinate, as a share of the maximum."""
    number_last: bool
    is_plain: bool
    is_full: bool
    """Whether the address contains postcode and town."""
    suffix: float
    """Chance that a name ends in the town."""
    short_words: float
    phone: int
    filled: tuple[float, ...]
    """Chance that category, address, phone and coordinates are filled."""


class Family(NamedTuple):
    """A chain, or neighbours in one street."""

    category: Category
    is_chain: bool
    name: str
    pattern: str
    city: int
    site: Site


class Spot(NamedTuple):
    """One place."""

    category: Category
    pattern: str
    """The name; {w} stands for the word of the category."""
    site: Site
    phones: tuple[str, str]


def places(
    n: int,
    seed: int = 0,
    *,
    sources: int = 1,
    errors: TextErrors | None = None,
    catalogue: Catalogue | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of places such as cafés and museums, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    sources
        Number of maps; with several, none lists a place twice, and a column names the map.
    errors
        Error rates.
    catalogue
        Sizes of entities and families.
    truth
        Place of the true place of a record: the column `entity`, a separate file, or none.

    >>> places(100, seed=1).table().num_rows
    100
    """
    return list_records(
        Places(), n, seed, sources=sources, errors=errors, catalogue=catalogue, truth=truth
    )


class Places:
    """Composes places and their records."""

    required = "name"
    typed: Mapping[str, float] = MappingProxyType(TYPED)
    text: Sequence[str] = ("name", "address", "city")

    def build_style(self, dice: Dice) -> Style:
        """Draw the conventions of a source."""
        return Style(
            *(dice.pick((0, 0, 0, 1, 2)), dice.below(4), dice.between(3, 6), dice.unit()),
            *(dice.happens(0.4), dice.happens(0.4), dice.happens(0.3)),
            *(dice.pick((0.0, 0.0, 0.1, 0.6)), dice.pick((0.0, 0.0, 0.3, 0.7)), dice.below(6)),
            tuple(dice.pick((0.6, 0.9, 0.97)) for _ in range(4)),
        )

    def build_family(self, dice: Dice) -> Family:
        """Draw a chain or a street."""
        category = dice.pick(CATEGORIES)
        city = int(dice.unit() ** 2 * TOWNS)
        is_chain = category.is_chain and dice.happens(0.6)
        name = dice.pick_skewed(chain_names()) if is_chain else ""
        pattern = dice.pick(category.patterns)
        return Family(category, is_chain, name, pattern, city, build_site(dice, city))

    def build_member(self, family: Family, member: int, dice: Dice) -> Spot:
        """Draw a place: the next town of the chain, or the next house of the street."""
        category, pattern, stem = family.category, family.pattern, family.name
        # half of the places of a chain share their town with one other
        city = family.city + CITY_STEP * (member // 2 if family.is_chain else 0)
        site = family.site if member == 0 else build_site(dice, city)
        if not family.is_chain:
            if member:
                # the step shares no divisor with the number of categories: neighbours differ
                first = CATEGORIES.index(family.category)
                category = CATEGORIES[(first + CATEGORY_STEP * member) % len(CATEGORIES)]
                pattern = dice.pick(category.patterns)
                number = family.site.number + member
                site = family.site._replace(number=number, unit="")
            stem = dice.pick(name_stems("Saint" in pattern))
        name = pattern.replace("{s}", stem).replace("{c}", site.city).replace("{r}", site.street)
        return Spot(category, name, site, (dice.digits(7), dice.digits(7)))

    def write(self, item: Spot, style: Style, dice: Dice, errors: TextErrors) -> dict[str, str]:
        """Write one record of a place."""
        site, has = item.site, [dice.happens(rate) for rate in style.filled]
        rate = max(style.short_words, 0.5 * errors.abbreviate)
        address = abbreviate(write_street(site, style.number_last, True), PLACE_FORMS, dice, rate)
        if style.is_full:
            address = f"{address}, {site.postcode} {site.city}"
        phone = item.phones[dice.happens(errors.change)]
        latitude, longitude = _locate(site, style, dice, errors)
        label = item.category.labels[style.label]
        record = {
            "name": change_words(_write_name(item, style, dice, errors), dice, errors),
            "category": label if has[0] else "",
            "address": address if has[1] else "",
            "city": site.city,
            "phone": write_phone(phone, site, "+44", style.phone) if has[2] else "",
            "latitude": latitude if has[3] else "",
            "longitude": longitude if has[3] else "",
        }
        if style.is_plain:
            record = {name: strip_accents(value) for name, value in record.items()}
        return record


def _write_name(item: Spot, style: Style, dice: Dice, errors: TextErrors) -> str:
    """Write the name in the language of the source, or in another one by error."""
    words = item.category.words
    is_other = dice.happens(errors.reformat)
    word = words[dice.below(3) if is_other else style.language]
    name = item.pattern.replace("{w}", word)
    if name.startswith("The ") and dice.happens(2 * errors.drop):
        name = name.removeprefix("The ")
    name = abbreviate(name, PLACE_FORMS, dice, max(style.short_words, 0.5 * errors.abbreviate))
    if dice.happens(style.suffix) and item.site.city not in name:
        name += dice.pick((f" {item.site.city}", f" - {item.site.city}", f" ({item.site.city})"))
    return name


def _locate(site: Site, style: Style, dice: Dice, errors: TextErrors) -> tuple[str, str]:
    """Coordinates with the error and the precision of the source."""
    spread = FAR_DEGREES if dice.happens(0.5 * errors.change) else JITTER_DEGREES * style.jitter
    north, east = (2 * spread * (dice.unit() - 0.5) for _ in range(2))
    digits = style.precision
    return f"{site.latitude + north:.{digits}f}", f"{site.longitude + east:.{digits}f}"
