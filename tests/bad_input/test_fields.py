"""Templates of labels."""

import numpy as np
import pytest

from partita import factors as f
from partita.errors import InputError
from tests.bad_input.sentences import NAN, names_value_and_remedy


def never_called(data, k, values):
    raise AssertionError


FIELDS = {
    "flat observations": (lambda: f.unary([1.0, 2.0], 2), InputError, r"\(2,\)", "a matrix"),
    "NaN observation": (lambda: f.unary([[NAN]], 2), InputError, r"\(0, 0\) is nan", "finite"),
    "one label": (lambda: f.unary([[1.0]], 1), InputError, "labels is 1", "at least two"),
    "text labels": (lambda: f.unary([[1.0]], "ab"), InputError, "'ab'", "list of names"),
    "half a label": (lambda: f.unary([[1.0]], 2.5), InputError, "2.5", "their number"),
    "feature names": (
        lambda: f.unary([[1.0]], 2, features=["a", "b"]),
        *(InputError, "2 feature names for 1 columns", "one name for each"),
    ),
    "weight matrix": (
        lambda: f.unary([[1.0]], 2, weights=np.ones((3, 1))),
        *(InputError, r"2 features and weights of shape \(3,\)", "one weight for each"),
    ),
    "loop": (lambda: f.pairwise([[1, 1]], 2), InputError, "variable 1 to itself", "`unary`"),
    "negative edge": (lambda: f.pairwise([[0, -1]], 2), InputError, "variable -1", "from 0"),
    "edges of three": (
        lambda: f.pairwise([[0, 1, 2], [1, 2, 3]], 2),
        *(InputError, r"\(2, 3\)", "two columns"),
    ),
    "kind outside": (
        lambda: f.pairwise([[0, 1]], 2, kind=[1]),
        *(InputError, "kind 1", "in 0..0"),
    ),
    "kinds short": (
        lambda: f.pairwise([[0, 1], [1, 2]], 2, kind=[0]),
        *(InputError, "1 kinds for 2 edges", "one each"),
    ),
    "no scopes": (lambda: f.potential(never_called, []), InputError, r"\[\]", "at least one"),
    "negative scope": (
        lambda: f.potential(never_called, [[-1]]),
        *(InputError, "variable -1", "from 0"),
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name):
    names_value_and_remedy(FIELDS[name])
