from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from partita.comparison import CustomComparison, Level, automatic_comparison, column_types
from partita.comparison.comparisons import Comparisons, checked_pairs, compare
from partita.errors import InputError


@dataclass(frozen=True)
class Column:
    name: str
    codes: np.ndarray
    values: Any


def column(*texts, name="a"):
    """A column with the given value for each record; None is missing."""
    values = sorted({text for text in texts if text is not None})
    codes = [-1 if text is None else values.index(text) for text in texts]
    return Column(name, np.array(codes, np.int32), pa.array(values, pa.string()))


PEOPLE = column("william", "bill", "willaim", None, "william", "otto")


def test_missing_is_neutral_and_equal_is_zero():
    found = compare(PEOPLE, "given name", [[0, 4], [0, 3], [3, 0], [0, 1], [0, 5]])
    names = automatic_comparison("given name").labels
    assert found.dtype == np.int8
    assert found.tolist() == [0, -1, -1, names.index("nickname"), len(names) - 1]


def test_order_within_a_pair_does_not_matter():
    pairs = np.array([[i, j] for i in range(6) for j in range(6) if i != j])
    there, back = compare(PEOPLE, "surname", pairs), compare(PEOPLE, "surname", pairs[:, ::-1])
    assert np.array_equal(there, back)
    assert len(set(there.tolist())) > 2


def test_looked_up_and_sorted_pairs_agree(monkeypatch):
    rng = np.random.default_rng(0)
    words = column(*("".join(rng.choice(list("abc"), 4)) for _ in range(300)))
    pairs = rng.integers(0, 300, (5000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    dense = compare(words, "code", pairs)
    monkeypatch.setattr("partita.comparison.comparisons.TABLE_CELLS", 0)
    assert np.array_equal(dense, compare(words, "code", pairs))
    assert set(dense.tolist()) == {0, 1, 2, 3}


def test_each_distinct_pair_of_values_is_compared_once():
    calls = []

    def score(left, right):
        calls.append((left, right))
        return 1.0

    names = column("a", "b", "a", "b", "a")
    found = compare(
        names, CustomComparison([Level(score)]), [[0, 1], [1, 2], [2, 3], [4, 1], [0, 2]]
    )
    assert found.tolist() == [1, 1, 1, 1, 0]
    assert calls == [("a", "b")]


def test_all_columns_together_are_the_columns_one_by_one():
    town = column("rome", "roma", None, "paris", "rome", "oslo", name="b")
    pairs = np.array([[0, 1], [0, 2], [3, 4], [0, 4]])
    both = Comparisons([PEOPLE, town], ["given name", "category"])
    found = both.levels(pairs)
    assert found.shape == (4, 2)
    assert np.array_equal(found[:, 0], compare(PEOPLE, "given name", pairs))
    assert np.array_equal(found[:, 1], compare(town, "category", pairs))
    assert both.level_names == [
        list(automatic_comparison(kind).labels) for kind in ("given name", "category")
    ]


def test_a_column_without_values_is_missing_everywhere():
    empty = column(None, None, None)
    for kind in column_types():
        assert compare(empty, kind, [[0, 1], [1, 2]]).tolist() == [-1, -1]


def test_no_pairs():
    assert compare(PEOPLE, "code", []).shape == (0,)
    assert checked_pairs([], 0).shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compare(PEOPLE, "colour", [[0, 1]]), "no column type 'colour'"),
        (lambda: compare(PEOPLE, "code", [[0, 6]]), "record 6; records are numbered 0 to 5"),
        (lambda: compare(PEOPLE, "code", [[-1, 0]]), "record -1"),
        (lambda: compare(PEOPLE, "code", [0, 1]), "two columns"),
        (lambda: compare(PEOPLE, "code", [[0.5, 1.0]]), "whole numbers"),
        (lambda: Comparisons([PEOPLE], []), "1 columns and 0 types"),
        (lambda: Comparisons([PEOPLE, column("a")], ["code", "code"]), "[1, 6] records"),
        (
            lambda: compare(Column("a", np.array([0, 2], np.int32), ["x", "y"]), "code", [[0, 1]]),
            "codes from 0 to 2 for 2 values",
        ),
        (
            lambda: compare(Column("a", np.array([0.0, 1.0]), ["x", "y"]), "code", [[0, 1]]),
            "codes of type float64",
        ),
        (
            lambda: compare(Column("a", np.array([0, 1]), ["x", None]), "code", [[0, 1]]),
            "has the value None",
        ),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, words):
    with pytest.raises(InputError) as caught:
        call()
    assert words in str(caught.value)
