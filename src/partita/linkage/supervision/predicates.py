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


KEYS = {field.name: field for field in fields(PredicateSettings)}
NUMBERS = ("at_least", "below")
"""Settings with a single number."""
TEXTS = ("column", "quantifier", "over", "comparison", "split", "each")
"""Settings with text."""


def read_predicates(entries: Any) -> tuple[PredicateSettings, ...]:
    """Read and check the entries of [[predicates]].

    >>> entry = {"column": "title", "quantifier": "some", "comparison": "cosine", "below": 0.3}
    >>> read_predicates([entry])[0].below
    0.3
    """
    if not isinstance(entries, list | tuple):
        raise InputError(f"predicates is {shown(entries)}; write [[predicates]] above each of them")
    return tuple(_read(entry, f"predicate {at}") for at, entry in enumerate(entries, 1))


def _read(entry: Any, title: str) -> PredicateSettings:
    if isinstance(entry, PredicateSettings):
        return _check_settings(entry, title)
    if not isinstance(entry, Mapping):
        raise InputError(f"{title} is {shown(entry)}; write [[predicates]] above its settings")
    for key in entry:
        if key not in KEYS:
            raise InputError(f"{title} has a setting {key!r}{_suggest(str(key), list(KEYS))}")
    for key in ("column", "quantifier"):
        if key not in entry:
            raise InputError(f"{title} has no {key}; give one")
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key in TEXTS and not isinstance(value, str):
            raise InputError(f"{title}: {key} is {shown(value)}; give text")
        values[key] = value if key in TEXTS else _numbers(value, key, f"{title}: {key}")
    return _check_settings(PredicateSettings(**values), title)


def _numbers(value: Any, key: str, title: str) -> Any:
    """A number, or a tuple where the setting allows several."""
    if isinstance(value, list | tuple) and key not in NUMBERS:
        return tuple(_numbers(item, "at_least", title) for item in value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or key == "cuts":
        raise InputError(f"{title} is {shown(value)}; give {'a list' if key == 'cuts' else 'one'}")
    return float(value)


def _suggest(value: str, names: Sequence[str]) -> str:
    matches = difflib.get_close_matches(value.lower(), names, 1)
    return f"; do you mean {matches[0]!r}?" if matches else f"; there are {', '.join(names)}"


def _check_settings(settings: PredicateSettings, title: str) -> PredicateSettings:
    """Return the settings; raise an InputError for an invalid value."""
    for key, choices in (("quantifier", KINDS), ("over", OVER)):
        if getattr(settings, key) not in choices:
            value = getattr(settings, key)
            raise InputError(f"{title}: there is no {key} {value!r}{_suggest(value, choices)}")
    if settings.over == "pairs":
        if settings.comparison is None:
            names = ", ".join(COMPARISONS)
            raise InputError(f"{title} has no comparison; give one of {names}, or over = 'values'")
        if settings.comparison not in COMPARISONS:
            hint = _suggest(settings.comparison, list(COMPARISONS))
            raise InputError(f"{title}: there is no comparison {settings.comparison!r}{hint}")
        if settings.split is not None:
            raise InputError(
                f"{title}: split is for values; write over = 'values', or leave it out"
            )
    elif settings.comparison is not None:
        raise InputError(
            f"{title}: values are not compared; leave comparison out, or over = 'pairs'"
        )
    if settings.split is not None and settings.split not in SPLITS:
        raise InputError(f"{title}: split is {settings.split!r}; give {' or '.join(SPLITS)}")
    # building the predicate on two records checks conditions, cuts and weights
    try:
        aggregates(_predicate(settings, _trial_subject(settings)))
    except InputError as error:
        raise InputError(f"{title}: {error}") from None
    return settings


def _trial_subject(settings: PredicateSettings) -> Pairs | Values:
    if settings.over == "pairs":
        values = np.zeros((2, 2), bool if settings.comparison in TRUTHS else float)
        return over_pairs(settings.column, values)
    return over_values(settings.column, ["a", "b"] if _has_words(settings) else [0.0, 1.0])


def _has_words(settings: PredicateSettings) -> bool:
    """Whether the values are words."""
    return settings.quantifier == "distinct" or settings.split is not None


def _predicate(settings: PredicateSettings, over: Pairs | Values) -> Predicate:
    return predicate(
        over,
        settings.quantifier,
        at_least=settings.at_least,
        below=settings.below,
        cuts=settings.cuts,
        each=settings.each,
        weight=settings.weight,
    )


def check_predicates(predicates: Sequence[PredicateSettings], columns: Iterable[str]) -> None:
    """Raise if a predicate names a column that is missing or ignored."""
    names = sorted(columns)
    for settings in predicates:
        if settings.column not in names:
            raise InputError(
                f"a predicate names the column {settings.column!r}, which the data does not have"
                f"{_suggest(settings.column, names)}"
            )


def predicate_templates(
    predicates: Sequence[PredicateSettings],
    columns: Mapping[str, ColumnLike],
    pairs: Ints,
    rows: Ints | None = None,
) -> list[Template]:
    """Templates of the predicates on the records `rows`.

    Parameters
    ----------
    columns
        The columns of all records, by name.
    pairs
        The candidate pairs, as positions in `rows`; predicates over pairs quantify over them.
    rows
        The records of the model; by default all.
    """
    check_predicates(predicates, columns)
    subjects: dict[Any, Pairs | Values] = {}
    built = []
    for settings in predicates:
        key = (
            settings.over,
            settings.column,
            settings.comparison,
            settings.split,
            _has_words(settings),
        )
        if key not in subjects:
            column = columns[settings.column]
            codes = np.asarray(column.codes, np.int64)
            row_codes = codes if rows is None else codes[rows]
            subjects[key] = (
                _pairs_of(settings, column, row_codes, pairs)
                if settings.over == "pairs"
                else _values_of(settings, column, row_codes)
            )
        built.append(_predicate(settings, subjects[key]))
    return aggregates(*built) if built else []


def _strings(column: ColumnLike) -> list[str]:
    values = column.values
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)


