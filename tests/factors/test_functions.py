import functools

import numpy as np
import pytest

from partita.errors import ModelError
from partita.factors.functions import check_function, check_returned, describe, unwrap
from partita.kernel import kernel


def plus(data, i):
    return data[i] + 1.0


def test_the_python_function_is_found():
    assert unwrap(plus, "t") is plus
    assert unwrap(kernel(plus), "t") is plus

    @functools.wraps(plus)
    def wrapped(data, i):
        return plus(data, i)

    assert unwrap(wrapped, "t") is plus
    assert describe(plus) == f"plus (line {plus.__code__.co_firstlineno})"
    assert describe(len) == "len"


@pytest.mark.parametrize("value", [3, "plus", None])
def test_what_is_not_a_function(value):
    with pytest.raises(ModelError, match="is not a function"):
        unwrap(value, "t")


@pytest.mark.compiled
def test_what_does_not_compile():
    def uses_text(data, i):
        return f"{i}"

    assert check_function(plus, "t", np.zeros(3), 0) is plus
    with pytest.raises(ModelError, match=r"t: test_functions.py line \d+: .*; do that"):
        check_function(uses_text, "t", np.zeros(3), 0, remedy="do that")


def test_what_is_returned():
    assert check_returned(1, 1, "f") == (1.0,)
    assert check_returned((np.float32(0.5), 2), 2, "f") == (0.5, 2.0)
    for wrong, words in (
        ((1.0, 2.0), "returned 2 values for 1 features"),
        (None, "returned None"),
        ("a", "returned 'a'"),
        (float("nan"), "returned nan"),
        (float("-inf"), "returned -inf"),
        (np.zeros(1), "returned array"),
    ):
        with pytest.raises(ModelError, match=words):
            check_returned(wrong, 1, "f")
