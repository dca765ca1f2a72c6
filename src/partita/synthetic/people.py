"""Generate records of people with known truth: households, duplicates and errors."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partita.states.checks import whole
from partita.synthetic.cells import Cells, arrow
from partita.synthetic.draws import Draws, Floats, Ints
from partita.synthetic.noise import Noise
from partita.synthetic.persons import Person, Persons
from partita.synthetic.plan import plan_rows
from partita.synthetic.settings import Errors, Population, check_settings
from partita.synthetic.source import Source, Truth

__all__ = ["people"]

MIN_TAIL_RECORDS = 7
"""Minimum number of records of a person in the tail."""
TAIL_DIVISOR = 50
"""A person in the tail has at most one in 50 records of a file."""


def people(
    n: int,
    seed: int = 0,
    *,
    errors: Errors | None = None,
    population: Population | None = None,
    truth: Truth = "column",
) -> Source:
    """Records of people with duplicates, in random order.

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
    errors = check_settings(errors, Errors, "errors")
    population = check_settings(population, Population, "population")
    maker = _People(n, seed, errors, population)
    return Source(n, ("unique_id", "entity"), truth, maker.columns, maker.truth)


class _People:
    """All records of a seed, generated on demand."""

    def __init__(self, n: int, seed: int, errors: Errors, population: Population) -> None:
        self.n, self.draws = n, Draws(seed)
        self.errors, self.population = errors, population
        self.plan = plan_rows(n, self.draws, self._sizes)
        self.persons = Persons(self.plan.entities, self.draws, population)

    def _sizes(self, index: Ints) -> Ints:
        """Records of each person: geometric, or log-uniform in the tail."""
        unit = self.draws.unit("size", index)
        ratio = np.clip(self.population.repeat, 1e-12, 1 - 1e-12)
        in_tail = self.draws.happens("tail", index, self.population.tail)
        largest = self.population.largest
        # a person of a small file has few records
        most = min(largest, max(MIN_TAIL_RECORDS, self.n // TAIL_DIVISOR))
        tail: Floats = np.minimum(MIN_TAIL_RECORDS * (largest / MIN_TAIL_RECORDS) ** unit, most)
        sizes = np.where(in_tail, tail, 1 + np.log(unit) / np.log(ratio))
        return np.minimum(sizes, largest).astype(np.int64)

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
        """Text of the rows with changes of name and address, before errors."""
        persons = self.persons
        person = persons.person(number)
        women = persons.women(person)
        given_place = persons.given_place(person, women)
        address = persons.address(persons.home(person, noise.later("move")))
        return {
            "given_name": persons.given_names.cells[self._shorten_names(given_place, noise)],
            "surname": self._surname(person, noise),
            "date_of_birth": persons.birth_dates(person),
            "sex": persons.sexes(women),
            "street": address.street,
            "city": address.city,
            "postcode": address.postcode,
            "phone": persons.phone(person, noise.later("phone_change")),
            "email": persons.email(person, given_place, noise.later("email_change")),
        }

    def _shorten_names(self, given_place: Ints, noise: Noise) -> Ints:
        """Replace given names by short forms in rows with the error `nickname`."""
        table = self.persons.given_names
        choice = noise.draws.below("short", noise.row, table.shorts[given_place])
        short = table.short[given_place, choice]
        return np.where(noise.hit("nickname") & (short >= 0), short, given_place)

    def _surname(self, person: Person, noise: Noise) -> Cells:
        """Surnames; later surnames in rows with the error `marriage`."""
        persons = self.persons
        family = persons.family(person)
        cells = persons.surnames[persons.surname(family)]
        rows = np.flatnonzero(noise.hit("marriage"))
        married = persons.later_family(person.number[rows])
        cells[rows] = persons.later_surnames(family[rows], married)
        return cells
