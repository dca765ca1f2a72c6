"""The people behind the records: everything about a person is a function of their number.

Households are runs of persons: a head, a partner, then children. Whatever is shared is drawn for
the number of the household; what a person has alone, such as a later address, is drawn for numbers
beyond the households, so that one law serves both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.synthetic.cells import LOWER, PLAIN, Cells, digits, encode, joined
from partita.synthetic.draws import Draws, Ints, Mask, ranked, zipf
from partita.synthetic.names import NAME_WIDTH, given, surnames
from partita.synthetic.places import cities, domains, streets
from partita.synthetic.plan import grouped, owner
from partita.synthetic.settings import Population

__all__ = ["EMAIL_WIDTH", "PLACE_WIDTH", "STREET_WIDTH", "Address", "Person", "Persons"]

STREET_WIDTH, PLACE_WIDTH, EMAIL_WIDTH = 36, 24, 60
HOUSEHOLD = 6
STREETS = 16
OLDEST, SPAN = 1925, 60

# letters of a name that an e-mail address keeps; all others vanish
KEPT = LOWER[PLAIN].copy()
KEPT[~np.isin(KEPT, np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8))] = 0


class Person(NamedTuple):
    """Where persons stand in their households."""

    number: Ints
    household: Ints
    head: Ints
    """The number of the first person of the household."""
    place: Ints
    """0 for the head, 1 for the partner, then children."""
    junior: Mask
    """Named after the head."""


class Address(NamedTuple):
    """An address in cells."""

    street: Cells
    city: Cells
    postcode: Cells


class Persons:
    """All persons of a seed."""

    def __init__(self, count: int, draws: Draws, population: Population) -> None:
        self.count, self.draws, self.population = count, draws, population
        self.starts = grouped(count, self._household_sizes)
        self.households = self.starts.size - 1
        self.given_names = given()
        self.surnames, self.accented = surnames()
        self.cities = cities(population.city_skew)
        sizes = np.diff(self.given_names.starts)
        self.given_law = [zipf(size, population.given_skew, 5.0) for size in sizes.tolist()]
        self.surname_law = zipf(self.accented, population.surname_skew, 5.0)

    def _household_sizes(self, index: Ints) -> Ints:
        more = np.clip(self.population.household, 1e-12, 1 - 1e-12)
        unit = self.draws.unit("household size", index)
        return np.minimum(1 + (np.log(unit) / np.log(more)), HOUSEHOLD).astype(np.int64)

    def person(self, number: Ints) -> Person:
        """The places of persons in their households."""
        household = owner(self.starts, number)
        head = self.starts[household].astype(np.int64)
        place = number - head
        junior = (place == 2) & self.draws.happens("junior", number, self.population.junior)
        return Person(number, household, head, place, junior)

    def women(self, person: Person) -> Mask:
        """Whether each is a woman."""
        own = self.draws.bits("sex", person.number) % 2 == 1
        head = self.draws.bits("sex", person.head) % 2 == 1
        other = self.draws.happens("couple", person.number, 0.97)
        found = np.where(person.place == 1, head ^ other, own)
        return np.where(person.junior, head, found)

    def given(self, person: Person, women: Mask) -> Ints:
        """The place of each given name in the table."""
        name_giver = np.where(person.junior, person.head, person.number)
        unit = self.draws.unit("given", name_giver)
        beyond = self._foreign(person.household) & (self.draws.bits("accent", name_giver) % 2 == 0)
        group = women + 2 * beyond
        out = np.zeros(name_giver.size, np.int64)
        for one, law in enumerate(self.given_law):
            rows = np.flatnonzero(group == one)
            out[rows] = self.given_names.starts[one] + ranked(law, unit[rows])
        return out

    def family(self, person: Person) -> Ints:
        """The number that the surname of each is drawn for."""
        own = (person.place == 1) & self.draws.happens(
            "own name", person.number, self.population.own_name
        )
        return np.where(own, self.households + person.number, person.household)

    def married(self, number: Ints) -> Ints:
        """The number that a later surname of each is drawn for."""
        return self.households + self.count + number

    def surname(self, family: Ints) -> Ints:
        """The place of each surname in the table."""
        unit = self.draws.unit("surname", family)
        size = len(self.surnames) - self.accented
        beyond = self.accented + (unit * size).astype(np.int64)
        return np.where(self._foreign(family), beyond, ranked(self.surname_law, unit))

    def _foreign(self, family: Ints) -> Mask:
        return self.draws.happens("accented", family, self.population.accented)

    def born(self, person: Person) -> Cells:
        """Dates of birth, as year-month-day."""
        twin = (person.place % 2 == 1) & (person.place > 1)
        twin &= self.draws.happens("twins", person.number, self.population.twins)
        number = person.number - twin
        year = OLDEST + self.draws.below("head born", person.head, SPAN)
        year += np.where(person.place == 1, self.draws.below("partner born", number, 13) - 6, 0)
        year += np.where(person.place > 1, 20 + self.draws.below("child born", number, 20), 0)
        january = (year - 1970).astype("M8[Y]").astype("M8[D]")
        date = january + self.draws.below("day", number, 365).astype("m8[D]")
        month = date.astype("M8[M]")
        return joined(
            [
                *(digits(year, 4), "-", digits(month.astype(np.int64) % 12 + 1, 2), "-"),
                digits((date - month.astype("M8[D]")).astype(np.int64) + 1, 2),
            ],
            10,
        )

    def home(self, person: Person, later: Ints) -> Ints:
        """The number of an address: the household's, or the first or second `later` one."""
        own = self.households + 2 * person.number + later - 1
        return np.where(later > 0, own, person.household)

    def _city(self, home: Ints) -> Ints:
        return ranked(self.cities.cumulative, self.draws.unit("city", home))

    def address(self, home: Ints) -> Address:
        """The addresses of given numbers."""
        city = self._city(home)
        first, size = self.cities.starts[city], np.diff(self.cities.starts)[city]
        code = first + self.draws.below("postcode", home, size)
        here = code * STREETS + self.draws.below("street", home, STREETS)
        names = streets()
        street = names[self.draws.below("street name", here, len(names))]
        # low numbers are more common, as short streets are
        house = 1 + (self.draws.unit("house", home) ** 2 * 180).astype(np.int64)
        return Address(
            joined([digits(house, 3, padded=False), " ", street], STREET_WIDTH),
            joined([self.cities.cells[city]], PLACE_WIDTH),
            digits(10_000 + code, 5),
        )

    def phone(self, person: Person, later: Ints) -> Cells:
        """Phone numbers: the household's or one's own, or the first or second `later` one."""
        shared = self.draws.happens("landline", person.number, self.population.landline)
        shared &= later == 0
        line = np.where(shared, person.household, self.households + 3 * person.number + later)
        area = 100 + self._city(person.household) % 500
        code = np.where(shared, area, 700 + self.draws.below("network", line, 90))
        found = joined(
            ["0", digits(code, 3), digits(self.draws.below("phone", line, 10**7), 7)], 16
        )
        found[self.draws.happens("no phone", person.number, self.population.no_phone)] = 0
        return found

    def email(self, person: Person, given: Ints, later: Ints) -> Cells:
        """E-mail addresses made from the names a person was born with."""
        mailbox = 3 * person.number + later
        first = KEPT[self.given_names.cells[given][:, :16]]
        last = KEPT[self.surnames[self.surname(self.family(person))][:, :20]]
        style = self.draws.below("style", mailbox, 4)
        first[style == 1, 1:] = 0
        dot = np.where(np.isin(style, (0, 2)), ord("."), 0).astype(np.uint8)[:, None]
        number = digits(self.draws.below("mailbox", mailbox, 100), 2)
        number[np.isin(style, (0, 1)) & (self.draws.bits("bare", mailbox) % 2 == 0)] = 0
        place = ranked(zipf(len(domains()), 1.0), self.draws.unit("domain", mailbox))
        found = joined([first, dot, last, number, "@", domains()[place]], EMAIL_WIDTH)
        found[self.draws.happens("no email", person.number, self.population.no_email)] = 0
        return found

    def hyphenated(self, family: Ints, married: Ints) -> Cells:
        """Surnames with a later one: every fourth person keeps the first, with a hyphen."""
        new = self.surnames[self.surname(married)]
        both = self.draws.bits("double", married) % 4 == 0
        old = np.where(both[:, None], self.surnames[self.surname(family)], np.uint8(0))
        hyphen = np.where(both, ord("-"), 0).astype(np.uint8)[:, None]
        return joined([old, hyphen, new], NAME_WIDTH)

    def sexes(self, women: Mask) -> Cells:
        """The sex of each, in one letter."""
        return encode(["m", "f"])[women.astype(np.int64)]
