"""Comparison levels: conditions on the scores of two values, from strict to loose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.forms import FORMS, form_of
from partita.comparison.functions import FUNCTIONS, Score
from partita.comparison.python_functions import (
    PYTHON,
    PythonFunction,
    function_name,
    score_in_python,
)
from partita.errors import InputError
from partita.kernel import Ints

__all__ = [
    "And",
    "AnyLevel",
    "Level",
    "Levels",
    "Or",
    "ValueLevels",
    "conditions_of",
    "prepare_levels",
]

Levels = NDArray[np.int8]
Mask = NDArray[np.bool_]
Key = tuple[str | PythonFunction, str]
"""A function and the form of values that it compares."""


@dataclass(frozen=True)
class Level:
    """A comparison level that holds where a function of two values reaches a threshold.

    Examples
    --------
    >>> Level("jaro_winkler", 0.92).title
    'Jaro-Winkler at least 0.92'
    >>> (Level("exact", form="username") | Level("levenshtein", 2)).title
    'same username or Levenshtein distance at most 2'
    """

    function: str | PythonFunction
    """A built-in function by name, or a Python function of two strings that returns a number."""
    threshold: float | tuple[float, float] = 1.0
    """The least score that is similar enough (for a distance: the largest); or both limits."""
    form: str = ""
    """The part or spelling of the values that is compared, such as "username" or "soundex"."""
    label: str = ""
    higher_is_more_similar: bool | None = None
    """Direction of a Python function; by default True."""

    def __post_init__(self) -> None:
        if isinstance(self.function, str) and PYTHON not in self.function:
            _check_name(self.function, FUNCTIONS, "comparison function")
        elif not isinstance(self.function, str) and not callable(self.function):
            raise InputError(
                f"{self.function!r} is no comparison function; give a built-in by name or a "
                "Python function of two strings"
            )
        _check_name(self.form, FORMS, "form of values")
        limits = self.threshold if isinstance(self.threshold, list | tuple) else (self.threshold,)
        if len(limits) > 2 or not all(_is_number(limit) for limit in limits):
            raise InputError(
                f"a comparison level has the threshold {self.threshold!r}; give one number"
            )
        value = tuple(map(float, limits)) if len(limits) == 2 else float(limits[0])
        object.__setattr__(self, "threshold", value)

    @property
    def rises(self) -> bool:
        """Whether higher scores are more similar."""
        if isinstance(self.function, str) and self.function in FUNCTIONS:
            return FUNCTIONS[self.function].higher_is_more_similar
        return self.higher_is_more_similar is not False

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest score at which the level holds."""
        if isinstance(self.threshold, tuple):
            return self.threshold
        return (self.threshold, math.inf) if self.rises else (-math.inf, self.threshold)

    @property
    def title(self) -> str:
        """The label, or a description of the condition."""
        if self.label:
            return self.label
        form = f" {self.form}" if self.form else ""
        if self.function == "exact":
            return f"same{form or ' value'}"
        name, unit = function_name(self.function).rpartition(PYTHON)[2], ""
        if self.function in FUNCTIONS:
            _, name, _, unit = FUNCTIONS[str(self.function)]
        bound = "at least" if self.rises else "at most"
        of = f" of{form}" if form else ""
        return f"{name}{of} {bound} {self.threshold:g} {unit}".strip()

    def __or__(self, other: AnyLevel) -> Or:
        return Or(self, other)

    def __and__(self, other: AnyLevel) -> And:
        return And(self, other)


@dataclass(frozen=True, init=False)
class Compound:
    """Several levels as one."""

    levels: tuple[AnyLevel, ...]
    label: str = ""

    def __init__(self, *levels: AnyLevel, label: str = "") -> None:
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "label", label)

    @property
    def title(self) -> str:
        """The label, or a description of the condition."""
        word = " or " if isinstance(self, Or) else " and "
        return self.label or word.join(level.title for level in self.levels)

    def __or__(self, other: AnyLevel) -> Or:
        return Or(self, other)

    def __and__(self, other: AnyLevel) -> And:
        return And(self, other)


class Or(Compound):
    """A level that holds where one of several levels holds."""


class And(Compound):
    """A level that holds where all of several levels hold."""


AnyLevel = Level | Compound


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _check_name(name: str, known: Mapping[str, Any], noun: str) -> None:
    if name not in known:
        choices = ", ".join(sorted(filter(None, known)))
        raise InputError(f"there is no {noun} {name!r}; use one of {choices}")


def conditions_of(level: AnyLevel) -> Iterator[Level]:
    """The single conditions of a level."""
    if isinstance(level, Level):
        yield level
    else:
        for part in level.levels:
            yield from conditions_of(part)


def _holds(level: AnyLevel, scores: Mapping[Key, NDArray[Any]]) -> Mask:
    """The pairs at which a level holds."""
    if isinstance(level, Level):
        score = scores[level.function, level.form]
        if isinstance(level.threshold, float):
            # a Python number takes the type of the scores, so 0.7 equals 0.7 in 32 bits
            return score >= level.threshold if level.rises else score <= level.threshold
        low, high = level.threshold
        return np.asarray((score >= low) & (score <= high))
    combine = np.logical_or if isinstance(level, Or) else np.logical_and
    return np.asarray(combine.reduce([_holds(part, scores) for part in level.levels]))


class ValueLevels(NamedTuple):
    """How pairs of the distinct values of a column are compared."""

    find: Callable[[Ints, Ints], Levels]
    """Levels of pairs of different values, given by their numbers."""
    canonical: Ints | None = None
    """A number for each value, the same for two spellings of one value; without it different
    values are never level 0."""


def prepare_levels(
    levels: Sequence[AnyLevel], exact_form: str, values: Sequence[str]
) -> ValueLevels:
    """Compile levels into a function of value pairs.

    Level 0 is the same exact form, 1 to n are `levels`, n + 1 is no agreement.
    """
    scorers = _prepare_scores(levels, values)
    canonical = _canonical_of(exact_form, values) if exact_form else None

    def find(left: Ints, right: Ints) -> Levels:
        scores = {key: score(left, right) for key, score in scorers.items()}
        level = np.full(len(left), len(levels) + 1, np.int8)
        for k in range(len(levels), 0, -1):
            level[_holds(levels[k - 1], scores)] = k
        if canonical is not None:
            level[canonical[left] == canonical[right]] = 0
        return level

    return ValueLevels(find, canonical)


def _canonical_of(form: str, values: Sequence[str]) -> Ints:
    """Equal numbers for values with the same form; an empty form is like no other."""
    number: dict[str, int] = {}
    codes = [
        number.setdefault(text, len(number)) if text else -1 - k
        for k, text in enumerate(form_of(form, values))
    ]
    return np.array(codes, np.int64)


def _prepare_scores(levels: Sequence[AnyLevel], values: Sequence[str]) -> dict[Key, Score]:
    """One scorer for each function and form, with the loosest threshold in use."""
    loosest: dict[Key, float] = {}
    for level in levels:
        for part in conditions_of(level):
            key, limit = (part.function, part.form), part.limits[0 if part.rises else 1]
            pick = min if part.rises else max
            loosest[key] = pick(loosest.get(key, limit), limit)
    forms = {form: form_of(form, values) for _, form in loosest}
    return {
        key: FUNCTIONS[key[0]].prepare(forms[key[1]], limit)
        if isinstance(key[0], str)
        else score_in_python(key[0], forms[key[1]])
        for key, limit in loosest.items()
    }
