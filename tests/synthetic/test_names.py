import numpy as np

from partita.synthetic.cells import to_strings
from partita.synthetic.names import (
    GIVEN,
    MEN,
    SURNAMES,
    WOMEN,
    build_given_names,
    compose_words,
    surnames,
)


def test_given_names():
    table = build_given_names()
    words = to_strings(table.cells)
    groups = [words[a:b] for a, b in zip(table.starts[:-1], table.starts[1:], strict=True)]
    assert [len(group) for group in groups[:2]] == [GIVEN, GIVEN]
    assert all(len(set(group)) == len(group) for group in groups)
    assert groups[0][0] == "James"
    assert groups[1][0] == "Mary"
    assert not any(word.isascii() for group in groups[2:] for word in group)
    assert all(words)


def test_short_forms():
    table = build_given_names()
    words = to_strings(table.cells)
    short = {
        words[name]: [words[place] for place in table.short[name] if place >= 0]
        for name in np.flatnonzero(table.shorts).tolist()
    }
    assert short["William"] == ["Bill", "Will", "Billy", "Willie"]
    assert "Peggy" in short["Margaret"]
    assert int(table.shorts.sum()) > 400
    assert all(name not in shorts for name, shorts in short.items())
    for text in (MEN, WOMEN):
        formal = [row.split()[0] for row in text.split(";")]
        assert len(set(formal)) == len(formal)


def test_surnames():
    cells, accented = surnames()
    words = to_strings(cells)
    assert accented == SURNAMES
    assert len(set(words)) == len(words)
    assert all(word.isascii() for word in words[:accented])
    assert not any(word.isascii() for word in words[accented:])
    assert len(words) - accented > 1000
    assert words[0] == "Smith"


def test_composed_words_have_no_order():
    words = compose_words(("a b", "x y z"), 100)
    assert sorted(words) == ["ax", "ay", "az", "bx", "by", "bz"]
    assert words == compose_words(("a b", "x y z"), 100) != sorted(words)
    assert len(compose_words(("a b", "x y z"), 4)) == 4
