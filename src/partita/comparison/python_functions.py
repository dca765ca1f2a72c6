"""Python functions of two strings that a user passes or a file names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints

__all__ = ["PYTHON", "PythonFunction", "function_name", "import_function", "score_in_python"]

PythonFunction = Callable[[str, str], float]
PYTHON = ":"
"""The sign that separates module and name of a Python function."""


def function_name(function: str | PythonFunction) -> str:
    """A built-in function's name, or "module:name" of a Python function."""
    if isinstance(function, str):
        return function
    module = getattr(function, "__module__", "")
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{module}{PYTHON}{name}"


def import_function(name: str) -> PythonFunction:
    """The Python function "module:name"."""
    module, _, path = name.partition(PYTHON)
    # console scripts do not have the working directory on their path
    sys.path.append(str(Path.cwd()))
    try:
        value: Any = import_module(module)
        for part in path.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"the comparison function {name!r} cannot be imported ({error}); write "
            '"module:function" of a module in this folder or on the Python path'
        ) from error
    finally:
        sys.path.pop()
    if not callable(value):
        raise InputError(f"{name!r} is no function; write the name of a function of two strings")
    return value


def score_in_python(
    function: PythonFunction, values: Sequence[str]
) -> Callable[[Ints, Ints], Floats]:
    """Scores of a user's function of two strings, called once for each pair."""
    name = getattr(function, "__name__", repr(function))

    def score(left: Ints, right: Ints) -> Floats:
        scores = np.empty(len(left))
        for k, (i, j) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            value = function(values[i], values[j])
            try:
                scores[k] = value
            except (TypeError, ValueError):
                raise InputError(
                    f"the comparison function {name} returns {value!r} for {values[i]!r} and "
                    f"{values[j]!r}; return a number"
                ) from None
        return scores

    return score
