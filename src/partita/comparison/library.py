"""Comparisons by name; names and arguments are those of Splink where the meaning is the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from partita.comparison.comparison import AtThresholds, Comparison, level_from
from partita.comparison.levels import And, AnyLevel, Level
from partita.comparison.python_functions import PythonFunction
from partita.errors import InputError

__all__ = [
    "AbsoluteDateDifferenceAtThresholds",
    "AbsoluteDifferenceAtThresholds",
    "ArrayIntersectAtSizes",
    "CosineSimilarityAtThresholds",
    "CustomComparison",
    "DamerauLevenshteinAtThresholds",
    "DateOfBirthComparison",
    "DistanceFunctionAtThresholds",
    "DistanceInKMAtThresholds",
    "ExactMatch",
    "ForenameSurnameComparison",
    "JaccardAtThresholds",
    "JaroAtThresholds",
    "JaroWinklerAtThresholds",
    "LevenshteinAtThresholds",
    "NameComparison",
    "PercentageDifferenceAtThresholds",
    "PhoneticMatch",
]

DAYS = {"day": 1.0, "month": 365.25 / 12, "year": 365.25}
"""Days of each unit; means of the Julian calendar, as in Splink."""
SOUNDS = ("soundex", "metaphone")
TOKENS = ("ngrams", "words")


def _check_choice(value: str, choices: Sequence[str], noun: str) -> None:
    if value not in choices:
        raise InputError(f"{noun} is {value!r}; give one of {', '.join(choices)}")


@dataclass(frozen=True)
class ExactMatch(Comparison):
    """Exact agreement or none."""

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """No level between exact agreement and no agreement."""
        return ()


@dataclass(frozen=True)
class JaroWinklerAtThresholds(AtThresholds):
    """Jaro-Winkler similarity at thresholds."""

    thresholds: Sequence[float] = (0.9, 0.7)
    function: ClassVar[str] = "jaro_winkler"


@dataclass(frozen=True)
class JaroAtThresholds(AtThresholds):
    """Jaro similarity at thresholds."""

    thresholds: Sequence[float] = (0.9, 0.7)
    function: ClassVar[str] = "jaro"


@dataclass(frozen=True)
class LevenshteinAtThresholds(AtThresholds):
    """Levenshtein distance at thresholds."""

    thresholds: Sequence[float] = (1, 2)
    function: ClassVar[str] = "levenshtein"


@dataclass(frozen=True)
class DamerauLevenshteinAtThresholds(AtThresholds):
    """Damerau-Levenshtein distance (optimal string alignment) at thresholds."""

    thresholds: Sequence[float] = (1, 2)
    function: ClassVar[str] = "damerau_levenshtein"


@dataclass(frozen=True)
class JaccardAtThresholds(AtThresholds):
    """Jaccard similarity of the sets of letters at thresholds."""

    thresholds: Sequence[float] = (0.9, 0.7)
    function: ClassVar[str] = "jaccard"


@dataclass(frozen=True)
class CosineSimilarityAtThresholds(AtThresholds):
    """Cosine of TF-IDF vectors of character 3-grams, or of words, at thresholds."""

    thresholds: Sequence[float] = (0.9, 0.8, 0.7)
    tokens: str = "ngrams"
    """"ngrams" tolerate typing errors, "words" tolerate added and omitted words."""
    base_cost: ClassVar[float] = 3.0

    def _at_thresholds(self) -> tuple[Level, ...]:
        _check_choice(self.tokens, TOKENS, "tokens")
        return tuple(Level(f"cosine_{self.tokens}", threshold) for threshold in self.thresholds)


@dataclass(frozen=True)
class PhoneticMatch(Comparison):
    """Exact agreement, or words that sound the same in English."""

    algorithm: str = "metaphone"
    """"soundex" or "metaphone", which is stricter."""

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The same sound."""
        _check_choice(self.algorithm, SOUNDS, "algorithm")
        return (Level("exact", form=self.algorithm),)


@dataclass(frozen=True)
class AbsoluteDifferenceAtThresholds(AtThresholds):
    """Absolute difference of numbers at thresholds."""

    thresholds: Sequence[float] = (1.0,)
    function: ClassVar[str] = "difference"
    exact_form: ClassVar[str] = "number"

    @property
    def uses_cleaned_values(self) -> bool:
        """Point and sign belong to a number."""
        return False


@dataclass(frozen=True)
class PercentageDifferenceAtThresholds(AbsoluteDifferenceAtThresholds):
    """Difference of numbers over the larger of the two, from 0 to 1, at thresholds."""

    thresholds: Sequence[float] = (0.02, 0.1, 0.3)
    function: ClassVar[str] = "relative_difference"


@dataclass(frozen=True)
class AbsoluteDateDifferenceAtThresholds(AtThresholds):
    """Time between two dates at thresholds, each in a unit of its own."""

    thresholds: Sequence[float] = (1, 1, 10)
    metrics: Sequence[str] = ("month", "year", "year")
    """"day", "month" or "year" for each threshold."""
    exact_form: ClassVar[str] = "date"

    def _at_thresholds(self) -> tuple[Level, ...]:
        metrics = (self.metrics,) if isinstance(self.metrics, str) else tuple(self.metrics)
        if len(metrics) != len(self.thresholds):
            raise InputError(
                f"{self.name} has {len(self.thresholds)} thresholds and {len(metrics)} metrics; "
                "give one metric for each threshold"
            )
        object.__setattr__(self, "metrics", metrics)
        for metric in metrics:
            _check_choice(metric, tuple(DAYS), "metric")
        return tuple(
            Level("days", limit * DAYS[metric], label=f"date difference at most {limit:g} {metric}")
            for limit, metric in zip(self.thresholds, metrics, strict=True)
        )


