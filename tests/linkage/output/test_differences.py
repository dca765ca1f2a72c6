"""Differences between values: pieces that join to the text, and marks where the texts differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.linkage.output.differences import BY_CHARACTER, mark_differences

TEXTS = st.text("aAb ß\nİ", max_size=2 * BY_CHARACTER)


@given(TEXTS, TEXTS)
def test_pieces_join_to_the_text(text, other):
    pieces = mark_differences(text, other)
    assert "".join(piece for piece, _ in pieces) == text
    assert any(differs for _, differs in pieces) == (text.casefold() != other.casefold())


@pytest.mark.parametrize(
    ("text", "other", "pieces"),
    [
        ("Smith", "smith", [("Smith", False)]),
        ("Smith", "Smiths", [("Smith", False), ("", True)]),
        ("Smiths", "Smith", [("Smith", False), ("s", True)]),
        ("Ann", "Barbara", [("Ann", True)]),
    ],
)
def test_short_values_are_compared_by_character(text, other, pieces):
    assert mark_differences(text, other) == pieces


def test_long_values_are_compared_by_word():
    shared = "one two three four five six seven eight nine ten "
    pieces = mark_differences(shared + "eleven", shared + "twelve")
    assert pieces == [(shared, False), ("eleven", True)]
