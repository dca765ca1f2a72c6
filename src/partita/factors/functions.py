"""Checks of a user's own function: it must compile and return finite numbers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.errors import ModelError
from partita.kernel import compiles
from partita.states.checks import shown

__all__ = ["check_function", "check_returned", "describe", "unwrap"]

REMEDY = "write it with numbers and arrays only"


def unwrap(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Unwrap the Python function of a compiled or wrapped one."""
    if not callable(function):
        raise ModelError(f"{name}: {shown(function)} is not a function; give one written in Python")
    return inspect.unwrap(getattr(function, "py_func", function))


def check_function(
    function: Callable[..., Any], name: str, *examples: Any, remedy: str = REMEDY
) -> Callable[..., Any]:
    """Check that a function compiles for arguments like the examples; return it unwrapped."""
    unwrapped = unwrap(function, name)
    trouble = compiles(unwrapped, *examples)
    if trouble is not None:
        raise ModelError(f"{name}: {trouble}; {remedy}")
    return unwrapped


def describe(function: Callable[..., Any]) -> str:
    """Return the name and line of a function for messages."""
    code = getattr(function, "__code__", None)
    line = f" (line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(function, '__name__', repr(function))}{line}"


def check_returned(value: Any, width: int, noun: str) -> tuple[float, ...]:
    """Check that a function returned `width` finite numbers."""
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != width:
        raise ModelError(
            f"{noun} returned {len(values)} values for {width} features; return one for each"
        )
    for entry in values:
        number = isinstance(entry, int | float | np.integer | np.floating)
        if not number or not math.isfinite(entry):
            raise ModelError(f"{noun} returned {shown(entry)}; make it return finite numbers")
    return tuple(float(entry) for entry in values)
