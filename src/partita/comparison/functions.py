"""Comparison functions: similarities and distances of value pairs, in bulk, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.codes import codes_of, compare_codes
from partita.comparison.dates import date_levels, dates_of, days_of
from partita.comparison.forms import items_of, number_of
from partita.comparison.geography import coordinates_of, distance_km
from partita.comparison.names import align_names, words_of
from partita.comparison.strings import Strings, bags_of_grams, bags_of_words, cosine, overlap
from partita.kernel import Floats, Ints

__all__ = ["FUNCTIONS", "Function", "Score"]

Score = Callable[[Ints, Ints], NDArray[Any]]
"""Scores of pairs of distinct values, given by their numbers."""

SHORT_LENGTH = 3
"""Letters of the longest string in which Jaro compares a letter only with the same place."""
ONE_EDIT_OF_SHORT = 8 / 9
"""Jaro similarity of one edit in three letters if Jaro looked one place to each side."""


class Function(NamedTuple):
    """A comparison function by name."""

    prepare: Callable[[Sequence[str], float], Score]
    """From distinct values and the loosest threshold in use to scores of pairs."""
    label: str
    higher_is_more_similar: bool = True
    unit: str = ""


def _exact(values: Sequence[str], loosest: float) -> Score:
    number: dict[str, int] = {}
    code = np.array([number.setdefault(value, len(number)) for value in values], np.int64)
    empty = np.fromiter((not value for value in values), bool, len(values))
    return lambda left, right: (code[left] == code[right]) & ~empty[left]


def _length(values: Sequence[str], loosest: float) -> Score:
    length = np.fromiter(map(len, values), np.int64, len(values))
    return lambda left, right: np.maximum(length[left], length[right])


def _jaro_winkler(values: Sequence[str], loosest: float) -> Score:
    text = Strings(values)
    return lambda left, right: text.jaro_winkler(left, right, loosest)


def _jaro_winkler_short(values: Sequence[str], loosest: float) -> Score:
    """Jaro-Winkler that tolerates one edit of strings with three letters.

    Jaro compares a letter only with the same place where strings have three letters at most.
    """
    text = Strings(values)

    def score(left: Ints, right: Ints) -> NDArray[np.float32]:
        similarity = text.jaro_winkler(left, right, loosest)
        longer = np.maximum(text.length[left], text.length[right])
        shorter = np.minimum(text.length[left], text.length[right])
        short = np.flatnonzero((longer == SHORT_LENGTH) & (shorter > 1) & (similarity < loosest))
        similarity[short[text.edits(left[short], right[short], 1) <= 1]] = ONE_EDIT_OF_SHORT
        return similarity

    return score


def _jaro(values: Sequence[str], loosest: float) -> Score:
    text = Strings(values)
    return lambda left, right: text.jaro(left, right, loosest)


def _levenshtein(values: Sequence[str], loosest: float) -> Score:
    text = Strings(values)
    return lambda left, right: text.levenshtein(left, right, int(loosest))


def _damerau_levenshtein(values: Sequence[str], loosest: float) -> Score:
    text = Strings(values)
    return lambda left, right: text.edits(left, right, int(loosest))


def _jaccard(values: Sequence[str], loosest: float) -> Score:
    letters = bags_of_words([list(value) for value in values], weighted=False)
    return lambda left, right: overlap(letters, left, right).of_union


def _cosine_ngrams(values: Sequence[str], loosest: float) -> Score:
    grams = bags_of_grams(values)
    return lambda left, right: cosine(grams, left, right)


def _cosine_words(values: Sequence[str], loosest: float) -> Score:
    words = bags_of_words([value.split() for value in values])
    return lambda left, right: cosine(words, left, right)


def _item_overlap(values: Sequence[str], loosest: float) -> Score:
    items = bags_of_words([items_of(value) for value in values])
    return lambda left, right: overlap(items, left, right).of_union


def _item_containment(values: Sequence[str], loosest: float) -> Score:
    items = bags_of_words([items_of(value) for value in values])
    return lambda left, right: overlap(items, left, right).of_smaller


def _common_items(values: Sequence[str], loosest: float) -> Score:
    items = bags_of_words([items_of(value.lower()) for value in values], weighted=False)
    return lambda left, right: np.rint(overlap(items, left, right).common)


def _given_names(values: Sequence[str], loosest: float) -> Score:
    words = words_of(values, nicknames=True)
    return lambda left, right: align_names(words, left, right)


def _names(values: Sequence[str], loosest: float) -> Score:
    words = words_of(values, nicknames=False)
    return lambda left, right: align_names(words, left, right)


def _codes(values: Sequence[str], loosest: float) -> Score:
    codes = codes_of(values)
    return lambda left, right: compare_codes(codes, left, right)


def _numbers(values: Sequence[str]) -> Floats:
    return np.fromiter(map(number_of, values), np.float64, len(values))


def _difference(values: Sequence[str], loosest: float) -> Score:
    number = _numbers(values)
    return lambda left, right: np.abs(number[left] - number[right])


def _relative_difference(values: Sequence[str], loosest: float) -> Score:
    number = _numbers(values)

    def score(left: Ints, right: Ints) -> Floats:
        first, second = number[left], number[right]
        largest = np.maximum(np.abs(first), np.abs(second))
        return np.asarray(np.abs(first - second) / np.maximum(largest, 1e-300))

    return score


def _date_levels(values: Sequence[str], loosest: float) -> Score:
    dates = dates_of(values)
    return lambda left, right: date_levels(dates, left, right)


def _days(values: Sequence[str], loosest: float) -> Score:
    day = days_of(dates_of(values))
    return lambda left, right: np.abs(day[left] - day[right])


def _kilometres(values: Sequence[str], loosest: float) -> Score:
    points = coordinates_of(values)
    return lambda left, right: distance_km(points, left, right)


FUNCTIONS: dict[str, Function] = {
    "exact": Function(_exact, "same"),
    "length": Function(_length, "length"),
    "jaro_winkler": Function(_jaro_winkler, "Jaro-Winkler"),
    "jaro_winkler_short": Function(_jaro_winkler_short, "Jaro-Winkler"),
    "jaro": Function(_jaro, "Jaro"),
    "levenshtein": Function(_levenshtein, "Levenshtein distance", False),
    "damerau_levenshtein": Function(_damerau_levenshtein, "Damerau-Levenshtein distance", False),
    "jaccard": Function(_jaccard, "Jaccard of letters"),
    "cosine_ngrams": Function(_cosine_ngrams, "cosine of 3-grams"),
    "cosine_words": Function(_cosine_words, "cosine of words"),
    "item_overlap": Function(_item_overlap, "weighted overlap of items"),
    "item_containment": Function(_item_containment, "weighted containment of items"),
    "common_items": Function(_common_items, "common items"),
    "given_names": Function(_given_names, "agreement of words"),
    "names": Function(_names, "agreement of words"),
    "codes": Function(_codes, "agreement of codes"),
    "difference": Function(_difference, "difference", False),
    "relative_difference": Function(_relative_difference, "relative difference", False),
    "date_levels": Function(_date_levels, "date error", False),
    "days": Function(_days, "date difference", False, "days"),
    "kilometres": Function(_kilometres, "distance", False, "km"),
}
"""Built-in comparison functions by name."""
