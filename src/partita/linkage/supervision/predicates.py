"""Predicates over whole entities: their settings in partita.toml, and their templates.

    [[predicates]]
    over = "pairs"
    column = "title"
    comparison = "cosine"
    quantifier = "some"
    below = 0.3
    weight = -2.0

subtracts two nats from the score of an entity with a pair of titles whose cosine is below 0.3.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import ColumnLike
from partita.comparison.names import NO_AGREEMENT, align_names, words_of
from partita.comparison.strings import Strings, bags_of_grams, bags_of_words, cosine, texts
from partita.errors import InputError
from partita.factors import Template, aggregates, over_pairs, over_values
from partita.factors.predicates.core import Predicate, predicate
from partita.factors.predicates.rules import KINDS
from partita.factors.predicates.subjects import Pairs, Values
from partita.kernel import Floats, Ints
from partita.states.checks import shown

__all__ = [
    "COMPARISONS",
    "PredicateSettings",
    "check_predicates",
    "predicate_lines",
    "predicate_templates",
    "read_predicates",
]

OVER = ("pairs", "values")
SPLITS = ("words", "items")
Likeness = Callable[[Ints, Ints], NDArray[Any]]


@dataclass(frozen=True)
class PredicateSettings:
    """One entry of [[predicates]]."""

    column: str
    """The column of the predicate."""
    quantifier: str
    """One of every, some, count, fraction, lowest, highest, average and distinct."""
    over: str = "pairs"
    """"pairs" of records of an entity, by a comparison, or "values" of its records."""
    comparison: str | None = None
    """For pairs: equal, compatible (names), jaro_winkler, edits, cosine or words, from 0 to 1."""
    at_least: float | None = None
    """Lower limit of the condition (inclusive)."""
    below: float | None = None
    """Upper limit of the condition (exclusive)."""
    cuts: tuple[float, ...] = ()
    """Limits between intervals; each interval is a feature."""
    split: str | None = None
    """For values: a cell holds several "words", or "items" separated by semicolons or commas."""
    each: str = "entity"
    """Count the predicate once for an "entity", or for each "member" except the first."""
    weight: float | tuple[float, ...] = 0.0
    """Weight in nats; with cuts, one for all intervals or one for each."""


KEYS = {one.name: one for one in fields(PredicateSettings)}
NUMBERS = ("at_least", "below")
TEXTS = ("column", "quantifier", "over", "comparison", "split", "each")


def read_predicates(given: Any) -> tuple[PredicateSettings, ...]:
    """The entries of [[predicates]], checked.

    >>> asked = {"column": "title", "quantifier": "some", "comparison": "cosine", "below": 0.3}
    >>> read_predicates([asked])[0].below
    0.3
    """
    if not isinstance(given, list | tuple):
        raise InputError(f"predicates is {shown(given)}; write [[predicates]] above each of them")
    return tuple(_read(one, f"predicate {at}") for at, one in enumerate(given, 1))


def _read(given: Any, title: str) -> PredicateSettings:
    if isinstance(given, PredicateSettings):
        return _checked(given, title)
    if not isinstance(given, Mapping):
        raise InputError(f"{title} is {shown(given)}; write [[predicates]] above its settings")
    for key in given:
        if key not in KEYS:
            raise InputError(f"{title} has a setting {key!r}{_near(str(key), list(KEYS))}")
    for key in ("column", "quantifier"):
        if key not in given:
            raise InputError(f"{title} has no {key}; give one")
    made: dict[str, Any] = {}
    for key, value in given.items():
        if key in TEXTS and not isinstance(value, str):
            raise InputError(f"{title}: {key} is {shown(value)}; give text")
        made[key] = value if key in TEXTS else _numbers(value, key, f"{title}: {key}")
    return _checked(PredicateSettings(**made), title)


def _numbers(value: Any, key: str, title: str) -> Any:
    """A number, or a tuple where the setting allows several."""
    if isinstance(value, list | tuple) and key not in NUMBERS:
        return tuple(_numbers(one, "at_least", title) for one in value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or key == "cuts":
        raise InputError(f"{title} is {shown(value)}; give {'a list' if key == 'cuts' else 'one'}")
    return float(value)


def _near(value: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(value.lower(), known, 1)
    return f"; do you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _checked(asked: PredicateSettings, title: str) -> PredicateSettings:
    """The settings; an InputError for a value that the predicate cannot have."""
    for key, known in (("quantifier", KINDS), ("over", OVER)):
        if getattr(asked, key) not in known:
            value = getattr(asked, key)
            raise InputError(f"{title}: there is no {key} {value!r}{_near(value, known)}")
    if asked.over == "pairs":
        if asked.comparison is None:
            some = ", ".join(COMPARISONS)
            raise InputError(f"{title} has no comparison; give one of {some}, or over = 'values'")
        if asked.comparison not in COMPARISONS:
            hint = _near(asked.comparison, list(COMPARISONS))
            raise InputError(f"{title}: there is no comparison {asked.comparison!r}{hint}")
        if asked.split is not None:
            raise InputError(
                f"{title}: split is for values; write over = 'values', or leave it out"
            )
    elif asked.comparison is not None:
        raise InputError(
            f"{title}: values are not compared; leave comparison out, or over = 'pairs'"
        )
    if asked.split is not None and asked.split not in SPLITS:
        raise InputError(f"{title}: split is {asked.split!r}; give {' or '.join(SPLITS)}")
    # building the predicate on two records checks conditions, cuts and weights
    try:
        aggregates(_predicate(asked, _trial(asked)))
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return asked


def _trial(asked: PredicateSettings) -> Pairs | Values:
    if asked.over == "pairs":
        values = np.zeros((2, 2), bool if asked.comparison in TRUTHS else float)
        return over_pairs(asked.column, values)
    return over_values(asked.column, ["a", "b"] if _wordy(asked) else [0.0, 1.0])


def _wordy(asked: PredicateSettings) -> bool:
    """Whether the values are words."""
    return asked.quantifier == "distinct" or asked.split is not None


def _predicate(asked: PredicateSettings, over: Pairs | Values) -> Predicate:
    return predicate(
        over,
        asked.quantifier,
        at_least=asked.at_least,
        below=asked.below,
        cuts=asked.cuts,
        each=asked.each,
        weight=asked.weight,
    )


def check_predicates(asked: Sequence[PredicateSettings], columns: Iterable[str]) -> None:
    """Raise if a predicate names a column that is missing or ignored."""
    there = sorted(columns)
    for one in asked:
        if one.column not in there:
            raise InputError(
                f"a predicate names the column {one.column!r}, which the data does not have"
                f"{_near(one.column, there)}"
            )


def predicate_templates(
    asked: Sequence[PredicateSettings],
    columns: Mapping[str, ColumnLike],
    pairs: Ints,
    rows: Ints | None = None,
) -> list[Template]:
    """Templates of the predicates on some of the records.

    Parameters
    ----------
    columns
        The columns of all records, by name.
    pairs
        The candidate pairs, as positions in `rows`; predicates over pairs quantify over them.
    rows
        The records of the model; by default all.
    """
    check_predicates(asked, columns)
    subjects: dict[Any, Pairs | Values] = {}
    made = []
    for one in asked:
        key = (one.over, one.column, one.comparison, one.split, _wordy(one))
        if key not in subjects:
            column = columns[one.column]
            codes = np.asarray(column.codes, np.int64)
            own = codes if rows is None else codes[rows]
            subjects[key] = (
                _pairs_of(one, column, own, pairs)
                if one.over == "pairs"
                else _values_of(one, column, own)
            )
        made.append(_predicate(one, subjects[key]))
    return aggregates(*made) if made else []


def _strings(column: ColumnLike) -> list[str]:
    values = column.values
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)


def _pairs_of(asked: PredicateSettings, column: ColumnLike, codes: Ints, pairs: Ints) -> Pairs:
    """Compare the candidate pairs; each distinct pair of values is compared once."""
    assert asked.comparison is not None
    left, right = codes[pairs[:, 0]], codes[pairs[:, 1]]
    known = (left >= 0) & (right >= 0)
    low, high = np.minimum(left, right)[known], np.maximum(left, right)[known]
    strings = _strings(column)
    key, place = np.unique(low * max(1, len(strings)) + high, return_inverse=True)
    a, b = key // max(1, len(strings)), key % max(1, len(strings))
    apart = a != b
    alike: Floats = np.ones(key.size)
    alike[apart] = COMPARISONS[asked.comparison](strings)(a[apart], b[apart])
    values = np.full(len(pairs), np.nan)
    values[known] = alike[place.reshape(-1)]
    name = f"{asked.column} {asked.comparison}"
    made = over_pairs(name, values, pairs=pairs, n=codes.size)
    return Pairs(name, made.n, made.data, made.compare, asked.comparison in TRUTHS)


def _values_of(asked: PredicateSettings, column: ColumnLike, codes: Ints) -> Values:
    strings = [*_strings(column), ""]
    if asked.split is not None:
        parts = [_parts(text, asked.split) for text in strings]
        return over_values(f"{asked.column} {asked.split}", [parts[code] for code in codes])
    if _wordy(asked):
        return over_values(asked.column, texts(strings)[codes])
    numbers = np.array([_number(text) for text in strings])
    return over_values(f"{asked.column} as a number", numbers[codes])


def _parts(text: str, split: str) -> list[str]:
    if split == "words":
        return text.split()
    mark = ";" if ";" in text else ","
    return [item.strip() for item in text.split(mark) if item.strip()]


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        return np.nan
    return found if np.isfinite(found) else np.nan


def _equal(strings: Sequence[str]) -> Likeness:
    return lambda left, right: np.zeros(left.size)


def _compatible(strings: Sequence[str]) -> Likeness:
    words = words_of(strings, nicknames=True)
    return lambda left, right: align_names(words, left, right) != NO_AGREEMENT


def _winkler(strings: Sequence[str]) -> Likeness:
    text = Strings(strings)
    return lambda left, right: text.jaro_winkler(left, right, 0.0)


def _edited(strings: Sequence[str]) -> Likeness:
    """One minus the edit distance divided by the longer length."""
    text = Strings(strings)
    most = int(text.length.max(initial=1))

    def alike(left: Ints, right: Ints) -> NDArray[Any]:
        longest = np.maximum(np.maximum(text.length[left], text.length[right]), 1)
        return 1.0 - np.minimum(text.edits(left, right, most), longest) / longest

    return alike


def _cosine(strings: Sequence[str]) -> Likeness:
    bags = bags_of_grams(strings)
    return lambda left, right: np.clip(cosine(bags, left, right), 0.0, 1.0)


def _words(strings: Sequence[str]) -> Likeness:
    bags = bags_of_words([one.split() for one in strings])
    return lambda left, right: np.clip(cosine(bags, left, right), 0.0, 1.0)


COMPARISONS: dict[str, Callable[[Sequence[str]], Likeness]] = {
    "equal": _equal,
    "compatible": _compatible,
    "jaro_winkler": _winkler,
    "edits": _edited,
    "cosine": _cosine,
    "words": _words,
}
"""From distinct values to the similarity of two of them; equal values have similarity 1."""
TRUTHS = ("equal", "compatible")
"""Comparisons with a yes-or-no result, which need no condition."""


def predicate_lines(asked: Sequence[PredicateSettings]) -> list[str]:
    """The lines of partita.toml for the predicates."""
    lines: list[str] = []
    for one in asked:
        lines += ["", "[[predicates]]"]
        for name, known in KEYS.items():
            value = getattr(one, name)
            if value != known.default:
                plain = list(value) if isinstance(value, tuple) else value
                lines.append(f"{name} = {json.dumps(plain, ensure_ascii=False)}")
    return lines
