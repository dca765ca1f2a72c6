"""One comparer for each kind of column: the names of its levels and how they are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.dates import DATE_LEVELS, date_levels, dates_of
from partita.comparison.names import APART, INITIALS, NICKNAMES, REORDERED, aligned, words_of
from partita.comparison.strings import (
    Strings,
    bags_of_grams,
    bags_of_words,
    cosine,
    overlap,
)
from partita.kernel import Ints

__all__ = ["COMPARERS", "Comparer", "Grader", "Levels"]

Levels = NDArray[np.int8]

WINKLER = (0.94, 0.88, 0.80, 0.70)
SHORT = 3
"""Letters of the longest string of which Jaro compares no neighbours."""
SIGNS, OTHERS = re.compile(r"[\W_]"), re.compile(r"\D")
"""What is neither letter nor digit, and what is no digit."""
COSINES = (0.9, 0.75, 0.6, 0.45, 0.3, 0.15)


class Grader(NamedTuple):
    """How pairs of the distinct values of a column are graded."""

    grade: Callable[[Ints, Ints], Levels]
    """Levels of pairs of different values, given by their numbers."""
    meaning: Ints | None = None
    """A number for each value, equal for values that are equal though spelt differently; without
    it different values are never level 0."""


class Comparer(NamedTuple):
    """The names of the levels, and what turns distinct values into a grade of pairs."""

    names: tuple[str, ...]
    prepare: Callable[[Sequence[str]], Grader]


def _meaning(values: Iterable[Hashable]) -> Ints:
    """Equal numbers for equal values."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], np.int64)


def _steps(similarity: NDArray[np.floating], cuts: Sequence[float]) -> Ints:
    """1 at or above the first cut, 2 at or above the second, and so on."""
    falling = -np.asarray(cuts, similarity.dtype)
    return np.searchsorted(falling, -similarity, side="left") + 1


def _first(*steps: NDArray[np.bool_]) -> Levels:
    """1 where the first condition holds, 2 where the second is the first to hold, and so on."""
    found = np.full(len(steps[0]), len(steps) + 1, np.int8)
    for level in range(len(steps), 0, -1):
        found[steps[level - 1]] = level
    return found


def _winkler(text: Strings, left: Ints, right: Ints) -> NDArray[np.float32]:
    """Jaro-Winkler similarity, from the last level on.

    Jaro looks for a letter only in its own place where strings have three letters at most. With a
    place to each side, as longer ones have it, one edit of such strings makes 8/9.
    """
    alike = text.jaro_winkler(left, right, WINKLER[-1])
    longer = np.maximum(text.length[left], text.length[right])
    shorter = np.minimum(text.length[left], text.length[right])
    short = np.flatnonzero((longer == SHORT) & (shorter > 1) & (alike < WINKLER[-1]))
    alike[short[text.edits(left[short], right[short], 1) <= 1]] = 8 / 9
    return alike


def _category(values: Sequence[str]) -> Grader:
    text = Strings(values)

    def grade(left: Ints, right: Ints) -> Levels:
        return _steps(_winkler(text, left, right), WINKLER).astype(np.int8)

    return Grader(grade)


def _given_name(values: Sequence[str]) -> Grader:
    text, words = Strings(values), words_of(values, nicknames=True)

    def grade(left: Ints, right: Ints) -> Levels:
        alike = _winkler(text, left, right)
        how = aligned(words, left, right)
        return _first(
            (alike >= WINKLER[0]) | (how == REORDERED),
            how == NICKNAMES,
            alike >= WINKLER[1],
            how == INITIALS,
            alike >= WINKLER[2],
            alike >= WINKLER[3],
        )

    return Grader(grade)


def _surname(values: Sequence[str]) -> Grader:
    text, words = Strings(values), words_of(values, nicknames=False)

    def grade(left: Ints, right: Ints) -> Levels:
        alike = _winkler(text, left, right)
        how = aligned(words, left, right)
        return _first(
            (alike >= WINKLER[0]) | (how == REORDERED),
            alike >= WINKLER[1],
            how == INITIALS,
            alike >= WINKLER[2],
            alike >= WINKLER[3],
        )

    return Grader(grade)


