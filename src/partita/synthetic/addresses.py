"""Cities, postcodes and streets: a city has postcodes by its size, a postcode a few streets."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from partita.synthetic.cells import Cells, encode, to_strings
from partita.synthetic.draws import Floats, Ints, zipf
from partita.synthetic.names import compose_words

__all__ = [
    "CITIES",
    "DOMAINS",
    "POSTCODES",
    "Cities",
    "cities",
    "city_names",
    "domains",
    "street_names",
    "streets",
]

CITIES = 1000
"""Number of cities."""
POSTCODES = 20_000
"""Approximate number of postcodes; every city has at least one."""

CITY_PARTS = (
    "Ash Ald Bar Beck Bel Brad Brid Burn Cal Carl Chel Chip Clif Cold Craw Dart Dun East El "
    "Fair Farn Glen Graf Hal Har Hat Hay Hex Kel Kings Lan Leigh Lin Long Mal Mel Mid Mill Nor "
    "North Oak Old Pen Pres Quin Red Ric Rock Sal Sand Sel Shel South Stan Stock Strat Sut "
    "Thorn Up Wake Wal Wat Wes Win",
    "borough bridge burn bury by caster chester church combe cross dale den field ford gate ham "
    "haven head hurst ingham ington land ley minster mond mouth port pool side stead stoke ston "
    "ton vale ville ward water well wick worth",
)
STEMS = (
    "Abbey Acacia Alder Apple Ash Aspen Bank Barn Bay Beacon Beech Birch Black Bridge Brook "
    "Cable Castle Cedar Chapel Cherry Chestnut Church Clay Cliff College Court Cross Dale Deer "
    "Duke Eagle Elm Fair Farm Fern Field Ford Forest Forge Fox Garden Glebe Gold Grange Green "
    "Grove Hawthorn Hazel Heath High Hill Holly Hope Iron Ivy King Lake Laurel Lime Linden Main "
    "Manor Maple Market Meadow Mill Moor North Oak Orchard Palace Park Pine Pond Poplar Prince "
    "Priory Quarry Queen Ridge River Rose Rowan Salt School South Spring Station Stone Sun Swan "
    "Thorn Tower Union Vale Victoria View Walnut Water Well West White Willow Wind Wood York",
    "- bank bridge brook croft field gate hill side stead wood",
)
KINDS = ("Street", "Road", "Avenue", "Lane", "Close", "Drive", "Way", "Place")
DOMAINS = (
    *("mailbox.example", "post.example", "inbox.example", "webmail.example", "letters.example"),
    *("quickmail.example", "home.example", "work.example", "office.example", "college.example"),
    *("town.example", "club.example"),
)


class Cities(NamedTuple):
    """Names of cities and their shares of people and postcodes."""

    cells: Cells
    cumulative: Floats
    """Cumulative shares of people."""
    starts: Ints
    """The first postcode of each city, and their number at the end."""


def cities(skew: float) -> Cities:
    """The cities under a Zipf law of the given exponent."""
    cumulative = zipf(CITIES, skew, 2.0)
    share = np.diff(cumulative, prepend=0.0)
    counts = np.maximum(1, np.rint(share * POSTCODES)).astype(np.int64)
    return Cities(_cities(), cumulative, np.cumsum([0, *counts.tolist()]))


@cache
def _cities() -> Cells:
    return encode(compose_words(CITY_PARTS, CITIES))


@cache
def streets() -> Cells:
    """Names of streets, without numbers."""
    stems = [stem.replace("-", "") for stem in compose_words(STEMS, 10_000)]
    return encode([f"{stem} {kind}" for stem in stems for kind in KINDS])


@cache
def domains() -> Cells:
    """Domains of e-mail addresses, under a reserved top-level domain."""
    return encode(DOMAINS)


@cache
def city_names() -> tuple[str, ...]:
    """Names of cities as strings, large cities first."""
    return tuple(to_strings(_cities()))


@cache
def street_names() -> tuple[str, ...]:
    """Names of the first 20,000 streets as strings, without numbers."""
    return tuple(to_strings(streets()[:20_000]))
