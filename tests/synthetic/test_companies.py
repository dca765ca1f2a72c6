"""Companies: names agree up to their legal form, branches follow the setting, text is encodable."""

import re
from collections import defaultdict

import numpy as np

from partita.synthetic import Catalogue, TextErrors, companies
from partita.synthetic.cells import PAGE
from partita.synthetic.companies import Companies
from partita.synthetic.company_words import ABBREVIATIONS, COUNTRIES, LEGAL_FORMS
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws

NONE = TextErrors.only()


def by_entity(rows, column):
    values = defaultdict(set)
    for row in rows:
        if row[column]:
            values[row["entity"]].add(row[column])
    return values


def test_registration_numbers_and_phones_of_matches_agree_without_errors():
    rows = companies(2000, seed=1, errors=NONE).table().to_pylist()
    assert all(len(values) == 1 for values in by_entity(rows, "registration_number").values())
    for values in by_entity(rows, "phone").values():
        assert len({re.sub(r"\D", "", value)[-7:] for value in values}) == 1
    missing = np.mean([row["registration_number"] is None for row in rows])
    assert 0.1 < missing < 0.95


def test_legal_forms_of_matches_are_ways_to_write_one_form():
    rows = companies(1000, seed=2, errors=NONE).table().to_pylist()
    counts = [
        len({name.casefold() for name in names}) for names in by_entity(rows, "name").values()
    ]
    assert max(counts) > 1
    endings = {form.casefold() for forms in LEGAL_FORMS.values() for form in forms}
    with_form = [any(row["name"].casefold().endswith(form) for form in endings) for row in rows]
    assert 0.1 < np.mean(with_form) < 1.0


def build(branches, kind):
    """Eight members of every family of a kind."""
    maker = Companies(branches)
    for state in Draws(2).bits("family", np.arange(300)).tolist():
        if maker.build_family(Dice(state)).kind == kind:
            yield [
                maker.build_member(maker.build_family(Dice(state)), member, Dice(state + member))
                for member in range(8)
            ]


def test_members_of_a_family_differ():
    for kind in ("same name", "branches"):
        for items in build(True, kind):
            assert len({item.name for item in items}) == 1
            assert len({item.sites[0].city for item in items}) == 8
    for items in build(True, "group"):
        assert len({item.name for item in items}) == 8


def test_branches_share_the_registration_number():
    families = list(build(True, "branches"))
    assert len(families) > 30
    assert all(len({item.registration for item in items}) == 1 for items in families)
    assert all(len({item.registration for item in items}) == 8 for items in build(True, "group"))


def test_branches_can_be_the_company():
    assert not list(build(False, "branches"))
    apart, joined = (
        companies(2000, seed=3, errors=NONE, catalogue=Catalogue(branches=branches)).table()
        for branches in (True, False)
    )
    cities = [
        max(len({city.upper() for city in values}) for values in by_entity(rows, "city").values())
        for rows in (apart.to_pylist(), joined.to_pylist())
    ]
    assert cities[0] == 1
    assert cities[1] > 1


def test_every_letter_has_a_byte():
    words = [*ABBREVIATIONS, *sum(ABBREVIATIONS.values(), ()), *sum(LEGAL_FORMS.values(), ())]
    for country in COUNTRIES:
        words += [*country.trades, *country.founders]
    assert all(letter.isascii() or letter in PAGE for word in words for letter in word)
