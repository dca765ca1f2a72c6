"""Two files with duplicates are not linked one to one unless the user asks for it."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from partita.linkage.resolve import resolve
from partita.metrics import pairwise
from partita.synthetic import Population, albums, people

pytestmark = pytest.mark.compiled

BRIEF = {"draws": 4, "tune": 1, "chains": 2, "seed": 1, "threads": 1, "ignore": ("entity",)}


@pytest.fixture(scope="module")
def table():
    return people(1_500, seed=3).table()


def halves(table):
    first = np.random.default_rng(0).random(len(table)) < 0.5
    return {"a": table.filter(first), "b": table.filter(~first)}


def one_of_each(table):
    """The first record of each entity in one file, the second in another."""
    entity = table.column("entity").to_pylist()
    seen = {}
    place = [
        seen.setdefault(name, []).append(k) or len(seen[name]) for k, name in enumerate(entity)
    ]
    place = np.array(place)
    return {"a": table.filter(place == 1), "b": table.filter(place == 2)}


def test_files_with_duplicates_hold_entities_twice(table):
    resolution = resolve(halves(table), **BRIEF)
    assert resolution.mode == "both" and not resolution.settings.one_to_one
    assert "a and b hold duplicates themselves" in resolution.why_mode


def test_clean_files_are_linked_one_to_one(table):
    resolution = resolve(one_of_each(table), **BRIEF)
    assert resolution.mode == "link" and resolution.settings.one_to_one


def test_files_that_share_few_entities_have_few_links():
    """The best candidates of most records are non-matches, and EM alone sets the zero."""
    table = people(3_000, seed=4, population=Population(household=0.0)).table()
    files = one_of_each(table)
    first, second = files["a"], files["b"]
    half = np.arange(len(first)) % 2 == 0
    shared = second.filter(pc.is_in(second["entity"], first.filter(half)["entity"]))[:60]
    files = {"a": first.filter(half), "b": pa.concat_tables([first.filter(~half), shared])}
    resolution = resolve(files, **BRIEF)
    assert resolution.mode == "link"
    truth = [name for file in files.values() for name in file.column("entity").to_pylist()]
    assert pairwise(resolution.labels, truth).precision > 0.9


def test_editions_in_clean_files_are_no_duplicates():
    """Editions of an album match within a file, at lower scores than links."""
    table = albums(1_200, seed=7, sources=2).table()
    files = {name: table.filter(pc.equal(table["source"], name)) for name in ("a", "b")}
    files = {name: file.drop_columns(["source", "unique_id"]) for name, file in files.items()}
    resolution = resolve(files, **BRIEF)
    assert resolution.mode == "link" and resolution.within > 0.1
    assert resolution.trust.level in ("duplicates", "disagree")
    truth = [name for file in files.values() for name in file.column("entity").to_pylist()]
    assert pairwise(resolution.labels, truth).f1 > 0.85


def test_a_setting_goes_before_the_measurement(table):
    resolution = resolve(halves(table), one_to_one=True, **BRIEF)
    assert resolution.mode == "link" and resolution.settings.one_to_one