def _full_name(values: Sequence[str]) -> Grader:
    bags, words = bags_of_grams(values), words_of(values, nicknames=True)

    def grade(left: Ints, right: Ints) -> Levels:
        alike, how = cosine(bags, left, right), aligned(words, left, right)
        return _first(
            (alike >= COSINES[0]) | (how == REORDERED),
            alike >= COSINES[1],
            how != APART,
            *(alike >= cut for cut in COSINES[2:]),
        )

    return Grader(grade)


def _text(values: Sequence[str]) -> Grader:
    grams, words = bags_of_grams(values), bags_of_words([value.split() for value in values])

    def grade(left: Ints, right: Ints) -> Levels:
        # 3-grams bear typos, whole words bear texts of which one has more to say
        alike = np.maximum(cosine(grams, left, right), cosine(words, left, right))
        return _steps(alike, COSINES).astype(np.int8)

    return Grader(grade)


def _items(value: str) -> list[str]:
    """The items of a list: what stands between ; | or commas, and words where there are none."""
    for mark in ";|,":
        if mark in value:
            return [" ".join(item.split()) for item in value.split(mark) if item.strip()]
    return value.split()


def _list(values: Sequence[str]) -> Grader:
    items, grams = bags_of_words([_items(value) for value in values]), bags_of_grams(values)

    def grade(left: Ints, right: Ints) -> Levels:
        shared, within = overlap(items, left, right)
        # items may be misspelt, and authors come with and without their first names
        alike = np.maximum(shared, cosine(grams, left, right))
        return _first(
            shared >= 0.999,
            alike >= 0.75,
            alike >= 0.5,
            within >= 0.999,
            alike >= 0.25,
            alike >= 0.1,
            shared > 0.0,
        )

    return Grader(grade)


def _typos(text: Strings, left: Ints, right: Ints) -> tuple[NDArray[np.bool_], ...]:
    """Whether a pair is equal, one edit apart or two, where that is not most of the code."""
    apart = text.edits(left, right, 2)
    longest = np.maximum(text.length[left], text.length[right])
    return apart == 0, (apart <= 1) & (longest >= 2), (apart <= 2) & (longest >= 4)


def _code(values: Sequence[str]) -> Grader:
    text = Strings(values)
    return Grader(lambda left, right: _first(*_typos(text, left, right)[1:]))


def _area(value: str) -> str:
    """The first word of a postcode, or its first three letters where it is one word."""
    words = value.split()
    return words[0] if len(words) > 1 else value[:3]


def _postcode(values: Sequence[str]) -> Grader:
    plain = [SIGNS.sub("", value) for value in values]
    text = Strings(plain)
    area = _meaning(_area(value) for value in values)

    def grade(left: Ints, right: Ints) -> Levels:
        equal, *typos = _typos(text, left, right)
        found = np.where(
            equal & (text.length[left] > 0), 0, _first(*typos, area[left] == area[right])
        )
        return found.astype(np.int8)

    return Grader(grade, _meaning(plain))


def _phone(values: Sequence[str]) -> Grader:
    digits = [OTHERS.sub("", value) for value in values]
    text = Strings(digits)
    tail = _meaning(one[-7:] if len(one) >= 7 else f"{k} {one}" for k, one in enumerate(digits))

    def grade(left: Ints, right: Ints) -> Levels:
        equal, *typos = _typos(text, left, right)
        same = tail[left] == tail[right]
        found = np.where(equal & (text.length[left] > 0), 0, _first(same, *typos))
        return found.astype(np.int8)

    return Grader(grade, _meaning(digits))


def _local_part(value: str) -> str:
    """What stands before the @; without one, what stands before the last two words."""
    if "@" in value:
        return value.split("@")[0]
    words = value.split()
    return " ".join(words[:-2]) if len(words) > 2 else value


