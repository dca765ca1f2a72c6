import tracemalloc
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from partita.errors import InputError
from partita.synthetic import Errors, Population, people

COLUMNS = [
    *("unique_id", "given_name", "surname", "date_of_birth", "sex", "street", "city"),
    *("postcode", "phone", "email", "entity"),
]
N = 40_000


@cache
def table():
    return people(N, seed=3).table()


def counts(name):
    result = table()[name].drop_null().value_counts()
    return np.sort(result.field("counts").to_numpy())[::-1]


@pytest.mark.parametrize("n", [1, 2, 99, 100, 1000, 65_537])
def test_the_number_of_records_is_exact(n):
    result = people(n, seed=1).table()
    assert result.num_rows == n
    assert result.column_names == COLUMNS
    assert result["unique_id"].to_pylist() == list(range(n))
    result.validate(full=True)


def test_the_seed_decides_and_nothing_else():
    again = people(3000, seed=3).table()
    assert again.equals(people(3000, seed=3).table())
    other = people(3000, seed=4).table()
    assert not any(again[name].equals(other[name]) for name in COLUMNS[1:])


@pytest.mark.parametrize(("n", "size"), [(40, 1), (500, 7), (3000, 1000), (3000, 3000), (9, 10**6)])
def test_the_batch_size_does_not_matter(n, size):
    source = people(n, seed=3)
    whole = source.table().combine_chunks()
    batches = list(source.batches(size))
    assert all(batch.num_rows <= size for batch in batches)
    assert pa.Table.from_batches(batches).combine_chunks().equals(whole)


def test_memory_is_that_of_a_batch():
    people(10).table()
    source = people(150_000, seed=1)
    tracemalloc.start()
    rows = sum(batch.num_rows for batch in source.batches(4096))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 150_000
    # the rows alone would take more than 15 MB of text
    assert peak < 10e6


def test_sizes_are_geometric_with_a_tail():
    sizes = np.bincount(table()["entity"].to_numpy())
    assert sizes.min() == 1
    shares = np.bincount(sizes)[1:6] / sizes.size
    assert np.abs(shares - 0.55 * 0.45 ** np.arange(5)).max() < 0.01
    assert np.mean(sizes <= 6) > 0.98
    source = people(N, seed=3, population=Population(tail=0.02, largest=200))
    sizes = np.bincount(source.truths()["entity"].to_numpy())
    assert 100 < sizes.max() <= 200
    # the last person is cut short
    ones = people(500, population=Population(repeat=1.0, largest=30, tail=0.0)).truths()
    assert np.bincount(ones["entity"].to_numpy()).tolist() == [30] * 16 + [20]
    alone = people(500, population=Population(repeat=0.0, tail=0.0)).truths()
    assert np.bincount(alone["entity"].to_numpy()).tolist() == [1] * 500


def test_duplicates_are_not_side_by_side():
    entity = table()["entity"].to_numpy()
    assert np.mean(np.diff(entity) == 0) < 0.001
    assert abs(np.corrcoef(entity, np.arange(N))[0, 1]) < 0.02


def test_names_and_cities_are_skewed():
    surname, city, given_name = counts("surname"), counts("city"), counts("given_name")
    assert 0.004 < surname[0] / N < 0.02
    assert surname.size > 6000
    assert 0.01 < given_name[0] / N < 0.06
    assert 2000 < given_name.size < 8000
    assert city[0] > 10 * np.median(city)
    flat = people(N, seed=3, population=Population(surname_skew=0.01)).table()["surname"]
    assert pc.count_distinct(flat).as_py() > 1.3 * surname.size


def test_default_errors_leave_most_records_alike():
    clean = people(N, seed=3, errors=Errors.only()).table()
    share = {
        name: np.mean(
            [
                a == b
                for a, b in zip(table()[name].to_pylist(), clean[name].to_pylist(), strict=True)
            ]
        )
        for name in COLUMNS
    }
    assert share["unique_id"] == share["entity"] == 1.0
    for name in COLUMNS[1:-1]:
        assert 0.85 < share[name] < 1.0, name


def test_some_names_are_beyond_ascii():
    beyond = np.mean([not (text or "").isascii() for text in table()["surname"].to_pylist()])
    assert 0.01 < beyond < 0.05


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "n is 0; give a whole number of at least 1"),
        ({"n": -5}, "n is -5"),
        ({"n": 10.0}, "n is 10.0"),
        ({"n": 10, "seed": -1}, "seed is -1; give a whole number of at least 0"),
        ({"n": 10, "truth": "maybe"}, "truth is 'maybe'; give 'column', 'file' or None"),
        ({"n": 10, "errors": 0.1}, "errors is 0.1; give Errors(...)"),
        ({"n": 10, "population": Errors()}, "population is a value of type Errors; give Pop"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(InputError) as result:
        people(**arguments)
    assert str(result.value).startswith(words)


@pytest.mark.parametrize("n", [200, 600, 5000])
def test_no_person_has_a_large_share_of_a_small_file(n):
    rates = Population(repeat=0.0, tail=0.3)
    for seed in range(5):
        sizes = np.bincount(people(n, seed=seed, population=rates).truths()["entity"].to_numpy())
        assert sizes.max() <= max(7, n // 50)
