from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numba
import numpy as np
import pytest

from partita.kernel.numba.compile import PLAIN, entry, kernel
from partita.kernel.numba.translate import compiles, explain

compiled = pytest.mark.compiled
not_plain = pytest.mark.skipif(PLAIN, reason="the fallback allows allocation")

TABLE = {"a": 1}
VALUES = np.zeros(3)


class Row(NamedTuple):
    values: np.ndarray
    size: int


def helper(x):
    return x


@kernel
def doubled(x):
    return x * 2


def unknown(x):
    y = 1
    return x.foo() + y


def allocates(x):
    y = np.zeros(3)
    return y[0] + x[0]


def lists(x):
    y = [x[0], 1.0]
    return y[0]


def temporary(x):
    return (x * 2).sum()


def ordinary(x):
    return helper(x[0])


def dictionary(x):
    return TABLE["a"] + x[0]


def misspelt(x):
    return nothing_of_that_name(x)  # noqa: F821


def imports(x):
    import math

    return math.exp(x[0])


def mixed(x):
    return x[0] + "a"


def branches(x):
    if x[0] > 1:
        return 1
    return "a"


def missing(x):
    return np.einsum("i,i", x, x)


def view(x):
    return x[1:]


def indirect(x):
    return nested_kernel(x)


@kernel
def nested_kernel(y):
    return y.bar


EXPLAINED = [
    (unknown, "return x.foo() + y", "attribute `foo` of array of float64"),
    (ordinary, "return helper(x[0])", "put @kernel above"),
    (dictionary, 'return TABLE["a"] + x[0]', "`TABLE` is a dict"),
    (misspelt, "return nothing_of_that_name(x)", "`nothing_of_that_name` is not defined"),
    (imports, "import math", "import at the top"),
    (mixed, 'return x[0] + "a"', "`add` has no compiled form for (float64, str)"),
    (branches, 'return "a"', "it returns values of different types"),
    (missing, 'return np.einsum("i,i", x, x)', "`numpy.einsum` is not available"),
    (indirect, "return nested_kernel(x)", "attribute `bar`"),
]
ALLOCATING = [
    (allocates, "y = np.zeros(3)", "creates an array"),
    (lists, "y = [x[0], 1.0]", "creates an array, a list"),
    (temporary, "return (x * 2).sum()", "not possible inside a walk"),
    (view, "def view(x):", "returns an array"),
]


def line_of(function: FunctionType, source: str) -> int:
    """Return the line of `source`, from the start of the function on."""
    lines = Path(__file__).read_text().splitlines()
    first = function.__code__.co_firstlineno
    return next(k for k in range(first, len(lines) + 1) if lines[k - 1].strip().startswith(source))


def check(function, source, reason):
    told = compiles(function, VALUES)
    assert told is not None
    assert told.startswith(f"test_translate.py line {line_of(function, source)}: `{source}")
    assert reason in told
    assert "\n" not in told


@compiled
@pytest.mark.parametrize(("function", "source", "reason"), EXPLAINED)
def test_explanations_name_line_and_reason(function, source, reason):
    check(function, source, reason)


@compiled
@not_plain
@pytest.mark.parametrize(("function", "source", "reason"), ALLOCATING)
def test_explanations_of_allocation(function, source, reason):
    check(function, source, reason)


@compiled
def test_functions_that_compile_need_no_explanation():
    assert compiles(lambda x: x[0] + 1, VALUES) is None
    assert (
        compiles(lambda row, pair: row.values[row.size] + pair[1], Row(VALUES, 1), (1, 2)) is None
    )
    assert compiles(doubled, 3) is None
    assert compiles(lambda rng: rng.random(), np.random.default_rng(1)) is None


@compiled
def test_examples_and_functions_that_numba_does_not_know():
    assert "it takes 1 arguments and is called with 2" in compiles(lambda x: x, 1, 2)
    assert "<class 'dict'>" in compiles(lambda x: x, {})
    assert "not a function written in Python" in compiles(len, VALUES)


@compiled
def test_an_error_of_an_entry_is_explained_by_the_line_of_the_user():
    feature = kernel(unknown)
    walk = entry(lambda x: feature(x) + 1)
    with pytest.raises(numba.core.errors.NumbaError) as caught:
        walk(VALUES)
    told = explain(caught.value, unknown)
    line = line_of(unknown, "return x.foo() + y")
    assert told.startswith(
        f"test_translate.py line {line}: `return x.foo() + y` cannot be compiled"
    )


def test_other_errors_keep_their_message():
    told = explain(RuntimeError("\x1b[1mFailed in nopython\x1b[0m\nsomething else"), helper)
    line = helper.__code__.co_firstlineno
    assert (
        told
        == f"test_translate.py line {line}: `def helper(x):` cannot be compiled: something else"
    )
    assert "gives no reason" in explain(RuntimeError(""), helper)


def test_without_the_compiler_every_function_will_do(monkeypatch):
    monkeypatch.setattr(numba.core.config, "DISABLE_JIT", 1)
    assert compiles(unknown, VALUES) is None
