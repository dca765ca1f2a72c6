"""Columns that describe the records, and columns that are a function of another column."""

import uuid

import numpy as np
import pytest

from partita.data.profile import profile
from partita.data.read import read

N = 600


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def words(rng, n, vocabulary=300):
    return [
        " ".join(f"w{number}x" for number in row) for row in rng.integers(0, vocabulary, (n, 3))
    ]


def surrogates(rows):
    return [one.name for one in profile(read(rows, id=False)) if one.is_surrogate]


def columns(**values):
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


@pytest.mark.parametrize("name", ["id", "row", "client_id", "recordId", "PK", "Row ID"])
def test_a_sparse_number_named_like_an_id_is_a_surrogate(rng, name):
    numbers = rng.choice(5 * N, N).tolist()
    assert surrogates(columns(**{name: numbers, "text": words(rng, N)})) == [name]


@pytest.mark.parametrize("name", ["count", "paid", "house_no", "monkey", "grid"])
def test_the_same_number_under_another_name_is_none(rng, name):
    numbers = rng.choice(5 * N, N).tolist()
    assert not surrogates(columns(**{name: numbers, "text": words(rng, N)}))


def test_a_running_number_is_a_surrogate_whatever_its_name(rng):
    rows = columns(count=rng.permutation(N).tolist(), text=words(rng, N))
    result = {one.name: one for one in profile(read(rows))}
    assert result["count"].is_surrogate
    assert not (result["count"].is_usable or result["count"].is_compared)
    assert result["count"].unused_reason == "describes the records, not the entities"
    assert result["text"].is_compared
    assert not result["text"].unused_reason


def test_a_running_number_of_each_source_is_a_surrogate(rng):
    text = words(rng, 2 * N)
    files = [columns(count=rng.permutation(N).tolist(), text=part) for part in (text[:N], text[N:])]
    assert [one.name for one in profile(read(files)) if one.is_surrogate] == ["count"]


def test_a_number_that_duplicates_copy_is_no_surrogate(rng):
    text, number = words(rng, N // 2), rng.permutation(N // 2)
    changed = [f"{value.rsplit(' ', 1)[0]} y{k}" for k, value in enumerate(text)]
    rows = columns(client_id=[*number.tolist(), *number.tolist()], text=[*text, *changed])
    assert not surrogates(rows)
    # shared by unlike records, the same numbers identify none of them
    rows = columns(client_id=[*number.tolist(), *number.tolist()], text=words(rng, N))
    assert surrogates(rows) == ["client_id"]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("isbn_id", lambda rng: 9_780_000_000_000 + rng.integers(0, 10**9, N)),
        ("soc_sec_id", lambda rng: rng.integers(10**8, 10**9, N)),
        ("postcode", lambda rng: rng.integers(10_000, 99_999, N) // 100 * 100),
        ("year", lambda rng: rng.integers(1500, 2000, N)),
        ("house", lambda rng: rng.integers(1, 500, N)),
        (
            "date_key",
            lambda rng: 20_200_001 + 100 * rng.integers(1, 13, N) + rng.integers(0, 28, N),
        ),
    ],
)
def test_numbers_of_the_entity_are_no_surrogates(rng, name, make):
    assert not surrogates(columns(**{name: make(rng).tolist(), "text": words(rng, N)}))


def time_stamps(rng, n, form="2023-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}"):
    parts = [rng.integers(1, 13, n), rng.integers(1, 29, n), rng.integers(0, 24, n)]
    parts += [rng.integers(0, 60, n), rng.integers(0, 60, n)]
    return [form.format(*row) for row in zip(*parts, strict=True)]


def uuids(rng, n):
    return [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(n)]


