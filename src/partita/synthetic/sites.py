"""Addresses of companies and places, with coordinates, and the ways to write them."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from partita.synthetic.addresses import city_names, street_names
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws

__all__ = ["TOWNS", "Site", "build_site", "write_phone", "write_postcode", "write_street"]

TOWNS = 600
"""Cities in use; large cities are more frequent."""
CITY_DEGREES = 0.08
"""Extent of a city in degrees of latitude, about 9 km."""
HOUSE_DEGREES = 2e-5
"""Distance of neighbouring house numbers in degrees of latitude at most, about 2 m."""
PHONE_FORMS = (
    "{prefix} {area} {first} {last}",
    "0{area} {first}{last}",
    "(0{area}) {first}-{last}",
    "{prefix}{area}{first}{last}",
    "0{area}/{first}{last}",
    "{area}-{first}-{last}",
)


class Site(NamedTuple):
    """One address."""

    number: int
    street: str
    unit: str
    """Part of a building; empty for most addresses."""
    city: str
    postcode: str
    latitude: float
    longitude: float
    area: str
    """Area code of telephone numbers."""


@cache
def _city_centres() -> list[tuple[float, float]]:
    """Latitude and longitude of each city."""
    index = np.arange(TOWNS)
    north, east = Draws(0).unit("latitude", index), Draws(0).unit("longitude", index)
    return list(zip((44 + 12 * north).tolist(), (-4 + 18 * east).tolist(), strict=True))


def build_site(dice: Dice, city: int | None = None) -> Site:
    """Draw an address in a city, or in any."""
    place = int(dice.unit() ** 2 * TOWNS) if city is None else city % TOWNS
    streets = street_names()
    # a street is at one place of a city, so that neighbours have near coordinates
    street = dice.pick_skewed(streets)
    local = Dice(_hash_text(f"{street}/{place}"))
    number = 1 + int(dice.unit() ** 2 * 220)
    north, east = _city_centres()[place]
    latitude = north + CITY_DEGREES * (local.unit() - 0.5) + HOUSE_DEGREES * number * local.unit()
    stretch = math.cos(math.radians(north))
    longitude = (
        east + (CITY_DEGREES * (local.unit() - 0.5) + 3e-5 * number * local.unit()) / stretch
    )
    postcode = f"{10 + place % 90}{local.below(1000):03d}"
    unit = f"{dice.pick(('Unit', 'Suite', 'Floor'))} {dice.between(1, 24)}"
    return Site(
        *(number, street, unit if dice.happens(0.12) else "", city_names()[place], postcode),
        *(latitude, longitude, str(200 + place)),
    )


def _hash_text(text: str) -> int:
    """Compute a state for `Dice` that depends on a text only."""
    state = 0
    for byte in text.encode():
        state = (state * 1_000_003 + byte) & (2**64 - 1)
    return state


def write_street(site: Site, number_last: bool, has_unit: bool) -> str:
    """Street and number; the number comes last on the Continent."""
    line = f"{site.street} {site.number}" if number_last else f"{site.number} {site.street}"
    return f"{site.unit}, {line}" if has_unit and site.unit else line


def write_postcode(site: Site, country: str, form: int) -> str:
    """The postcode in one of three forms."""
    code = site.postcode
    return (code, f"{code[:3]} {code[3:]}", f"{country}-{code}")[form]


def write_phone(number: str, site: Site, prefix: str, form: int) -> str:
    """A telephone number of seven digits in one of the forms."""
    return PHONE_FORMS[form % len(PHONE_FORMS)].format(
        prefix=prefix, area=site.area, first=number[:3], last=number[3:]
    )
