import pytest

from partita.text.coreference.attributes import (
    NOM,
    PRON,
    PROP,
    TOKEN,
    describe_mentions,
    is_name,
    normalise_name,
)
from partita.text.coreference.documents import Mention, build_document


def describe(text, *spans):
    mentions = [Mention(text.index(s), text.index(s) + len(s), s) for s in spans]
    return describe_mentions(build_document("d", text, mentions))


def test_forms_are_found_by_capitals_and_pronouns():
    of = describe("Today Ann Lee met the old man and she left.", "Ann Lee", "the old man", "she")
    assert of.form.tolist() == [PROP, NOM, PRON]
    assert of.gender.tolist() == [0, 1, 2]


def test_the_head_is_the_word_before_a_preposition():
    of = describe("She saw the king of Spain and a king.", "the king of Spain", "a king")
    assert of.head[0] == of.head[1]


def test_a_possessive_is_not_part_of_the_name():
    of = describe("So Germany 's envoy left Germany", "Germany 's", "left Germany")
    assert of.last[0] == of.last[1]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the U.S. is big.", ["the", "U.S.", "is", "big", "."]),
        ("Ann's well-known (sic)", ["Ann", "'s", "well-known", "(", "sic", ")"]),
    ],
)
def test_tokens(text, tokens):
    assert TOKEN.findall(text) == tokens


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("The United_States", "united states"),
        ("U.S.", "us"),
        ("Germany 's", "germany"),
        ("  New   York ", "new york"),
    ],
)
def test_names_are_normalised(name, normal):
    assert normalise_name(name) == normal


def test_pronouns_and_articles_make_no_name():
    assert is_name("the Queen") and not is_name("I") and not is_name("The president")