def _email(values: Sequence[str]) -> Grader:
    parts = [_local_part(value) for value in values]
    text, local, names = Strings(values), Strings(parts), _meaning(parts)

    def grade(left: Ints, right: Ints) -> Levels:
        typos = _typos(text, left, right)[1:]
        alike = local.jaro_winkler(left, right, WINKLER[-1])
        same = names[left] == names[right]
        return _first(typos[0], same, typos[1], *(alike >= cut for cut in WINKLER))

    return Grader(grade)


def _value(text: str) -> float:
    """A number as it came, or with the point and the commas that cleaning turned into blanks."""
    try:
        return float(text)
    except ValueError:
        parts = text.split()
    if not parts or not all(part.isdecimal() for part in parts):
        return np.nan
    if len(parts) > 2 or (len(parts) == 2 and len(parts[1]) == 3 and len(parts[0]) <= 3):
        return float("".join(parts))
    return float(".".join(parts))


def _number(values: Sequence[str]) -> Grader:
    number = np.fromiter((_value(value) for value in values), np.float64, len(values))

    def grade(left: Ints, right: Ints) -> Levels:
        one, other = number[left], number[right]
        largest = np.maximum(np.abs(one), np.abs(other))
        apart = np.abs(one - other) / np.maximum(largest, 1e-300)
        graded = _first(apart <= 0.02, apart <= 0.1, apart <= 0.3)
        return np.where(one == other, 0, graded).astype(np.int8)

    return Grader(grade, _meaning(number.tolist()))


def _dates(values: Sequence[str]) -> Grader:
    dates = dates_of(values)
    meaning = _meaning(dates.digits.text.tolist())
    return Grader(lambda left, right: date_levels(dates, left, right), meaning)


def _at_least(name: str, cuts: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{name} at least {cut:.2f}" for cut in cuts)


_JARO = _at_least("Jaro-Winkler", WINKLER)
_GRAMS = _at_least("cosine of 3-grams", COSINES)
_OTHER = " or the same words in another order"
_PART = "initials, or one is part of the other"
_TYPO = ("one letter or digit wrong, or two neighbours swapped", "two wrong")

_TEXT = Comparer(
    ("equal", *_at_least("cosine of 3-grams or words", COSINES), "different"),
    _text,
)
COMPARERS: dict[str, Comparer] = {
    "category": Comparer(("equal", *_JARO, "different"), _category),
    "given name": Comparer(
        ("equal", _JARO[0] + _OTHER, "nickname", _JARO[1], _PART, *_JARO[2:], "different"),
        _given_name,
    ),
    "surname": Comparer(
        ("equal", _JARO[0] + _OTHER, _JARO[1], _PART, *_JARO[2:], "different"), _surname
    ),
    "full name": Comparer(
        (
            *("equal", _GRAMS[0] + _OTHER, _GRAMS[1]),
            *("initials, nicknames or parts left out", *_GRAMS[2:], "different"),
        ),
        _full_name,
    ),
    "address": _TEXT,
    "long text": _TEXT,
    "list": Comparer(
        (
            *("equal", "same items", "3/4 of items or 3-grams alike", "1/2 alike"),
            *("one is part of the other", "1/4 alike", "1/10 alike", "an item in common"),
            "nothing in common",
        ),
        _list,
    ),
    "code": Comparer(("equal", *_TYPO, "different"), _code),
    "postcode": Comparer(("equal", *_TYPO, "same area", "different"), _postcode),
    "phone": Comparer(("equal", "same last seven digits", *_TYPO, "different"), _phone),
    "email": Comparer(
        ("equal", _TYPO[0], "same before the @", _TYPO[1], *_JARO, "different"), _email
    ),
    "date": Comparer(DATE_LEVELS, _dates),
    "number": Comparer(("equal", "within 2 %", "within 10 %", "within 30 %", "different"), _number),
}
