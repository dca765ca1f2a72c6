"""Profiles: numbers of a column, and columns that repeat other columns."""

import os
from pathlib import Path

import numpy as np
import pytest

from partita.data.profile import profile
from partita.data.read import read
from partita.data.redundancy import measure_coverage

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[3] / "shared" / "data"))
# columns of obvious types
KNOWN = {
    "fake_1000": {"dob": "date", "email": "email", "surname": "surname"},
    "febrl3": {"given_name": "given name", "postcode": "postcode", "address_1": "address"},
    "historical_50k": {"first_name": "given name", "full_name": "full name", "dob": "date"},
    "dblp_acm": {"title": "long text", "authors": "list"},
    "RLdata10000": {"fname_c1": "given name", "lname_c1": "surname"},
}


def people(n=600, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.choice(["anna", "john", "mary", "peter"], n)
    last = ["".join(pair) for pair in rng.choice(["ber", "lin", "ton"], (n, 2))]
    return [
        {
            "id": at,
            "full": f"{first[at].title()} {last[at].upper()}",
            "first": first[at],
            "last": last[at],
            "fixed": "same",
            "empty": None,
            "rare": "x" if at == 0 else None,
            "key": f"k{at:05}",
            "half": f"{at % 7}" if at % 2 else "n/a",
        }
        for at in range(n)
    ]


@pytest.fixture(scope="module")
def profiles():
    return {column.name: column for column in profile(read(people()))}


def test_numbers_of_a_column(profiles):
    half, first, full = profiles["half"], profiles["first"], profiles["full"]
    assert (half.filled, half.distinct) == (0.5, 7)
    assert first.distinct == 4
    assert 4 <= first.length <= 5
    assert (first.tokens, full.tokens) == (1.0, 2.0)
    assert set(first.examples) <= {"anna", "john", "mary", "peter"}
    assert first.top_share == pytest.approx(
        max(np.unique([row["first"] for row in people()], return_counts=True)[1]) / 600
    )


def test_flags(profiles):
    assert {name for name, column in profiles.items() if column.is_near_constant} == {
        *("fixed", "empty", "rare"),
    }
    assert [name for name, column in profiles.items() if column.is_near_unique] == ["rare", "key"]
    assert {name for name, column in profiles.items() if not column.is_usable} == {
        "fixed",
        "empty",
        "rare",
    }
    assert [name for name, column in profiles.items() if column.is_compared] == [
        "first",
        "last",
        "key",
        "half",
    ]


def test_a_column_made_from_others_is_redundant(profiles):
    assert [name for name, column in profiles.items() if column.is_redundant] == ["full"]
    assert profiles["full"].covered_share == 1.0
    assert profiles["key"].covered_share == 0.0


def test_of_two_equal_columns_one_is_kept():
    rows = [{"a": f"x{at}", "b": f"X{at}"} for at in range(50)]
    records = read(rows)
    shares, dropped = measure_coverage([records.column("a"), records.column("b")], records.n)
    assert shares == {"a": 1.0, "b": 0.0}
    assert dropped == {"a"}


def test_coverage_as_by_hand():
    rows = [
        {"a": "x y z w", "b": "x", "c": "y"},
        {"a": "x y", "b": "x y", "c": None},
        {"a": None, "b": "q", "c": "x"},
    ]
    records = read(rows)
    shares, dropped = measure_coverage([records.column(name) for name in "abc"], records.n)
    assert shares["a"] == pytest.approx((2 / 4 + 2 / 2) / 2)
    assert not dropped


def test_the_same_seed_gives_the_same_profile():
    records = read(people(5000))
    assert profile(records, seed=3) == profile(records, seed=3)
    names = [column.type for column in profile(records, use_names=False)]
    assert len(names) == len(records.names)


def test_lists_by_type():
    records = read([{"tags": ["p q", "r"]}, {"tags": ["s"]}])
    assert profile(records)[0].type == "list"


def test_long_cells_and_short_tables():
    result = profile(read([{"a": "x " * 1_000_000, "b": "1"}]))
    assert result[0].tokens == 1_000_000
    assert result[0].type == "long text"
    assert len(result[0].examples[0]) <= 30


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(KNOWN))
@pytest.mark.parametrize("use_names", [True, False])
def test_types_of_real_columns(name, use_names):
    path = DATA / name / "records.csv"
    if not path.exists():
        pytest.skip(f"no {path}; set PARTITA_DATA")
    result = {item.name: item.type for item in profile(read(path), use_names=use_names)}
    assert {column: result[column] for column in KNOWN[name]} == KNOWN[name]


def test_records_that_agree_in_every_column_keep_their_columns():
    same = [{"name": "Ann Lee", "town": "Ely", "empty": None}] * 3
    assert [column.is_usable for column in profile(read(same))] == [True, True, False]
    # beside a column that differs, a constant one is not used
    other = [*same, {"name": "Bob Orr", "town": "Ely", "empty": None}]
    assert [column.is_usable for column in profile(read(other))] == [True, False, False]
