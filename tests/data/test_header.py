"""Tables with and without a header are recognised by their cells."""

import csv
import os
import random
from itertools import islice
from pathlib import Path

import pytest

from partita.data.header import SAMPLE_ROWS, has_header
from partita.data.read import read
from partita.synthetic import people

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[3] / "shared" / "data"))
NAMES = ["Ann", "Bob", "Carla", "Dieter", "Élodie", "Fatima", "George", "Hiroshi", "Ivan", "Joy"]
TOWNS = ["Ely", "Bath", "New York", "Cape Town", "Wien", "Zürich", "Los Angeles"]
WORDS = ("the", "new", "of", "fast", "learning", "model", "on", "records", "data", "in", "graphs")
COLUMNS = {
    "id": lambda rng, at: str(at + 1),
    "uuid": lambda rng, at: f"{rng.getrandbits(64):016x}",
    "name": lambda rng, at: rng.choice(NAMES),
    "full_name": lambda rng, at: f"{rng.choice(NAMES)} {rng.choice(NAMES)}son",
    "City": lambda rng, at: rng.choice(TOWNS),
    "state": lambda rng, at: rng.choice(["NY", "CA", "TX", "WA", ""]),
    "dob": lambda rng, at: f"{rng.randint(1940, 2005)}-{rng.randint(1, 12):02}-03",
    "e-mail": lambda rng, at: f"{rng.choice(NAMES).lower()}{rng.randint(1, 99)}@ely.org",
    "Phone No.": lambda rng, at: f"+44 {rng.randint(10**8, 10**9)}",
    "price": lambda rng, at: f"{rng.uniform(1, 500):.2f}",
    "year": lambda rng, at: str(rng.randint(1950, 2020)),
    "title": lambda rng, at: " ".join(rng.choices(WORDS, k=7)),
    "address1": lambda rng, at: f"{rng.randint(1, 99)} {rng.choice(NAMES)} Street",
    "sex": lambda rng, at: rng.choice("MF"),
    "empty": lambda rng, at: "",
}
# a column whose values show that a first row is one of them
TELLING = {"dob", "e-mail", "price", "year", "sex", "City"}


def body(rng, names, n):
    return [[COLUMNS[name](rng, at) for name in names] for at in range(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 10, 30, 200])
def test_ordinary_headers_are_headers(n):
    rng = random.Random(n)
    for _ in range(150):
        names = rng.sample(list(COLUMNS), rng.randint(1, 8))
        spelled = [rng.choice([name, name.upper(), name.title(), f"{name}_x"]) for name in names]
        assert has_header([spelled, *body(rng, names, n)]), (spelled, n)


@pytest.mark.parametrize("n", [20, 60, 300])
def test_records_are_no_headers(n):
    rng = random.Random(n)
    missed = 0
    for _ in range(150):
        names = rng.sample(list(COLUMNS), rng.randint(3, 8))
        if len(TELLING & set(names)) > 1:
            missed += has_header(body(rng, names, n))
    # a first record with an unusual value may pass for a header; the reverse never happens
    assert missed <= 3


@pytest.mark.parametrize(
    "header",
    [
        ["country", "2019", "2020"],
        ["country", "2019", "2021"],
        ["", "0", "1"],
        ["country", "", "value"],
        ["country", "value", "value"],
        ["Country name", "% of all", "n/a"],
        ["c", "x1", "x2"],
    ],
)
def test_unusual_headers(header):
    rng = random.Random(1)
    rows = [
        [f"Land {at}", f"{rng.uniform(1, 90):.1f}", str(rng.randint(1, 90))] for at in range(40)
    ]
    assert has_header([header, *rows])


def test_a_header_that_is_repeated_further_down():
    rows = [["name", "town"], *[[name, "Ely"] for name in NAMES]]
    assert has_header(rows * 5)


def test_generated_people_with_and_without_a_header(tmp_path):
    path, bare = tmp_path / "people.csv", tmp_path / "bare.csv"
    people(300, seed=3, truth=None).write(path)
    bare.write_text(path.read_text().partition("\n")[2])
    named, numbered = read(path), read(bare)
    assert named.notes == ()
    width = len(named.original().column_names)
    assert numbered.names == tuple(f"column_{at + 1}" for at in range(width))
    assert numbered.n == named.n == 300
    assert numbered.notes == (
        f"{bare} has no header: its columns are named column_1 to column_{width}; "
        "give header=True if the first row names them",
    )
    first = [str(value or "") for value in named.original().to_pylist()[0].values()]
    assert [value or "" for value in numbered.original().to_pylist()[0].values()] == first


def test_the_option_overrides_the_content(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,born\n" + "Ann,1990-01-02\n" * 9)
    assert read(path).names == ("name", "born")
    assert read(path, header=True).n == 9
    bare = read(path, header=False)
    assert (bare.n, bare.names, bare.notes) == (10, ("column_1", "column_2"), ())
    path.write_text("Bob,1991-01-02\n" + "Ann,1990-01-02\nBob,1993-05-06\n" * 9)
    assert read(path).n == 19
    assert read(path, header=True).names == ("Bob", "1991-01-02")


@pytest.mark.compiled
def test_real_headers_are_headers():
    files = sorted(DATA.glob("*/records.csv"))
    if not files:
        pytest.skip(f"no records.csv below {DATA}; set PARTITA_DATA")
    missed, records = 0, 0
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(islice(csv.reader(file), SAMPLE_ROWS + 1))
        assert has_header(rows), path
        assert has_header(rows[:8]), path
        for at in range(1, 11):
            missed += has_header([rows[at], *rows[1:at], *rows[at + 1 :]])
            records += 1
    assert missed <= 0.02 * records
