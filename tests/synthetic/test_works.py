"""Films and albums: years and people of matches agree, sequels and editions are other entities."""

from collections import defaultdict

import numpy as np
import pytest

from partita.synthetic import TextErrors, albums, films
from partita.synthetic.albums import EDITIONS, Albums
from partita.synthetic.cells import PAGE
from partita.synthetic.dice import Dice
from partita.synthetic.draws import Draws
from partita.synthetic.films import Films
from partita.synthetic.phrases import move_article
from partita.synthetic.work_words import ADJECTIVES, NOUNS, build_title, translate, write_person

NONE = TextErrors.only()


def families(maker, count=200):
    """Eight members of every family."""
    for state in Draws(4).bits("family", np.arange(count)).tolist():
        family = maker.build_family(Dice(state))
        yield [maker.build_member(family, place, Dice(state + place)) for place in range(8)]


@pytest.mark.parametrize("make", [films, albums])
def test_years_of_matches_agree_without_errors(make):
    years = defaultdict(set)
    for row in make(1500, seed=1, errors=NONE).table().to_pylist():
        years[row["entity"]].add(row["year"])
    assert all(len(values - {None}) <= 1 for values in years.values())
    noisy = defaultdict(set)
    for row in make(1500, seed=1, errors=TextErrors.only(change=0.5)).table().to_pylist():
        noisy[row["entity"]].add(row["year"])
    assert any(len(values - {None}) > 1 for values in noisy.values())


def test_films_of_a_series_differ():
    remakes = 0
    for items in families(Films()):
        assert len({item.title for item in items}) == 1
        keys = {(item.part, item.subtitle, item.year, item.director) for item in items}
        assert len(keys) == 8
        remakes += sum(not item.part and not item.subtitle for item in items[1:])
    assert remakes > 100


def test_editions_share_the_title_and_some_tracks():
    editions = 0
    for items in families(Albums()):
        assert len({(item.title, item.edition, item.year, item.tracks) for item in items}) == 8
        for item in items[1:]:
            if item.edition:
                editions += 1
                assert item.title == items[0].title
                assert 5 < len(set(item.tracks) & set(items[0].tracks)) <= len(items[0].tracks)
    assert editions > 200
    assert all(len(forms) == 3 for forms in EDITIONS)


def test_words_have_three_languages_and_bytes():
    for table in (NOUNS, ADJECTIVES):
        for row in table.split(";"):
            assert len(row.split()) == 3, row
        assert all(letter.isascii() or letter in PAGE for letter in table)


def test_titles_can_be_translated():
    assert translate("The Last River", 0) == "The Last River"
    assert translate("The Last River", 1) == "Die Letzte Fluss"
    assert translate("The Last River of Ashford", 2) == "Le Dernier Rivière de Ashford"
    titles = {build_title(Dice(state), "Ashford") for state in range(2000)}
    assert len(titles) > 1500


def test_forms_of_titles_and_names():
    assert move_article("The Last River") == "Last River, The"
    assert move_article("Last River") == "Last River"
    assert move_article("The") == "The"
    forms = [write_person(("Ann", "Lee"), form) for form in range(3)]
    assert forms == ["Ann Lee", "Lee, Ann", "A. Lee"]
