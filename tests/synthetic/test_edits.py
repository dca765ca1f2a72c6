import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.synthetic.cells import encode, to_strings
from partita.synthetic.edits import CONFUSED, KINDS, ROWS, apply_edit, pick_places, splice

WORDS = ["Katherine", "Müller", "O'Brien", "12 Oak Road", "07001234567", "Jo", "aa", "x", ""]
N = 60


def edits(kind, word, spared=0):
    """Everything a kind of error makes of a word."""
    place, choice = (grid.ravel() for grid in np.meshgrid(*[(np.arange(N) + 0.5) / N] * 2))
    cells = np.repeat(encode([word], 14), place.size, axis=0)
    return set(to_strings(np.unique(apply_edit(kind, cells, place, choice, spared), axis=0)))


def twin(kind, word):
    """The same, letter by letter."""
    ngrams = set()
    for k in range(len(word) + 1):
        here, rest = word[k : k + 1], word[k + 1 :]
        if kind == "delete" and here and len(word) > 1:
            ngrams.add(word[:k] + rest)
        if kind == "transpose" and rest and here != rest[0]:
            ngrams.add(word[:k] + rest[0] + here + rest[1:])
        if kind == "ocr" and here:
            ngrams |= {word[:k] + other + rest for other in CONFUSED.get(here, ())}
        if kind == "neighbour" and here:
            ngrams |= {word[:k] + other + rest for other in beside(here)}
    return ngrams or {word}


def beside(key):
    for row in ROWS:
        if key.lower() in row:
            at = row.index(key.lower())
            keys = row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
            return keys.upper() if key.isupper() else keys
    return ""


@pytest.mark.parametrize("kind", ["delete", "transpose", "ocr", "neighbour"])
@pytest.mark.parametrize("word", WORDS)
def test_edits_of_a_list(kind, word):
    assert edits(kind, word) == twin(kind, word)


@pytest.mark.parametrize("word", [word for word in WORDS if word])
def test_substitutions_and_insertions(word):
    variants = edits("substitute", word)
    assert word not in variants
    assert {len(text) for text in variants} == {len(word)}
    for text in variants:
        (k,) = (k for k in range(len(word)) if text[k] != word[k])
        assert text[k].isdigit() == word[k].isdigit()
        assert text[k].isalnum()
        assert (
            not (word[k].isascii() and word[k].isalpha()) or text[k].isupper() == word[k].isupper()
        )
    for text in edits("insert", word):
        assert len(text) == len(word) + 1
        assert any(text[:k] + text[k + 1 :] == word for k in range(len(text)))


@pytest.mark.parametrize("kind", KINDS)
def test_first_letters_can_be_spared(kind):
    variants = edits(kind, "Katherine", spared=1)
    assert len(variants) > 1
    assert all(item[0] == "K" for item in variants)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_stay_in_their_place(kind):
    rng = np.random.default_rng(1)
    cells = encode(WORDS, 14)
    place, choice = rng.random((2, len(WORDS)))
    whole = apply_edit(kind, cells, place, choice)
    for row in range(len(WORDS)):
        alone = apply_edit(kind, cells[[row]], place[[row]], choice[[row]])
        assert np.array_equal(alone[0], whole[row])
    assert to_strings(cells) == WORDS


def test_a_full_row_takes_no_more():
    cells = encode(["abc"])
    half = np.array([0.5])
    assert to_strings(apply_edit("insert", cells, half, half)) == ["abc"]
    assert apply_edit("insert", cells[:0], half[:0], half[:0]).shape == (0, 3)


@given(
    st.lists(st.text("abcdé", min_size=2, max_size=6), min_size=1, max_size=6),
    *(st.integers(0, 2) for _ in range(2)),
    st.text("XY", max_size=2),
)
def test_splices_are_those_of_strings(words, at, removed, put):
    rows = len(words)
    cells = splice(
        encode(words, 9), np.full(rows, at), removed, np.repeat(encode([put], 2), rows, axis=0)
    )
    assert to_strings(cells) == [word[:at] + put + word[at + removed :] for word in words]


def test_every_place_is_as_likely():
    places = np.repeat([[True, False, True, True]], 3000, axis=0)
    frequencies = np.bincount(pick_places(places, (np.arange(3000) + 0.5) / 3000))
    assert frequencies.tolist() == [1000, 0, 1000, 1000]