def _pairs_of(settings: PredicateSettings, column: ColumnLike, codes: Ints, pairs: Ints) -> Pairs:
    """Compare the candidate pairs; each distinct pair of values is compared once."""
    assert settings.comparison is not None
    left, right = codes[pairs[:, 0]], codes[pairs[:, 1]]
    present = (left >= 0) & (right >= 0)
    low, high = np.minimum(left, right)[present], np.maximum(left, right)[present]
    strings = _strings(column)
    key, place = np.unique(low * max(1, len(strings)) + high, return_inverse=True)
    a, b = key // max(1, len(strings)), key % max(1, len(strings))
    differs = a != b
    similarity: Floats = np.ones(key.size)
    similarity[differs] = COMPARISONS[settings.comparison](strings)(a[differs], b[differs])
    values = np.full(len(pairs), np.nan)
    values[present] = similarity[place.reshape(-1)]
    name = f"{settings.column} {settings.comparison}"
    subject = over_pairs(name, values, pairs=pairs, n=codes.size)
    return Pairs(name, subject.n, subject.data, subject.compare, settings.comparison in TRUTHS)


def _values_of(settings: PredicateSettings, column: ColumnLike, codes: Ints) -> Values:
    strings = [*_strings(column), ""]
    if settings.split is not None:
        parts = [_parts(text, settings.split) for text in strings]
        return over_values(f"{settings.column} {settings.split}", [parts[code] for code in codes])
    if _has_words(settings):
        return over_values(settings.column, texts(strings)[codes])
    numbers = np.array([_number(text) for text in strings])
    return over_values(f"{settings.column} as a number", numbers[codes])


def _parts(text: str, split: str) -> list[str]:
    if split == "words":
        return text.split()
    mark = ";" if ";" in text else ","
    return [item.strip() for item in text.split(mark) if item.strip()]


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return np.nan
    return number if np.isfinite(number) else np.nan


def _equal(strings: Sequence[str]) -> Likeness:
    return lambda left, right: np.zeros(left.size)


def _compatible(strings: Sequence[str]) -> Likeness:
    words = words_of(strings, nicknames=True)
    return lambda left, right: align_names(words, left, right) != NO_AGREEMENT


def _winkler(strings: Sequence[str]) -> Likeness:
    text = Strings(strings)
    return lambda left, right: text.jaro_winkler(left, right, 0.0)


def _edits(strings: Sequence[str]) -> Likeness:
    """One minus the edit distance divided by the longer length."""
    text = Strings(strings)
    longest_text = int(text.length.max(initial=1))

    def compare(left: Ints, right: Ints) -> NDArray[Any]:
        longest = np.maximum(np.maximum(text.length[left], text.length[right]), 1)
        return 1.0 - np.minimum(text.edits(left, right, longest_text), longest) / longest

    return compare


def _cosine(strings: Sequence[str]) -> Likeness:
    bags = bags_of_grams(strings)
    return lambda left, right: np.clip(cosine(bags, left, right), 0.0, 1.0)


def _words(strings: Sequence[str]) -> Likeness:
    bags = bags_of_words([string.split() for string in strings])
    return lambda left, right: np.clip(cosine(bags, left, right), 0.0, 1.0)


COMPARISONS: dict[str, Callable[[Sequence[str]], Likeness]] = {
    "equal": _equal,
    "compatible": _compatible,
    "jaro_winkler": _winkler,
    "edits": _edits,
    "cosine": _cosine,
    "words": _words,
}
"""From distinct values to the similarity of two of them; equal values have similarity 1."""
TRUTHS = ("equal", "compatible")
"""Comparisons with a yes-or-no result, which need no condition."""


def predicate_lines(predicates: Sequence[PredicateSettings]) -> list[str]:
    """The lines of partita.toml for the predicates."""
    lines: list[str] = []
    for settings in predicates:
        lines += ["", "[[predicates]]"]
        for name, field in KEYS.items():
            value = getattr(settings, name)
            if value != field.default:
                plain = list(value) if isinstance(value, tuple) else value
                lines.append(f"{name} = {json.dumps(plain, ensure_ascii=False)}")
    return lines
