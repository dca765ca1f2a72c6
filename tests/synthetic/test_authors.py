from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from partita.errors import InputError
from partita.synthetic import Literature, authors

COLUMNS = [
    *("mention_id", "first", "middle", "last", "coauthors"),
    *("title", "venue", "year", "author"),
]
N = 40_000


@cache
def table(**settings):
    return authors(N, seed=3, literature=Literature(**settings)).table()


@cache
def column(name, **settings):
    return np.array([text or "" for text in table(**settings)[name].to_pylist()])


@pytest.mark.parametrize("n", [1, 2, 100, 65_537])
def test_the_number_of_mentions_is_exact(n):
    result = authors(n, seed=1).table()
    assert result.num_rows == n
    assert result.column_names == COLUMNS
    assert result["mention_id"].to_pylist() == list(range(n))
    result.validate(full=True)


def test_the_seed_decides_and_nothing_else():
    again = authors(3000, seed=3).table().combine_chunks()
    assert not any(again[item].equals(authors(3000, 4).table()[item]) for item in COLUMNS[1:])
    for size in (64, 1000):
        batches = authors(3000, seed=3).batches(size)
        assert pa.Table.from_batches(batches).combine_chunks().equals(again)


def test_few_authors_write_most_papers():
    sizes = np.sort(np.bincount(table()["author"].to_numpy()))[::-1]
    assert 5.0 < sizes.mean() < 8.0
    assert sizes[: sizes.size // 10].sum() > 0.35 * N
    assert sizes[0] > 100
    sizes = np.bincount(table(largest=20)["author"].to_numpy())
    assert sizes.max() == 20


def test_canopies_are_large_and_hold_many_authors():
    key = np.char.add(column("last"), np.char.add(" ", column("first").astype("U1")))
    names, place, sizes = np.unique(key, return_inverse=True, return_counts=True)
    assert sizes.max() > 0.003 * N
    largest = place == sizes.argmax()
    assert np.unique(table()["author"].to_numpy()[largest]).size > 20
    few = np.unique(column("last", last_names=1, accented=0.0, last_typo=0.0))
    assert few.tolist() == ["Smith"]
    assert names.size > 1000


def test_forms_of_first_and_middle_names():
    size = np.char.str_len(column("first"))
    assert abs(np.mean(size == 1) - 0.35) < 0.01
    size = np.char.str_len(column("middle"))
    assert abs(np.mean(size == 0) - (0.5 + 0.5 * 0.4)) < 0.04
    assert abs(np.mean(size == 1) - 0.5 * 0.4) < 0.02
    assert set(np.char.str_len(column("first", initial=1.0))) == {1}
    assert not any(column("middle", has_middle=0.0))


def test_typing_errors_in_names():
    clean = {name: column(name, first_typo=0.0, last_typo=0.0) for name in ("first", "last")}
    for name, form in (("first", {"initial": 0.0}), ("last", {})):
        rate = {"first_typo": 0.0, "last_typo": 0.0, **form}
        before, after = column(name, **rate), column(name, **{**rate, f"{name}_typo": 0.2})
        assert abs(np.mean(before != after) - 0.2) < 0.01
        assert np.array_equal(before.astype("U1"), after.astype("U1"))
    assert abs(np.mean(clean["last"] != column("last")) - 0.005) < 0.002


def test_names_belong_to_authors():
    last = column("last", last_typo=0.0)
    author = table(last_typo=0.0)["author"].to_numpy()
    assert np.unique(np.char.add(last, author.astype(str))).size == np.unique(author).size


def overlap(name, mark):
    """How much of half an author's papers is in the other half, and in another author's."""
    author = table()["author"].to_numpy()
    halves = []
    for writer in np.argsort(np.bincount(author))[::-1][:40].tolist():
        words = [value.split(mark) for value in column(name)[author == writer].tolist()]
        first, rest = ([word for value in words[k::2] for word in value] for k in (0, 1))
        halves.append((set(first), rest))
    own = [np.mean([word in first for word in rest]) for first, rest in halves]
    other = [
        np.mean([word in strange for word in rest])
        for (strange, _), (_, rest) in zip(halves[1:] + halves[:1], halves, strict=True)
    ]
    return np.mean(own), np.mean(other)


@pytest.mark.parametrize(("name", "mark"), [("title", " "), ("venue", "|"), ("coauthors", "; ")])
def test_what_is_on_papers_tells_authors_apart(name, mark):
    own, other = overlap(name, mark)
    assert own > other + 0.15


def test_no_one_is_on_a_paper_twice():
    lists = [text.split("; ") for text in column("coauthors", outsider=0.0) if text]
    assert max(map(len, lists)) == 4
    # two people may share an initial and a last name
    assert np.mean([len(set(names)) == len(names) for names in lists]) > 0.97
    assert 0.15 < table()["coauthors"].null_count / N < 0.3


def test_coauthors_come_from_a_circle():
    near = table(outsider=0.0, community=5)
    author = near["author"].to_numpy()
    names = near["coauthors"].to_pylist()
    busy = int(np.bincount(author).argmax())
    seen = {
        name for row in np.flatnonzero(author == busy) for name in (names[row] or "").split("; ")
    }
    assert len(seen - {""}) <= 4
    assert authors(50, literature=Literature(community=2)).table().num_rows == 50


def test_years_and_missing_values():
    year = table()["year"].drop_null().to_numpy()
    assert 1965 <= year.min() < year.max() <= 2024
    for name in ("venue", "year"):
        assert abs(table()[name].null_count / N - 0.02) < 0.004
        assert table(missing=0.0)[name].null_count == 0
    assert table()["title"].null_count == 0
    length = pc.list_value_length(pc.split_pattern(table()["title"], " "))
    assert pc.min_max(length).as_py() == {"min": 5, "max": 10}


def test_more_last_names_than_there_are():
    assert authors(100, literature=Literature(last_names=10**7)).table().num_rows == 100


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "n is 0; give a whole number of at least 1"),
        ({"n": 10, "seed": 1.5}, "seed is 1.5"),
        ({"n": 10, "literature": {}}, "literature is {}; give Literature(...)"),
        ({"n": 10, "truth": 1}, "truth is 1; give 'column', 'file' or None"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(InputError) as result:
        authors(**arguments)
    assert str(result.value).startswith(words)
