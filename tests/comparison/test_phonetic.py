import pytest

from partita.comparison.phonetic import metaphone, soundex


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("robert", "r163"),
        ("rupert", "r163"),
        ("rubin", "r150"),
        ("ashcraft", "a261"),
        ("tymczak", "t522"),
        ("pfister", "p236"),
        ("honeyman", "h555"),
        ("lee", "l000"),
        ("12", ""),
        ("", ""),
    ],
)
def test_soundex_is_that_of_the_national_archives(word, code):
    assert soundex(word) == code


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("knight", "night"),
        ("philip", "filip"),
        ("wright", "rite"),
        ("catherine", "katherine"),
        ("stephen", "steven"),
        ("smith", "smyth"),
        ("shawn", "shaun"),
        ("xavier", "savier"),
    ],
)
def test_words_that_sound_the_same_share_a_metaphone_code(one, other):
    assert metaphone(one) == metaphone(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("smith", "jones"), ("thomas", "homas"), ("ann", "bob")]
)
def test_words_that_sound_different_do_not(one, other):
    assert metaphone(one) != metaphone(other)
    assert metaphone("123") == ""
