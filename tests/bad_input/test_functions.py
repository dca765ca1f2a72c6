"""Functions of the user's own: what they return, and what cannot be compiled."""

import numpy as np
import pytest

from partita import factors as f
from partita.errors import InputError, ModelError
from tests.bad_input.sentences import INF, NAN, names_value_and_remedy

PAIRS = [[0, 1], [1, 2]]


def near(data, i, j):
    return data[i] * data[j]


def lopsided(data, i, j):
    return data[i]


def no_number(data, i, j):
    return NAN


def pair_of(data, i, j):
    return 1.0, 2.0


def of_text(data, i, j):
    return float(len(str(data[i]) + str(j)))


def nothing(data, members):
    return NAN


def no_score(data, k, values):
    return INF


def text_score(data, k, values):
    return float(len({"a": k}))


FUNCTIONS = {
    "not a function": (lambda: f.similarity(3, np.ones(3), 3), ModelError, "3 is not", "give one"),
    "NaN": (
        lambda: f.similarity(no_number, np.ones(3), 3),
        *(ModelError, r"no_number \(line \d+\)\(data, 0, 1\) returned nan", "finite numbers"),
    ),
    "two values": (
        lambda: f.similarity(pair_of, np.ones(3), 3),
        *(ModelError, "returned 2 values for 1 features", "one for each"),
    ),
    "one value": (
        lambda: f.similarity(near, np.ones(3), 3, features=("a", "b")),
        *(ModelError, "returned 1 values for 2 features", "one for each"),
    ),
    "not symmetric": (
        lambda: f.similarity(lopsided, np.array([1.0, 2.0, 3.0]), 3),
        *(ModelError, "1.0.* for mentions 0 and 1 but .*2.0", "make it symmetric"),
    ),
    "computed NaN": (
        lambda: f.similarity(no_number, None, 3, pairs=PAIRS),
        *(ModelError, r"\(data, 0, 1\) returned nan", "finite numbers"),
    ),
    "computed pairs": (
        lambda: f.similarity(near, np.ones(3), 3, pairs=[[0, 7]]),
        *(InputError, r"\[0, 7\] is outside", "leave it out"),
    ),
    "no mentions": (lambda: f.similarity(near, np.ones(3), 0), InputError, "is 0", "at least 1"),
    "bound": (
        lambda: f.similarity(near, np.ones(3), 3, bound=-1.0),
        *(InputError, "bound is -1.0", "positive"),
    ),
    "NaN of a cluster": (
        lambda: f.cluster_score(nothing, np.ones(3), 3),
        *(ModelError, r"\(data, \[0\]\) returned nan", "finite numbers"),
    ),
    "infinite potential": (
        lambda: f.potential(no_score, [[0, 1]]),
        *(ModelError, r"\(data, 0, \[0, 0\]\) returned inf", "finite numbers"),
    ),
}
NOT_COMPILED = {
    "similarity": (
        lambda: f.similarity(of_text, np.ones(3), 3),
        *(ModelError, r"test_functions.py line \d+", "pass pairs="),
    ),
    "a dict as data": (
        lambda: f.similarity(near, {"a": 1.0}, 3),
        *(ModelError, "`near` cannot be compiled", "numbers and arrays only"),
    ),
    "potential": (
        lambda: f.potential(text_score, [[0]]),
        *(ModelError, r"test_functions.py line \d+", "numbers and arrays only"),
    ),
    "cluster": (
        lambda: f.cluster_score(of_text, np.ones(3), 3),
        *(ModelError, "takes 3 arguments and is called with 2", "numbers and arrays only"),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_functions_return(name):
    names_value_and_remedy(FUNCTIONS[name])


@pytest.mark.compiled
@pytest.mark.parametrize("name", NOT_COMPILED)
def test_functions_that_do_not_compile(name):
    names_value_and_remedy(NOT_COMPILED[name])
