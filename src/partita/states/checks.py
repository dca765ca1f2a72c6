"""Checks of numbers and labels from users; each raises an InputError of one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Ints

__all__ = ["array", "fits", "integers", "named", "positive", "shown", "whole"]


def shown(value: Any, most: int = 60) -> str:
    """Format a value for a message, or its type if the value is long."""
    text = repr(value)
    short = len(text) <= most and chr(10) not in text
    return text if short else f"a value of type {type(value).__name__}"


def whole(value: Any, noun: str, least: int = 1) -> int:
    """Check a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{noun} is {value!r}; give a whole number of at least {least}")
    return int(value)


def positive(value: Any, noun: str) -> float:
    """Check a finite number above 0."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not (math.isfinite(value) and value > 0):
        raise InputError(f"{noun} is {value!r}; give a positive number")
    return float(value)


def array(values: Any, noun: str) -> NDArray[Any]:
    """Check an array with rows of one length."""
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{noun} has rows of different lengths; give rows of one length") from None


def integers(values: ArrayLike, noun: str) -> Ints:
    """Check whole numbers; an empty list is allowed."""
    numbers = array(values, noun)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise InputError(
            f"{noun} has the type {numbers.dtype}, as in {numbers.flat[0]!r}; give whole numbers"
        )
    return numbers.astype(np.int64)


def named(labels: ArrayLike, noun: str) -> NDArray[Any]:
    """Check a non-empty row of labels: numbers or strings, none of them missing."""
    values = array(labels, noun)
    if values.ndim != 1 or values.size == 0:
        raise InputError(
            f"{noun} have shape {values.shape}; give one label each to at least one mention"
        )
    if values.dtype.kind == "O":
        wrong = [k for k, value in enumerate(values) if value is None or value != value]
    elif values.dtype.kind in "fc":
        wrong = np.flatnonzero(~np.isfinite(values)).tolist()
    else:
        wrong = np.flatnonzero(np.isnat(values)).tolist() if values.dtype.kind in "mM" else []
    if wrong:
        raise InputError(
            f"{noun} hold {values[wrong[0]]} at {wrong[0]}; give every mention a label, "
            "one of its own if nothing is known"
        )
    if values.dtype.kind == "O" and len({type(value) for value in values}) > 1:
        kinds = sorted({type(value).__name__ for value in values})
        raise InputError(f"{noun} mix {' and '.join(kinds)}; give numbers or strings, not both")
    return values


def fits(name: str, n: int) -> Callable[[Any], None]:
    """Build a check that the start has n mentions."""

    def check(state: Any) -> None:
        if state.entity.size != n:
            raise InputError(
                f"{name} was built for {n} mentions but the start has {state.entity.size}; "
                "give both the same mentions"
            )

    return check
