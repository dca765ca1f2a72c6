"""A user's own function: refused in one sentence where it does not compile or returns nonsense."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.errors import ModelError
from partita.kernel import compiles
from partita.states.checks import shown

__all__ = ["plain", "returned", "usable", "where"]

REMEDY = "write it with numbers and arrays only"


def plain(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The Python function, also behind a compiled or wrapped one."""
    if not callable(function):
        raise ModelError(f"{name}: {shown(function)} is not a function; give one written in Python")
    return inspect.unwrap(getattr(function, "py_func", function))


def usable(
    function: Callable[..., Any], name: str, *examples: Any, remedy: str = REMEDY
) -> Callable[..., Any]:
    """The Python function, which is known to compile for arguments like the examples."""
    found = plain(function, name)
    trouble = compiles(found, *examples)
    if trouble is not None:
        raise ModelError(f"{name}: {trouble}; {remedy}")
    return found


def where(function: Callable[..., Any]) -> str:
    """Name and line of a function."""
    code = getattr(function, "__code__", None)
    line = f" (line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(function, '__name__', repr(function))}{line}"


def returned(value: Any, width: int, what: str) -> tuple[float, ...]:
    """What a function returned, as `width` finite numbers."""
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != width:
        raise ModelError(
            f"{what} returned {len(values)} values for {width} features; return one for each"
        )
    for one in values:
        number = isinstance(one, int | float | np.integer | np.floating)
        if not number or not math.isfinite(one):
            raise ModelError(f"{what} returned {shown(one)}; make it return finite numbers")
    return tuple(float(one) for one in values)
