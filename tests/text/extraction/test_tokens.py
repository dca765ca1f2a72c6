"""Tokens keep their offsets, in any alphabet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.text.extraction.tokens import (
    MAX_LINE_TOKENS,
    SPLITS,
    Tokens,
    fold,
    is_punctuation,
    tokenise,
)


@given(st.lists(st.text(), max_size=4), st.sampled_from(SPLITS))
def test_tokens_cover_all_characters_but_blanks(lines, split):
    tokens = tokenise(lines, split)
    assert tokens.start.size == len(lines) + 1
    for line, text in enumerate(lines):
        span = slice(tokens.start[line], tokens.start[line + 1])
        begin, end = tokens.begin[span], tokens.end[span]
        assert tokens.texts(line) == [text[a:b] for a, b in zip(begin, end, strict=True)]
        assert (begin < end).all() and (begin[1:] >= end[:-1]).all()
        covered = np.zeros(len(text), bool)
        for a, b in zip(begin, end, strict=True):
            covered[a:b] = True
        assert all(letter.isspace() for letter, hit in zip(text, covered, strict=True) if not hit)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Lee, A. 1999.", ["Lee", ",", "A", ".", "1999", "."]),
        ("O'Brien's Moto-oka 12-14 2.5*", ["O'Brien's", "Moto-oka", "12-14", "2.5", "*"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("東京都 3丁目", ["東", "京", "都", "3", "丁", "目"]),
        ("Пётр, naïve", ["Пётр", ",", "naïve"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("   ", []),
    ],
)
def test_words(text, words):
    assert tokenise([text]).texts(0) == words


def test_split_by_spaces():
    assert tokenise(["12 Oak Road, Leeds"], "spaces").texts(0) == ["12", "Oak", "Road,", "Leeds"]
    with pytest.raises(InputError, match="split is 'letters'; give one of words, spaces"):
        tokenise([""], "letters")


def test_missing_lines_have_no_tokens():
    tokens = tokenise([None, "", "a"])
    assert tokens.start.tolist() == [0, 0, 0, 1] and tokens.line_of().tolist() == [2]


def test_very_long_lines_are_read_in_part():
    tokens = tokenise(["a " * (MAX_LINE_TOKENS + 1), "b"])
    assert tokens.cut_lines == (0,)
    assert np.diff(tokens.start).tolist() == [MAX_LINE_TOKENS, 1]
    assert len(tokens.lines[0]) == 2 * (MAX_LINE_TOKENS + 1)


def test_lines_that_are_already_split():
    sentences = [["Rome,", "12"], [], ["a"]]
    tokens = Tokens.from_words(sentences)
    assert tokens.lines == ("Rome, 12", "", "a")
    assert tokens.sentences() == sentences
    assert tokens.quote(0, 0, 2) == "Rome, 12" and tokens.quote(2, 2, 3) == "a"


def test_fold_and_punctuation():
    assert [fold(word) for word in ("Road,", "(A)", "3*", "ＡＢ", "...")] == [
        *("road", "a", "3*", "ab", "..."),
    ]
    assert [is_punctuation(word) for word in (",", "Road,", "a", "भाषा", "3*")] == [
        *(True, True, False, False, True),
    ]


def test_signs_that_a_joiner_connects_are_one_token():
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    assert tokenise([f"a {family}, \u2764\ufe0f"]).texts(0) == ["a", family, ",", "\u2764\ufe0f"]
