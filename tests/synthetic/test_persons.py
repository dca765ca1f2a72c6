from functools import cache

import numpy as np
import pytest

from partita.synthetic.cells import to_strings
from partita.synthetic.draws import Draws
from partita.synthetic.persons import Persons
from partita.synthetic.settings import Population

COUNT = 30_000
NONE = np.zeros(COUNT, np.int64)


@cache
def world(**settings):
    persons = Persons(COUNT, Draws(5), Population(**settings))
    return persons, persons.person(np.arange(COUNT))


def texts(cells):
    return np.array(to_strings(cells))


def test_households_share_name_and_address():
    persons, person = world(own_name=0.0)
    surname = texts(persons.surnames[persons.surname(persons.family(person))])
    address = persons.address(persons.home(person, NONE))
    lived = texts(address.street)
    assert 2.0 < COUNT / persons.households < 2.5
    for column in (surname, lived, texts(address.postcode)):
        assert np.array_equal(column, column[person.head])
    # people of different households share neither
    assert np.mean(surname[:-50] == surname[50:]) < 0.02
    assert np.mean(lived[:-50] == lived[50:]) < 0.01


def test_partners_with_a_name_of_their_own():
    persons, person = world(own_name=0.4)
    family = persons.family(person)
    assert abs(np.mean((family != person.household)[person.place == 1]) - 0.4) < 0.02
    assert np.all((family == person.household)[person.place != 1])


def test_couples_and_children():
    persons, person = world()
    women = persons.women(person)
    assert abs(women.mean() - 0.5) < 0.02
    partner = np.flatnonzero(person.place == 1)
    assert abs(np.mean(women[partner] != women[person.head[partner]]) - 0.97) < 0.01
    year = persons.birth_dates(person)[:, :4].astype(np.int64) @ [1000, 100, 10, 1] - 48 * 1111
    older = year[person.head]
    assert np.abs((year - older)[person.place == 1]).max() <= 6
    assert (year - older)[person.place > 1].min() >= 20
    assert year.max() <= 2024


def test_twins_are_born_on_one_day():
    persons, person = world(twins=1.0)
    born = texts(persons.birth_dates(person))
    second = np.flatnonzero(person.place == 3)
    assert second.size > 1000
    assert np.array_equal(born[second], born[second - 1])
    names = persons.given_place(person, persons.women(person))
    assert np.mean(names[second] != names[second - 1]) > 0.9
    persons, person = world(twins=0.0)
    born = texts(persons.birth_dates(person))
    assert np.mean(born[second] == born[second - 1]) < 0.01


def test_juniors_bear_the_name_of_the_head():
    persons, person = world(junior=1.0, own_name=0.0)
    women = persons.women(person)
    names = persons.given_place(person, women)
    junior = np.flatnonzero(person.place == 2)
    assert np.array_equal(names[junior], names[person.head[junior]])
    assert np.array_equal(women[junior], women[person.head[junior]])
    persons, person = world(junior=0.0)
    names = persons.given_place(person, persons.women(person))
    assert np.mean(names[junior] == names[person.head[junior]]) < 0.05


def test_a_postcode_lies_in_one_city_and_has_few_streets():
    persons, person = world()
    address = persons.address(persons.home(person, NONE))
    code, city = texts(address.postcode), texts(address.city)
    assert np.unique(np.char.add(code, city)).size == np.unique(code).size
    street = np.char.lstrip(texts(address.street), "0123456789 ")
    pairs = np.unique(np.char.add(code, street))
    _, counts = np.unique(np.char.ljust(pairs, 5).astype("U5"), return_counts=True)
    assert counts.max() <= 16


def test_later_values_are_stable_and_differ():
    persons, person = world(no_phone=0.0, no_email=0.0)
    names = persons.given_place(person, persons.women(person))
    for make in (
        lambda later: persons.address(persons.home(person, later)).street,
        lambda later: persons.phone(person, later),
        lambda later: persons.email(person, names, later),
    ):
        first, second, third = (texts(make(NONE + later)) for later in range(3))
        assert np.array_equal(second, texts(make(NONE + 1)))
        assert np.mean(first != second) > 0.9
        assert np.mean(second != third) > 0.9


def test_phones_are_shared_at_home():
    persons, person = world(landline=1.0, no_phone=0.0)
    phone = texts(persons.phone(person, NONE))
    assert np.array_equal(phone, phone[person.head])
    assert all(len(text) == 11 and text.isdigit() for text in phone.tolist())
    persons, person = world(landline=0.0, no_phone=0.25)
    phone = texts(persons.phone(person, NONE))
    assert abs(np.mean(phone == "") - 0.25) < 0.01
    assert np.unique(phone).size > 0.74 * COUNT


def test_mail_addresses_are_plain():
    persons, person = world(no_email=0.5, accented=0.5)
    names = persons.given_place(person, persons.women(person))
    result = [text for text in to_strings(persons.email(person, names, NONE)) if text]
    assert abs(len(result) / COUNT - 0.5) < 0.02
    assert all(text.isascii() and text.count("@") == 1 and "'" not in text for text in result)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_names_beyond_ascii(share):
    persons, person = world(accented=share)
    surname = to_strings(persons.surnames[persons.surname(persons.family(person))])
    assert abs(np.mean([not text.isascii() for text in surname]) - share) < 0.01
    strings = to_strings(
        persons.given_names.cells[persons.given_place(person, persons.women(person))]
    )
    assert abs(np.mean([not text.isascii() for text in strings]) - share / 2) < 0.01


def test_surnames_after_marriage():
    persons, person = world(accented=0.0)
    married = persons.later_family(person.number)
    strings = to_strings(persons.later_surnames(persons.family(person), married))
    old = to_strings(persons.surnames[persons.surname(persons.family(person))])
    double = [new.startswith(f"{item}-") for new, item in zip(strings, old, strict=True)]
    assert abs(np.mean(double) - 0.25) < 0.01
    assert np.mean(np.array(strings) == np.array(old)) < 0.01


def test_households_of_one():
    persons, _ = world(household=0.0)
    assert persons.households == COUNT
    assert to_strings(persons.sexes(np.array([True, False]))) == ["f", "m"]