@pytest.mark.parametrize(
    "make",
    [
        uuids,
        time_stamps,
        lambda rng, n: time_stamps(rng, n, "{1:02d}.{0:02d}.2021 {2:02d}:{3:02d}:{4:02d}"),
        lambda rng, n: [f"{value:.4f}" for value in rng.random(n)],
    ],
)
def test_values_that_describe_records_are_surrogates_unless_duplicates_copy_them(rng, make):
    assert surrogates(columns(value=make(rng, N), text=words(rng, N))) == ["value"]
    text, value = words(rng, N // 2), make(rng, N // 2)
    changed = [f"{entry.rsplit(' ', 1)[0]} y{k}" for k, entry in enumerate(text)]
    assert not surrogates(columns(value=[*value, *value], text=[*text, *changed]))


def test_dates_and_telephone_numbers_are_no_time_stamps(rng):
    days = [f"{year}-{month:02d}-11" for year, month in rng.integers([1900, 1], [2000, 13], (N, 2))]
    phones = [" ".join(f"{part:02d}" for part in row) for row in rng.integers(0, 99, (N, 5))]
    assert not surrogates(columns(born=days, phone=phones, text=words(rng, N)))


def test_records_of_nothing_but_running_numbers_keep_them():
    rows = columns(a=list(range(N)), b=list(range(N, 2 * N)))
    assert any(one.is_compared for one in profile(read(rows)))


def places(rng, n, errors=0.0):
    """Names with postcodes, and the town of each postcode with its side of a river."""
    code = rng.integers(0, 60, n)
    town = np.where(rng.random(n) < errors, rng.integers(0, 20, n), code % 20)
    return columns(
        name=words(rng, n),
        postcode=[f"{10_000 + 37 * value}" for value in code],
        town=[f"{'abcdefghijklmnopqrst'[value]}ton" for value in town],
        side=[("upper", "lower")[value % 2] for value in town],
    )


def functions(rows):
    return {one.name: one.function_of for one in profile(read(rows)) if one.function_of}


def test_a_town_is_a_function_of_its_postcode(rng):
    result = {one.name: one for one in profile(read(places(rng, N)))}
    assert result["town"].function_of == "postcode"
    # two values are too little evidence to leave out
    assert result["side"].is_compared
    assert result["town"].unused_reason == "is a function of 'postcode'"
    # used for blocking, not compared
    assert result["town"].is_usable
    assert not result["town"].is_compared
    assert result["postcode"].is_compared


def test_a_town_with_values_of_its_own_is_no_function(rng):
    assert "town" not in functions(places(rng, N, errors=0.05))


def test_a_name_is_kept_although_another_column_determines_it(rng):
    names = ("john smith", "mary jones", "peter brown", "anna miller", "susan davis")
    code = rng.integers(0, 60, N)
    rows = columns(
        author=[names[value % 5] for value in code],
        group=[f"g{value}" for value in code],
        title=words(rng, N),
    )
    assert {one.name: one.type for one in profile(read(rows))}["author"] == "full name"
    assert not functions(rows)


def test_attributes_of_an_entity_are_kept_although_its_identifier_determines_them(rng):
    entity = np.repeat(np.arange(N // 4), 4)
    number = rng.integers(10**8, 10**9, N // 4)
    name, colour = words(rng, N // 4), rng.choice(["red", "green", "blue"], N // 4)
    rows = columns(
        number=[int(number[one]) for one in entity],
        name=[name[one] for one in entity],
        colour=[str(colour[one]) for one in entity],
    )
    assert not functions(rows)


def test_a_nearly_constant_column_is_no_function(rng):
    rows = places(rng, N)
    for k, row in enumerate(rows):
        row["side"] = f"s{k}" if k % 50 == 0 else "upper"
    assert functions(rows) == {"town": "postcode"}


def test_a_decimal_number_that_few_duplicates_copy_is_no_surrogate(rng):
    texts, prices = words(rng, N), [f"{price:.2f}" for price in rng.uniform(1, 5000, N)]
    copies = range(10)
    texts += [texts[k] for k in copies]
    prices += [prices[k] for k in copies]
    assert not surrogates(columns(price=prices, text=texts))


def firms(rng, n):
    """Two lists of firms whose only common column is the name."""
    names = words(rng, n)
    legal = [f"{name} incorporated" for name in names]
    towns = [f"t{k}" for k in rng.integers(0, 200, n)]
    left = columns(name=names, legal_name=legal, town=towns)
    return left, columns(name=names, ticker=[f"q{k}z" for k in range(n)])


def test_the_only_column_that_two_files_share_is_kept(rng):
    found = {one.name: one for one in profile(read(firms(rng, N)))}
    assert found["name"].is_compared
    # within the first file alone the words of the name are those of the legal name
    alone = {one.name: one for one in profile(read(firms(rng, N)[0]))}
    assert alone["name"].is_redundant or alone["legal_name"].is_redundant


def test_a_column_is_kept_where_another_file_leaves_its_cover_empty(rng):
    left, right = firms(rng, N)
    empty = [{**row, "legal_name": ""} for row in right]
    assert {one.name for one in profile(read([left, empty])) if one.is_redundant} <= {"legal_name"}
    full = [{**row, "legal_name": f"{row['name']} incorporated"} for row in right]
    assert any(one.is_redundant for one in profile(read([left, full])))


def test_a_function_of_a_column_that_the_other_file_lacks_is_kept(rng):
    left = places(rng, N)
    right = [{key: row[key] for key in ("name", "town", "side")} for row in places(rng, N)]
    assert functions([left, places(rng, N)]) == {"town": "postcode"}
    assert not functions([left, right])