@dataclass(frozen=True)
class DateOfBirthComparison(AbsoluteDateDifferenceAtThresholds):
    """One wrong digit, then time between two dates at thresholds."""

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """One edit, and the date differences."""
        return (Level("damerau_levenshtein", 1), *self._at_thresholds())


@dataclass(frozen=True)
class DistanceInKMAtThresholds(AtThresholds):
    """Great-circle distance at thresholds, of one column "latitude,longitude" or of two."""

    thresholds: Sequence[float] = (1, 10, 100)
    """Kilometres."""
    long_col: str | None = None
    """The column of longitudes, if the compared column has the latitudes alone."""
    function: ClassVar[str] = "kilometres"
    column_type: ClassVar[str | None] = "address"

    @property
    def uses_cleaned_values(self) -> bool:
        """Point and sign belong to a coordinate."""
        return False

    @property
    def second_column(self) -> str | None:
        """The column of longitudes."""
        return self.long_col


@dataclass(frozen=True)
class ArrayIntersectAtSizes(AtThresholds):
    """Number of common items of two lists, at thresholds.

    Items stand between semicolons, bars or commas, or are words where there are none.
    """

    thresholds: Sequence[float] = (1,)
    function: ClassVar[str] = "common_items"
    exact_form: ClassVar[str] = "items"

    @property
    def uses_cleaned_values(self) -> bool:
        """Punctuation separates the items."""
        return False


@dataclass(frozen=True)
class NameComparison(AtThresholds):
    """Jaro-Winkler similarity of names at thresholds, and the same sound if `phonetic` names it."""

    thresholds: Sequence[float] = (0.92, 0.88, 0.7)
    phonetic: str | None = None
    """"soundex" or "metaphone": a level after the thresholds of 0.88 and above."""
    function: ClassVar[str] = "jaro_winkler"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Similar letters, the same sound, less similar letters."""
        plain = self._at_thresholds()
        if self.phonetic is None:
            return plain
        _check_choice(self.phonetic, SOUNDS, "phonetic")
        strict = sum(threshold >= 0.88 for threshold in self.thresholds)
        return (*plain[:strict], Level("exact", form=self.phonetic), *plain[strict:])


@dataclass(frozen=True)
class ForenameSurnameComparison(AtThresholds):
    """Forename and surname as one, which some records hold in each other's place."""

    surname_col_name: str = ""
    """The second column; the comparison belongs to the first."""
    thresholds: Sequence[float] = (0.92, 0.88)
    function: ClassVar[str] = "jaro_winkler"
    column_type: ClassVar[str | None] = "full name"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Swapped columns, both similar, one of them exact."""
        if not self.surname_col_name:
            raise InputError("ForenameSurnameComparison has no surname_col_name; name the column")
        first, second = "first column", "second column"
        similar = (
            And(
                *(Level("jaro_winkler", threshold, form) for form in (first, second)),
                label=f"Jaro-Winkler of both columns at least {threshold:g}",
            )
            for threshold in self.thresholds
        )
        return (
            Level("exact", form="any order of columns", label="columns swapped"),
            *similar,
            Level("exact", form=second, label=f"same {self.surname_col_name}"),
            Level("exact", form=first, label="same first column"),
        )

    @property
    def second_column(self) -> str | None:
        """The column of surnames."""
        return self.surname_col_name


@dataclass(frozen=True)
class DistanceFunctionAtThresholds(AtThresholds):
    """A function of two strings at thresholds: built-in by name, or a Python function.

    The function must not depend on the order of its arguments. It is called once for each pair of
    distinct values.

    Examples
    --------
    >>> def same_length(left: str, right: str) -> float:
    ...     return abs(len(left) - len(right))
    >>> DistanceFunctionAtThresholds(same_length, [0, 2], higher_is_more_similar=False).labels
    ('exact', 'same_length at most 0', 'same_length at most 2', 'no agreement')
    """

    distance_function: str | PythonFunction = "jaro_winkler"
    thresholds: Sequence[float] = (0.9, 0.7)
    higher_is_more_similar: bool = True
    """Direction of a Python function; a built-in function has its own."""
    cleaned: bool = True
    """Whether the function receives values without case, accents and punctuation."""

    def _at_thresholds(self) -> tuple[Level, ...]:
        return tuple(
            Level(
                self.distance_function,
                threshold,
                higher_is_more_similar=self.higher_is_more_similar,
            )
            for threshold in self.thresholds
        )

    @property
    def uses_cleaned_values(self) -> bool:
        """Whether the function receives values without case, accents and punctuation."""
        return self.cleaned


@dataclass(frozen=True)
class CustomComparison(Comparison):
    """Any levels, from strict to loose, between exact agreement and no agreement.

    Examples
    --------
    >>> CustomComparison([Level("levenshtein", 1), Level("exact", form="soundex")]).labels
    ('exact', 'Levenshtein distance at most 1', 'same soundex', 'no agreement')
    """

    comparison_levels: Sequence[AnyLevel | Mapping[str, Any]]
    cleaned: bool = True
    """Whether values are compared without case, accents and punctuation."""

    def __post_init__(self) -> None:
        levels = tuple(level_from(level) for level in self.comparison_levels)
        object.__setattr__(self, "comparison_levels", levels)
        super().__post_init__()

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The levels as given."""
        return tuple(level_from(level) for level in self.comparison_levels)

    @property
    def uses_cleaned_values(self) -> bool:
        """Whether values are compared without case, accents and punctuation."""
        return self.cleaned
