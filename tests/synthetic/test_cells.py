import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partita.synthetic.cells import (
    LOWER,
    PAGE,
    PLAIN,
    UPPER,
    arrow,
    digits,
    encode,
    fit,
    join_cells,
    lengths,
    to_strings,
)

LETTERS = "abcXYZ 019-'." + PAGE
WORDS = st.lists(st.text(LETTERS, max_size=8), min_size=1, max_size=12)


@given(WORDS)
def test_text_comes_back(words):
    cells = encode(words, 10)
    assert to_strings(cells) == words
    assert lengths(cells).tolist() == [len(word) for word in words]
    assert arrow(cells).to_pylist() == [word or None for word in words]
    arrow(cells).validate(full=True)


@given(WORDS, WORDS)
def test_joining_leaves_no_gap(first, second):
    rows = min(len(first), len(second))
    first, second = first[:rows], second[:rows]
    cells = join_cells([encode(first, 9), "@", encode(second, 8)], 20)
    assert to_strings(cells) == [f"{a}@{b}" for a, b in zip(first, second, strict=True)]
    assert cells.shape == (rows, 20)


def test_cells_are_cut_and_padded():
    cells = encode(["abc", "d"])
    assert to_strings(fit(cells, 2)) == ["ab", "d"]
    assert fit(cells, 5).shape == (2, 5)
    assert to_strings(join_cells([cells, "xyz"], 4)) == ["abcx", "dxyz"]


def test_numbers():
    values = np.array([0, 7, 120])
    assert to_strings(digits(values, 3)) == ["000", "007", "120"]
    assert to_strings(join_cells([digits(values, 3, padded=False)], 3)) == ["0", "7", "120"]


def test_tables_of_letters():
    words = ["Kölić-9", "ŁUKASZ", "Øst"]
    cells = encode(words, 8)
    assert to_strings(PLAIN[cells]) == ["Kolic-9", "LUKASZ", "Ost"]
    assert to_strings(UPPER[cells]) == [word.upper() for word in words]
    assert to_strings(LOWER[cells]) == [word.lower() for word in words]
    assert all(letter.isascii() for letter in to_strings(PLAIN[encode(list(PAGE))]))
    assert all(len(letter.encode()) == 2 for letter in PAGE)


def test_empty_columns():
    assert arrow(np.zeros((0, 4), np.uint8)).to_pylist() == []
    assert arrow(np.zeros((3, 4), np.uint8)).to_pylist() == [None] * 3
    assert join_cells([np.zeros((0, 4), np.uint8), "x"], 3).shape == (0, 3)
