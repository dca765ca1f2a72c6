"""Generate records of people with known truth: households, duplicates and errors."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partita.states.checks import whole
from partita.synthetic.cells import Cells, arrow
from partita.synthetic.draws import Draws, Floats, Ints
from partita.synthetic.noise import Noise
from partita.synthetic.persons import Person, Persons
from partita.synthetic.plan import planned
from partita.synthetic.settings import Errors, Population, chosen
from partita.synthetic.source import Source, Truth

__all__ = ["people"]

MANY = 7
"""Minimum number of records of a person in the tail."""


def people(
    n: int,
    seed: int = 0,
    *,
    errors: Errors | None = None,
    population: Population | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of people, several for some, in random order.

    Parameters
    ----------
    n
        Number of records.
    seed
        The same number gives the same records; every column depends on `n` and `seed` alone.
    errors
        Error rates.
    population
        Sizes, households and the skew of names.
    truth
        Place of the true person of a record: the column `entity`, a separate file, or none.

    >>> people(100, seed=1).table().num_rows
    100
    """
    n, seed = whole(n, "n"), whole(seed, "seed", 0)
    errors = chosen(errors, Errors, "errors")
    population = chosen(population, Population, "population")
    maker = _People(n, seed, errors, population)
    return Source(n, ("unique_id", "entity"), truth, maker.columns, maker.truth)


class _People:
    """All records of a seed, generated on demand."""

    def __init__(self, n: int, seed: int, errors: Errors, population: Population) -> None:
        self.draws, self.errors, self.population = Draws(seed), errors, population
        self.plan = planned(n, self.draws, self._sizes)
        self.persons = Persons(self.plan.entities, self.draws, population)

    def _sizes(self, index: Ints) -> Ints:
        """Records of each person: geometric, or log-uniform in the tail."""
        unit = self.draws.unit("size", index)
        more = np.clip(self.population.repeat, 1e-12, 1 - 1e-12)
        often = self.draws.happens("tail", index, self.population.tail)
        most = self.population.largest
        many: Floats = MANY * (most / MANY) ** unit
        found = np.where(often, many, 1 + np.log(unit) / np.log(more))
        return np.minimum(found, most).astype(np.int64)

    def truth(self, start: int, stop: int) -> Ints:
        """The person behind each row."""
        return self.plan.rows(start, stop)[0]

    def columns(self, start: int, stop: int) -> dict[str, pa.Array]:
        """The rows from `start` to `stop`, without their truth."""
        number, copy = self.plan.rows(start, stop)
        erring = (copy > 0) | (not self.errors.spare_first)
        noise = Noise(self.draws, self.errors, np.arange(start, stop), erring)
        cells = self._cells(number, noise)
        noise.spoil(cells)
        return {name: arrow(column) for name, column in cells.items()}

    def _cells(self, number: Ints, noise: Noise) -> dict[str, Cells]:
        """The text of rows, after what happens in life and before what happens to text."""
        persons = self.persons
        person = persons.person(number)
        women = persons.women(person)
        given = persons.given(person, women)
        address = persons.address(persons.home(person, noise.later("move")))
        return {
            "given_name": persons.given_names.cells[self._called(given, noise)],
            "surname": self._surname(person, noise),
            "date_of_birth": persons.born(person),
            "sex": persons.sexes(women),
            "street": address.street,
            "city": address.city,
            "postcode": address.postcode,
            "phone": persons.phone(person, noise.later("phone_change")),
            "email": persons.email(person, given, noise.later("email_change")),
        }

    def _called(self, given: Ints, noise: Noise) -> Ints:
        """Given names, some of them short."""
        table = self.persons.given_names
        which = noise.draws.below("short", noise.row, table.shorts[given])
        short = table.short[given, which]
        return np.where(noise.hit("nickname") & (short >= 0), short, given)

    def _surname(self, person: Person, noise: Noise) -> Cells:
        """Surnames, some of them later ones."""
        persons = self.persons
        family = persons.family(person)
        cells = persons.surnames[persons.surname(family)]
        rows = np.flatnonzero(noise.hit("marriage"))
        married = persons.married(person.number[rows])
        cells[rows] = persons.hyphenated(family[rows], married)
        return cells
