"""Generated business files: households, few duplicates, product lines, registers, guides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from benchmarks.laws.people_lists import generate_contacts, generate_players
from benchmarks.laws.tables import ENTITY, FILE, ID
from partita import synthetic
from partita.synthetic import Catalogue, Errors, Population, TextErrors

__all__ = ["BUSINESS", "BUSINESS_SEEDS", "Business", "assign_sides", "generate_business"]

BUSINESS_SEEDS = (0, 1, 2, 3, 4)
"""Seeds of the files of each kind; a quick run takes the first."""
MAX_SIDE = 5
"""Records of an entity in one file at most."""
SHARED = 0.6
"""Share of entities with several records that both files list."""
SOURCE = "source"
SEVERAL = "files with several records of an entity"


@dataclass(frozen=True)
class Business:
    """One kind of generated file."""

    domain: str
    """The domain whose prior has not seen the kind, nor its word lists."""
    generate: Callable[[int, int], pa.Table]
    """The records of a number and a seed: values, `entity`, and `source` for two files."""
    family: str = "business files"
    """The group of sets that the report takes together."""
    seed: int = 0


def generate_business(name: str, n: int) -> pa.Table:
    """The labelled table of one generated file."""
    kind = BUSINESS[name]
    table = kind.generate(n, kind.seed)
    # the truth is text, as in the sets of the panel
    truth = table.column(ENTITY).cast(pa.string())
    table = table.drop_columns([ENTITY]).append_column(ENTITY, truth)
    if SOURCE in table.column_names:
        source = table.column(SOURCE)
        table = table.drop_columns([SOURCE]).append_column(FILE, source)
    return table.add_column(0, ID, pa.array(np.arange(table.num_rows)))


def _read(source: synthetic.Source, drop: tuple[str, ...] = ()) -> pa.Table:
    return source.table().drop_columns([source.names[0], *drop])


def _generate_households(n: int, seed: int) -> pa.Table:
    """Customers in households that share address and phone; a quarter have a second record."""
    population = Population(repeat=0.25, household=0.55, landline=0.7, no_email=0.4, tail=0.0)
    # every other file has no date of birth, every third no e-mail
    drop = (*(("date_of_birth",) if seed % 2 else ()), *(("email",) if seed % 3 == 2 else ()))
    return _read(synthetic.people(n, 100 + seed, population=population), drop)


def _generate_few(n: int, seed: int) -> pa.Table:
    """Customers in households of whom few have a second record."""
    population = Population(repeat=0.03, household=0.5, landline=0.7, tail=0.0)
    errors = Errors().scaled(1.5)
    return _read(synthetic.people(n, 200 + seed, population=population, errors=errors))


def _generate_lines(n: int, seed: int) -> pa.Table:
    """Products in lines of models, sizes and colours."""
    catalogue = Catalogue(repeat=0.3, family=0.85, largest_family=12, styles=3)
    return _read(synthetic.products(n, 300 + seed, catalogue=catalogue))


def _generate_branches(n: int, seed: int) -> pa.Table:
    """Firms whose branches in other towns are entities of their own."""
    catalogue = Catalogue(repeat=0.3, family=0.75, largest_family=10, branches=True)
    return _read(synthetic.companies(n, 400 + seed, catalogue=catalogue))


def _generate_guides(n: int, seed: int) -> pa.Table:
    """Places in a dozen guides, none of which lists a place twice; the column names the guide."""
    catalogue = Catalogue(repeat=0.6, family=0.4)
    table = _read(synthetic.places(n, 700 + seed, sources=12, catalogue=catalogue))
    return table.rename_columns(["guide" if c == SOURCE else c for c in table.column_names])


def assign_sides(table: pa.Table, left: int, right: int, rng: np.random.Generator) -> pa.Table:
    """Assign the records of each entity to two files, with limits on the number in each.

    Records above the limits are left out.
    """
    code = np.unique(table.column(ENTITY).to_numpy(), return_inverse=True)[1].reshape(-1)
    order = np.lexsort((rng.random(code.size), code))
    side = np.full(code.size, "", "U1")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        if rows.size > 1 and rng.random() < SHARED:
            first = int(rng.integers(1, min(left, rows.size - 1) + 1))
            last = first + right
        else:
            first, last = (left, left) if rng.random() < 0.5 else (0, right)
        side[rows[:first]], side[rows[first:last]] = "a", "b"
    kept = np.flatnonzero(side != "")
    return table.take(pa.array(kept)).append_column(SOURCE, pa.array(side[kept].tolist()))


def _generate_chains(n: int, seed: int) -> pa.Table:
    """A register of firms against a list of their outlets in several towns."""
    catalogue = Catalogue(repeat=0.6, family=0.5, largest=6, branches=False)
    table = _read(synthetic.companies(n, 500 + seed, catalogue=catalogue))
    return assign_sides(table, 1, MAX_SIDE, np.random.default_rng(seed))


def _generate_listings(n: int, seed: int) -> pa.Table:
    """A catalogue of products against the listings of a marketplace."""
    catalogue = Catalogue(repeat=0.65, family=0.5, largest=6)
    table = _read(synthetic.products(n, 600 + seed, catalogue=catalogue))
    return assign_sides(table, 1, MAX_SIDE, np.random.default_rng(seed))


def _generate_registers(n: int, seed: int) -> pa.Table:
    """Two registers of people, each with several records of a person."""
    population = Population(repeat=0.7, household=0.5, tail=0.0, largest=8)
    table = _read(synthetic.people(n, 800 + seed, population=population))
    return assign_sides(table, MAX_SIDE, MAX_SIDE, np.random.default_rng(seed))


def _generate_clean_lines(n: int, seed: int) -> pa.Table:
    """Two shops with product lines, one listing of a product each."""
    catalogue, errors = Catalogue(family=0.8, largest_family=10), TextErrors().scaled(0.7)
    return _read(synthetic.products(n, 900 + seed, sources=2, catalogue=catalogue, errors=errors))


KINDS = {
    "households": Business("people", _generate_households),
    "few_duplicates": Business("people", _generate_few),
    "product_lines": Business("products", _generate_lines),
    "contacts": Business("people", generate_contacts),
    "contacts_few": Business("people", partial(generate_contacts, repeat=0.02)),
    "branches": Business("organisations", _generate_branches),
    "chains": Business("organisations", _generate_chains, SEVERAL),
    "listings": Business("products", _generate_listings, SEVERAL),
    "seasons": Business("people", generate_players, SEVERAL),
    "registers": Business("people", _generate_registers, SEVERAL),
    "shop_lines": Business("products", _generate_clean_lines),
    "guides": Business("places", _generate_guides),
}
BUSINESS = {
    f"{name}_{seed}": replace(kind, seed=seed)
    for name, kind in KINDS.items()
    for seed in BUSINESS_SEEDS
}
"""All generated business files by name."""
