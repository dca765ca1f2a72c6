import numpy as np
import pytest

from partita.errors import InputError
from partita.states.checks import array, integers, named, positive, shown, whole


def test_whole():
    assert whole(3, "x") == 3
    assert type(whole(np.int32(0), "x", 0)) is int
    for wrong in (0, -1, 2.0, True, "3", None):
        with pytest.raises(InputError, match=f"x is {wrong!r}; give a whole number of at least 1"):
            whole(wrong, "x")


def test_positive():
    assert positive(np.float64(0.5), "x") == 0.5
    assert positive(2, "x") == 2.0
    for wrong in (0, -1.0, float("nan"), float("inf"), "1", None, True):
        with pytest.raises(InputError, match=r"x is .*; give a positive number"):
            positive(wrong, "x")


def test_rows_of_different_lengths():
    assert array([[1, 2], [3, 4]], "x").shape == (2, 2)
    with pytest.raises(InputError, match="x has rows of different lengths"):
        array([[1, 2], [3]], "x")


def test_integers():
    assert integers([1, 2], "x").dtype == np.int64
    assert integers([], "x").size == 0
    for wrong in ([1.5], ["a"], [None], [True]):
        with pytest.raises(InputError, match=r"x has the type .*; give whole numbers"):
            integers(wrong, "x")


def test_named():
    for labels in (["a", "b"], [1, 2], [0.5, 1.5], np.array(["2020", "2021"], "M8[Y]")):
        assert named(labels, "x").size == 2
    missing = (
        [1.0, float("nan")],
        [1.0, float("inf")],
        np.array(["a", None], object),
        np.array(["a", float("nan")], object),
        np.array(["2020", "NaT"], "M8[Y]"),
    )
    for wrong in missing:
        with pytest.raises(InputError, match=r"x hold .* at 1; give every mention a label"):
            named(wrong, "x")
    with pytest.raises(InputError, match="x mix int and str"):
        named(np.array(["a", 1], object), "x")
    for wrong in ([], "abc", [[1, 2]]):
        with pytest.raises(InputError, match="x have shape"):
            named(wrong, "x")


def test_long_values_are_shown_by_their_kind():
    assert shown([1, 2]) == "[1, 2]"
    assert shown(list(range(100))) == "a value of type list"
    assert shown(np.zeros((2, 2))) == "a value of type ndarray"
