"""Products: model numbers agree within an entity, and members of a family differ."""

import re
from collections import defaultdict

import numpy as np
import pytest

from partita.synthetic import Catalogue, TextErrors, products
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws
from partita.synthetic.model_codes import (
    FORMS,
    Code,
    build_code,
    build_stem,
    normalise_code,
    write_code,
)
from partita.synthetic.product_words import CATEGORIES, brands
from partita.synthetic.products import Products


def dice(count, name="test"):
    return [Dice(state) for state in Draws(1).bits(name, np.arange(count)).tolist()]


def test_model_numbers_of_matches_agree_after_normalisation():
    rows = products(2000, seed=1, errors=TextErrors.only(reformat=1.0)).table().to_pylist()
    codes = defaultdict(set)
    forms = defaultdict(set)
    for row in rows:
        if row["model"]:
            codes[row["entity"]].add(normalise_code(row["model"]))
            forms[row["entity"]].add(row["model"])
    assert all(len(values) == 1 for values in codes.values())
    assert max(len(values) for values in forms.values()) >= 3


def test_most_titles_contain_the_model_number():
    rows = products(1000, seed=2, errors=TextErrors.only()).table().to_pylist()
    known = {row["entity"]: normalise_code(row["model"]) for row in rows if row["model"]}
    hits = [
        known[row["entity"]] in normalise_code(row["title"])
        for row in rows
        if row["entity"] in known
    ]
    assert 0.5 < np.mean(hits) < 0.95


@pytest.mark.parametrize(
    ("form", "text"),
    list(zip(FORMS, ("AC-L200", "ACL200", "AC L200", "AC-L200", "ac-l200"), strict=True)),
)
def test_forms_of_a_code(form, text):
    assert write_code(Code(("AC", "L", "200"), ("-", "", "")), form) == text


def test_every_code_has_letters_and_digits_or_two_runs():
    for one in dice(300):
        stem = build_stem(one)
        codes = {build_code(stem, place, "22", "") for place in range(8)}
        assert len({normalise_code(write_code(code, "compact")) for code in codes}) == 8
        for code in codes:
            assert len(code.runs) > 1
            assert {normalise_code(write_code(code, form)) for form in FORMS} == {
                "".join(code.runs)
            }
            assert re.search(r"\d", "".join(code.runs))


def test_members_of_a_family_differ_in_their_titles():
    maker, none = Products(), TextErrors.only()
    for state in Draws(3).bits("family", np.arange(200)).tolist():
        style = maker.build_style(Dice(state + 1))
        titles = set()
        for member in range(8):
            family = maker.build_family(Dice(state))
            item = maker.build_member(family, member, Dice(state + member))
            titles.add(normalise_code(maker.write(item, style, Dice(0), none)["title"]))
        assert len(titles) == 8


def test_prices_vary_little_within_an_entity():
    rows = products(1000, seed=3, errors=TextErrors.only()).table().to_pylist()
    prices = defaultdict(list)
    for row in rows:
        prices[row["entity"]].append(float(re.sub(r"[^\d.]", "", row["price"])))
    ratios = [max(values) / min(values) for values in prices.values() if min(values) > 20]
    assert 1.01 < np.mean(ratios) < 1.2
    assert max(ratios) < 1.5


def test_accessories_name_their_product():
    rows = products(1000, seed=4, catalogue=Catalogue(family=0.8)).table().to_pylist()
    share = np.mean([" for " in row["title"] for row in rows])
    assert 0.05 < share < 0.3


def test_categories_are_complete():
    for category in CATEGORIES:
        assert len(category.units) == len(category.nouns) == 3
        assert len(category.features) >= 5
        assert len(category.accessories) >= 2
        assert all(re.fullmatch(r"[\d.]+", size) for size in category.sizes)
    assert len(set(brands())) > 800
