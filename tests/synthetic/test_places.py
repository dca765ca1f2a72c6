"""Places: coordinates of matches are near, chains have one name in several towns."""

from collections import defaultdict

import numpy as np

from partita.synthetic import TextErrors, places
from partita.synthetic.cells import PAGE
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws
from partita.synthetic.place_words import CATEGORIES
from partita.synthetic.places import JITTER_DEGREES, Places

NONE = TextErrors.only()


def families(count=300):
    """Eight members of every family."""
    maker = Places()
    for state in Draws(2).bits("family", np.arange(count)).tolist():
        family = maker.build_family(Dice(state))
        yield family, [maker.build_member(family, place, Dice(state + place)) for place in range(8)]


def test_coordinates_of_matches_are_near():
    rows = places(2000, seed=1, errors=NONE).table().to_pylist()
    points = defaultdict(list)
    for row in rows:
        if row["latitude"] and row["longitude"]:
            points[row["entity"]].append((float(row["latitude"]), float(row["longitude"])))
    spread = [np.ptp(np.array(values), axis=0).max() for values in points.values()]
    rounding = 0.001
    assert max(spread) <= 2 * JITTER_DEGREES + rounding
    assert max(spread) > 0.2 * JITTER_DEGREES
    cities = defaultdict(set)
    for row in rows:
        cities[row["entity"]].add(row["city"])
    assert all(len(values) == 1 for values in cities.values())


def test_chains_have_one_name_in_several_towns():
    chains = [items for family, items in families() if family.is_chain]
    assert len(chains) > 50
    for items in chains:
        assert len({item.site.city for item in items}) >= 4
        assert len({(item.site.street, item.site.number) for item in items}) == 8
    same = [len({item.pattern for item in items}) == 1 for items in chains]
    assert np.mean(same) > 0.5


def test_neighbours_share_a_street_and_differ_in_category():
    for family, items in families():
        if not family.is_chain:
            assert len({(item.site.street, item.site.city) for item in items}) == 1
            assert len({item.category for item in items}) == 8
            assert len({item.site.number for item in items}) == 8


def test_categories_are_complete():
    for category in CATEGORIES:
        assert len(category.labels) == 4
        assert len(category.words) == 3
        words = [*category.labels, *category.words, *category.patterns]
        assert all(letter.isascii() or letter in PAGE for word in words for letter in word)
        for pattern in category.patterns:
            assert pattern.format(w="", s="", c="", r="") != pattern
