"""Subjects of predicates over entities: a comparison of pairs, or a value of each mention."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.bags import encode
from partita.factors.functions import check_function
from partita.factors.predicates.pairs import Listed
from partita.kernel import Floats, Ints, symmetric_rows
from partita.states.checks import array, shown, whole

__all__ = ["Pairs", "Values", "over_pairs", "over_values"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """A comparison of any two mentions."""

    name: str
    n: int
    data: Any
    compare: Callable[..., Any] | None
    """The comparison `compare(data, i, j)`; None for listed pairs."""
    truths: bool
    """Whether it returns yes or no."""


@dataclass(frozen=True, eq=False)
class Values:
    """A value of each mention."""

    name: str
    n: int
    value: Floats
    start: Ints
    code: Ints
    """Codes of the values; those of mention i begin at start[i]."""
    codes: int
    numbers: bool
    truths: bool = False


def look_up(data: Any, i: int, j: int) -> float:
    """Return an entry of a matrix."""
    return float(data[i, j])


def over_pairs(
    name: str,
    comparison: ArrayLike | Callable[..., Any],
    *,
    n: int | None = None,
    data: Any = None,
    pairs: ArrayLike | None = None,
    elsewhere: float | None = None,
) -> Pairs:
    """Define a comparison of pairs of mentions for predicates to quantify over; NaN is unknown.

    Parameters
    ----------
    comparison
        A symmetric matrix; or with `pairs` and `n` one value for each listed pair; or with `data`
        and `n` a user's function, `function(data, i, j)`, symmetric in i and j, which returns a
        number or a boolean and is compiled into the walk. Yes and no are 1 and 0.
    elsewhere
        The value of pairs that are not listed; by default they are unknown.
    """
    if callable(comparison):
        many = whole(n, f"{name}: n, the number of mentions,")
        function = check_function(comparison, name, data, 0, 0)
        truths = many > 1 and isinstance(function(data, 0, 1), bool | np.bool_)
        return Pairs(name, many, data, function, truths)
    compared = array(comparison, f"{name}: the comparison")
    values = _numbers(compared, f"{name}: the comparison")
    truths = compared.dtype.kind == "b"
    if pairs is not None:
        many = whole(n, f"{name}: n, the number of mentions,")
        start, other, pair = symmetric_rows(pairs, many, name)
        if values.shape != (other.size // 2,):
            raise InputError(
                f"{name}: {values.size} values for {other.size // 2} pairs; give one for each"
            )
        rest = _numbers([np.nan if elsewhere is None else elsewhere], f"{name}: elsewhere")
        return Pairs(name, many, Listed(start, other, values[pair], rest), None, truths)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.size == 0:
        raise InputError(
            f"{name}: the comparison has shape {values.shape}; give a square matrix, or pairs= "
            "and one value for each"
        )
    if not np.array_equal(values, values.T, equal_nan=True):
        i, j = np.argwhere(~np.isclose(values, values.T, rtol=0, atol=0, equal_nan=True))[0]
        raise InputError(
            f"{name}: the comparison of {i} with {j} is {values[i, j]} but {values[j, i]} of {j} "
            f"with {i}; make it symmetric"
        )
    return Pairs(name, len(values), values, look_up, truths)


def over_values(name: str, values: ArrayLike | Sequence[Collection[str]]) -> Values:
    """Define one value per mention: a number, a string, or a list; NaN, None, "" are missing."""
    if any(isinstance(value, list | tuple | set | frozenset) for value in _listed(values)):
        return _sets(name, _listed(values))
    listed = array(values, f"{name}: values")
    if listed.ndim != 1 or listed.size == 0:
        raise InputError(f"{name}: values have shape {listed.shape}; give one for each mention")
    if listed.dtype.kind not in "fiub":
        words = encode({name: listed}, {}, name)[2]
        known = np.where(np.diff(words.start) > 0, 0.0, np.nan)
        return Values(name, listed.size, known, words.start, words.key, words.group.size, False)
    value = _numbers(listed, f"{name}: values")
    there = ~np.isnan(value)
    kinds, code = np.unique(value[there], return_inverse=True)
    start = np.concatenate([[0], np.cumsum(there)])
    many, truths = max(1, kinds.size), listed.dtype.kind == "b"
    return Values(name, value.size, value, start, code.reshape(-1), many, True, truths)


def _listed(values: Any) -> Sequence[Any]:
    return values if isinstance(values, list | tuple) else []


def _sets(name: str, values: Sequence[Any]) -> Values:
    """Encode several strings for each mention, each counted once."""
    number: dict[str, int] = {}
    code: list[int] = []
    start = [0]
    for k, value in enumerate(values):
        if not isinstance(value, list | tuple | set | frozenset | type(None)):
            raise InputError(
                f"{name}: mention {k} has {shown(value)} where others have lists; give each a list"
            )
        code += sorted({number.setdefault(str(word), len(number)) for word in value or ()})
        start.append(len(code))
    begin = np.array(start, np.int64)
    known = np.where(np.diff(begin) > 0, 0.0, np.nan)
    codes = np.array(code, np.int64)
    return Values(name, len(values), known, begin, codes, max(1, len(number)), False)


def _numbers(values: Any, noun: str) -> Floats:
    """Check numbers; NaN is allowed, infinity is not."""
    try:
        numbers = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{noun} is {shown(values)}; give numbers") from None
    if np.isinf(numbers).any():
        raise InputError(f"{noun} holds an infinite number; give finite ones, or NaN for unknown")
    return numbers
