import numpy as np
import pytest

from partita.comparison.names import (
    INITIALS,
    NICKNAMES,
    NO_AGREEMENT,
    REORDERED,
    align_names,
    words_of,
)


def how(one, other, nicknames=True):
    words = words_of([one, other], nicknames)
    found = align_names(words, np.array([0, 1]), np.array([1, 0]))
    assert found[0] == found[1], "agreement has no direction"
    return found[0]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("john smith", "smith john", REORDERED),
        ("bill smith", "smith william", NICKNAMES),
        ("j smith", "john smith", INITIALS),
        ("j", "john", INITIALS),
        ("john", "john paul", INITIALS),
        ("j p smith", "smith john", INITIALS),
        ("smith j j", "john james smith", INITIALS),
        ("j s", "john smith", NO_AGREEMENT),
        ("k smith", "john smith", NO_AGREEMENT),
        ("john smith", "john jones", NO_AGREEMENT),
        ("jon", "john", NICKNAMES),
        ("", "john", NO_AGREEMENT),
    ],
)
def test_names_agree_word_by_word(one, other, expected):
    assert how(one, other) == expected


def test_surnames_have_no_nicknames():
    assert how("bill", "william", nicknames=False) == NO_AGREEMENT


def test_an_initial_does_not_take_the_place_of_the_word():
    assert how("john j", "j john") == REORDERED


def test_more_words_than_bits_do_not_agree():
    assert how("a " * 70, "a " * 69) == NO_AGREEMENT
