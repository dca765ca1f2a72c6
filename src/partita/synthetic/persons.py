"""The people behind the records: every attribute of a person is a function of their number.

Households are runs of persons: a head, a partner, then children. Shared attributes are drawn for
the number of the household. Individual attributes, such as a later address, are drawn for numbers
beyond the households, so that one distribution serves both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.synthetic.addresses import cities, domains, streets
from partita.synthetic.cells import LOWER, PLAIN, Cells, digits, encode, join_cells
from partita.synthetic.draws import Draws, Ints, Mask, draw_ranks, zipf
from partita.synthetic.names import NAME_WIDTH, build_given_names, surnames
from partita.synthetic.plan import owner, start_groups
from partita.synthetic.settings import Population

__all__ = ["EMAIL_WIDTH", "PLACE_WIDTH", "STREET_WIDTH", "Address", "Person", "Persons"]

STREET_WIDTH = 36
"""Characters of a street with its number."""
PLACE_WIDTH = 24
"""Characters of a city."""
EMAIL_WIDTH = 60
"""Characters of an e-mail address."""
MAX_HOUSEHOLD = 6
"""Persons of a household."""
POSTCODE_STREETS = 16
"""Streets of a postcode."""
FIRST_BIRTH_YEAR = 1925
BIRTH_YEARS = 60
"""Years over which heads of households are born."""

# e-mail addresses contain the plain lower-case letters of a name
MAILBOX_LETTERS = LOWER[PLAIN].copy()
MAILBOX_LETTERS[
    ~np.isin(MAILBOX_LETTERS, np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8))
] = 0


class Person(NamedTuple):
    """Positions of persons in their households."""

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
        self.starts = start_groups(count, self._household_sizes)
        self.households = self.starts.size - 1
        self.given_names = build_given_names()
        self.surnames, self.accented = surnames()
        self.cities = cities(population.city_skew)
        sizes = np.diff(self.given_names.starts)
        self.given_law = [zipf(size, population.given_skew, 5.0) for size in sizes.tolist()]
        self.surname_law = zipf(self.accented, population.surname_skew, 5.0)

    def _household_sizes(self, index: Ints) -> Ints:
        ratio = np.clip(self.population.household, 1e-12, 1 - 1e-12)
        unit = self.draws.unit("household size", index)
        return np.minimum(1 + (np.log(unit) / np.log(ratio)), MAX_HOUSEHOLD).astype(np.int64)

    def person(self, number: Ints) -> Person:
        """The places of persons in their households."""
        household = owner(self.starts, number)
        head = self.starts[household].astype(np.int64)
        place = number - head
        junior = (place == 2) & self.draws.happens("junior", number, self.population.junior)
        return Person(number, household, head, place, junior)

    def women(self, person: Person) -> Mask:
        """Mask of the women."""
        random = self.draws.bits("sex", person.number) % 2 == 1
        head = self.draws.bits("sex", person.head) % 2 == 1
        differs = self.draws.happens("couple", person.number, 0.97)
        women = np.where(person.place == 1, head ^ differs, random)
        return np.where(person.junior, head, women)

    def given_place(self, person: Person, women: Mask) -> Ints:
        """The place of each given name in the table."""
        name_giver = np.where(person.junior, person.head, person.number)
        unit = self.draws.unit("given", name_giver)
        beyond = self._foreign(person.household) & (self.draws.bits("accent", name_giver) % 2 == 0)
        group = women + 2 * beyond
        out = np.zeros(name_giver.size, np.int64)
        for number, law in enumerate(self.given_law):
            rows = np.flatnonzero(group == number)
            out[rows] = self.given_names.starts[number] + draw_ranks(law, unit[rows])
        return out

    def family(self, person: Person) -> Ints:
        """Number for which each person's surname is drawn."""
        keeps_name = (person.place == 1) & self.draws.happens(
            "own name", person.number, self.population.own_name
        )
        return np.where(keeps_name, self.households + person.number, person.household)

    def later_family(self, number: Ints) -> Ints:
        """Number for which each person's later surname is drawn."""
        return self.households + self.count + number

    def surname(self, family: Ints) -> Ints:
        """The place of each surname in the table."""
        unit = self.draws.unit("surname", family)
        size = len(self.surnames) - self.accented
        beyond = self.accented + (unit * size).astype(np.int64)
        return np.where(self._foreign(family), beyond, draw_ranks(self.surname_law, unit))

    def _foreign(self, family: Ints) -> Mask:
        return self.draws.happens("accented", family, self.population.accented)

    def birth_dates(self, person: Person) -> Cells:
        """Dates of birth, as year-month-day."""
        twin = (person.place % 2 == 1) & (person.place > 1)
        twin &= self.draws.happens("twins", person.number, self.population.twins)
        number = person.number - twin
        year = FIRST_BIRTH_YEAR + self.draws.below("head born", person.head, BIRTH_YEARS)
        year += np.where(person.place == 1, self.draws.below("partner born", number, 13) - 6, 0)
        year += np.where(person.place > 1, 20 + self.draws.below("child born", number, 20), 0)
        january = (year - 1970).astype("M8[Y]").astype("M8[D]")
        date = january + self.draws.below("day", number, 365).astype("m8[D]")
        month = date.astype("M8[M]")
        return join_cells(
            [
                *(digits(year, 4), "-", digits(month.astype(np.int64) % 12 + 1, 2), "-"),
                digits((date - month.astype("M8[D]")).astype(np.int64) + 1, 2),
            ],
            10,
        )

    def home(self, person: Person, later: Ints) -> Ints:
        """The number of an address: the household's, or the first or second `later` one."""
        later_home = self.households + 2 * person.number + later - 1
        return np.where(later > 0, later_home, person.household)

    def _city(self, home: Ints) -> Ints:
        return draw_ranks(self.cities.cumulative, self.draws.unit("city", home))

    def address(self, home: Ints) -> Address:
        """The addresses of the numbers `home`."""
        city = self._city(home)
        first, size = self.cities.starts[city], np.diff(self.cities.starts)[city]
        code = first + self.draws.below("postcode", home, size)
        street_number = code * POSTCODE_STREETS + self.draws.below("street", home, POSTCODE_STREETS)
        names = streets()
        street = names[self.draws.below("street name", street_number, len(names))]
        # low numbers are more common, as short streets are
        house = 1 + (self.draws.unit("house", home) ** 2 * 180).astype(np.int64)
        return Address(
            join_cells([digits(house, 3, padded=False), " ", street], STREET_WIDTH),
            join_cells([self.cities.cells[city]], PLACE_WIDTH),
            digits(10_000 + code, 5),
        )

    def phone(self, person: Person, later: Ints) -> Cells:
        """Phone numbers: the household's, the person's, or the first or second `later` one."""
        shared = self.draws.happens("landline", person.number, self.population.landline)
        shared &= later == 0
        line = np.where(shared, person.household, self.households + 3 * person.number + later)
        area = 100 + self._city(person.household) % 500
        code = np.where(shared, area, 700 + self.draws.below("network", line, 90))
        cells = join_cells(
            ["0", digits(code, 3), digits(self.draws.below("phone", line, 10**7), 7)], 16
        )
        cells[self.draws.happens("no phone", person.number, self.population.no_phone)] = 0
        return cells

    def email(self, person: Person, given_place: Ints, later: Ints) -> Cells:
        """E-mail addresses composed of the given name and the name at birth."""
        mailbox = 3 * person.number + later
        first = MAILBOX_LETTERS[self.given_names.cells[given_place][:, :16]]
        last = MAILBOX_LETTERS[self.surnames[self.surname(self.family(person))][:, :20]]
        style = self.draws.below("style", mailbox, 4)
        first[style == 1, 1:] = 0
        dot = np.where(np.isin(style, (0, 2)), ord("."), 0).astype(np.uint8)[:, None]
        number = digits(self.draws.below("mailbox", mailbox, 100), 2)
        number[np.isin(style, (0, 1)) & (self.draws.bits("bare", mailbox) % 2 == 0)] = 0
        place = draw_ranks(zipf(len(domains()), 1.0), self.draws.unit("domain", mailbox))
        cells = join_cells([first, dot, last, number, "@", domains()[place]], EMAIL_WIDTH)
        cells[self.draws.happens("no email", person.number, self.population.no_email)] = 0
        return cells

    def later_surnames(self, family: Ints, married: Ints) -> Cells:
        """Later surnames; every fourth person adds it to the first with a hyphen."""
        new = self.surnames[self.surname(married)]
        double = self.draws.bits("double", married) % 4 == 0
        old = np.where(double[:, None], self.surnames[self.surname(family)], np.uint8(0))
        hyphen = np.where(double, ord("-"), 0).astype(np.uint8)[:, None]
        return join_cells([old, hyphen, new], NAME_WIDTH)

    def sexes(self, women: Mask) -> Cells:
        """The sex of each person, in one letter."""
        return encode(["m", "f"])[women.astype(np.int64)]
