from functools import cache

import numpy as np
import pytest

from partita.synthetic import Errors, Population, people
from partita.synthetic.edits import KINDS
from partita.synthetic.noise import TEXT, TYPED, Noise

N, RATE = 12_000, 0.3
# people without phone or address would hide changes of both
FULL = Population(no_phone=0.0, no_email=0.0, accented=0.2)


@cache
def rows(spare_first=False, **rates):
    errors = Errors.only(spare_first=spare_first, **rates)
    table = people(N, seed=7, errors=errors, population=FULL, truth=None).table()
    return {
        name: np.array(["" if value is None else value for value in table[name].to_pylist()])
        for name in table.column_names
        if name != "unique_id"
    }


def changed(**rates):
    """The share of rows that change in each column, and the columns before and after."""
    before, after = rows(), rows(**rates)
    return {name: before[name] != after[name] for name in before}, before, after


def touched(**rates):
    where, _, _ = changed(**rates)
    return {name for name, mask in where.items() if mask.any()}


@pytest.mark.parametrize("kind", KINDS)
def test_typing_errors(kind):
    where, before, after = changed(**{kind: RATE})
    assert {name for name in where if where[name].any()} == set(TYPED)
    assert abs(np.mean(np.any(list(where.values()), axis=0)) - RATE) < 0.02
    assert np.sum(list(where.values()), axis=0).max() == 1
    for name, share in TYPED.items():
        assert abs(where[name].mean() - RATE * share) < 0.015
    grown = {"insert": {1}, "delete": {-1}, "ocr": {0, 1}}.get(kind, {0})
    mask = where["surname"]
    sizes = np.char.str_len(after["surname"][mask]) - np.char.str_len(before["surname"][mask])
    assert set(sizes.tolist()) == grown


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("move", {"street", "city", "postcode"}),
        ("marriage", {"surname"}),
        ("phone_change", {"phone"}),
        ("email_change", {"email"}),
        ("date_digit", {"date_of_birth"}),
        ("partial_date", {"date_of_birth"}),
        ("year_only", {"date_of_birth"}),
        ("initial", {"given_name"}),
        ("swap", {"given_name", "surname"}),
        ("case", set(TEXT)),
        ("whitespace", set(TEXT)),
    ],
)
def test_errors_of_whole_values(kind, columns):
    where, _, _ = changed(**{kind: RATE})
    assert {name for name in where if where[name].any()} == columns
    assert abs(np.mean(np.any(list(where.values()), axis=0)) - RATE) < 0.02


def test_no_rate_no_error():
    assert touched() == set()
    before, after = rows(), rows(spare_first=True)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_missing_values():
    where, _, after = changed(missing=RATE)
    for name, mask in where.items():
        assert abs(mask.mean() - RATE) < 0.015
        assert np.all(after[name][mask] == "")


def test_nicknames():
    where, before, after = changed(nickname=1.0)
    mask = where["given_name"]
    assert touched(nickname=1.0) == {"given_name"}
    assert set(after["given_name"][before["given_name"] == "Margaret"]) <= {
        *("Maggie", "Meg", "Peggy", "Marge", "Greta")
    }
    assert 0.3 < mask.mean() < 0.9
    assert abs(changed(nickname=RATE)[0]["given_name"].mean() - RATE * mask.mean()) < 0.015


def test_dates_of_birth():
    where, before, after = changed(day_month=1.0)
    mask = where["date_of_birth"]
    # 132 of the 365 days have another day as their mirror
    assert abs(mask.mean() - 132 / 365) < 0.02
    for old, new in zip(before["date_of_birth"][mask], after["date_of_birth"][mask], strict=True):
        assert (old[:4], old[5:7], old[8:]) == (new[:4], new[8:], new[5:7])
    assert set(np.char.str_len(rows(partial_date=1.0)["date_of_birth"])) == {7}
    assert set(np.char.str_len(rows(year_only=1.0)["date_of_birth"])) == {4}
    _, before, after = changed(date_digit=1.0)
    for old, new in zip(before["date_of_birth"], after["date_of_birth"], strict=True):
        assert sum(a != b for a, b in zip(old, new, strict=True)) == 1


def test_names():
    _, before, after = changed(swap=1.0)
    assert np.array_equal(before["given_name"], after["surname"])
    assert np.array_equal(before["surname"], after["given_name"])
    result = rows(initial=1.0)["given_name"]
    assert set(np.char.str_len(result)) == {1, 2}
    assert all(
        new.rstrip(".") == old[0] for new, old in zip(result, before["given_name"], strict=True)
    )
    where, before, after = changed(plain=1.0)
    assert touched(plain=1.0) == {"given_name", "surname"}
    for name in ("given_name", "surname"):
        assert where[name].mean() > 0.05
        assert all(text.isascii() for text in after[name].tolist())


def test_letters_and_blanks():
    _, before, after = changed(case=1.0)
    raised = after["surname"] == np.char.upper(before["surname"])
    assert 0.6 < raised.mean() < 0.75
    assert np.array_equal(after["surname"][~raised], np.char.lower(before["surname"][~raised]))
    _, before, after = changed(whitespace=1.0)
    for name in TEXT:
        # NumPy drops blanks at the ends of strings no more than Python does
        more = np.char.str_len(after[name]) - np.char.str_len(before[name])
        assert set(more.tolist()) == {0, 1}
        squeezed = [" ".join(text.split()) for text in after[name].tolist()]
        assert squeezed == before[name].tolist()


def test_life_goes_on_in_the_same_way_in_all_records():
    errors = Errors.only(move=0.5, marriage=0.5)
    table = people(N, seed=7, errors=errors, population=FULL).table().to_pydict()
    for name, most in (("street", 3), ("surname", 2)):
        seen = {}
        for entity, value in zip(table["entity"], table[name], strict=True):
            seen.setdefault(entity, set()).add(value)
        assert max(len(values) for values in seen.values()) == most


def test_first_records_are_spared():
    errors = Errors.only(missing=1.0)
    table = people(N, seed=7, errors=errors, population=FULL).table()
    clean = np.array([value is not None for value in table["surname"].to_pylist()])
    entity = table["entity"].to_numpy()
    assert np.array_equal(np.bincount(entity, clean), np.ones(entity.max() + 1))


def test_a_hit_needs_a_rate_and_a_row_that_errs():
    from partita.synthetic.draws import Draws

    row = np.arange(1000)
    noise = Noise(Draws(0), Errors.only(move=1.0), row, row % 2 == 0)
    assert np.array_equal(noise.hit("move"), row % 2 == 0)
    assert not noise.hit("swap").any()
    assert set(noise.later("move")[::2].tolist()) == {1, 2}
    assert not noise.later("move")[1::2].any()
