"""The comparison of each column type, used where the user names none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from partita.comparison.codes import MAIN_SHARED, NO_CODES, SOME_SHARED
from partita.comparison.comparison import AtThresholds, Comparison
from partita.comparison.dates import DATE_LEVELS
from partita.comparison.levels import And, AnyLevel, Level, Or
from partita.comparison.library import PercentageDifferenceAtThresholds
from partita.comparison.names import INITIALS, NICKNAMES, REORDERED
from partita.errors import InputError

__all__ = [
    "AUTOMATIC",
    "CategoryComparison",
    "CodeComparison",
    "CodesInTextComparison",
    "DateComparison",
    "EmailComparison",
    "FullNameComparison",
    "GivenNameComparison",
    "ListComparison",
    "PhoneComparison",
    "PostcodeComparison",
    "SurnameComparison",
    "TextComparison",
    "TextWithCodesComparison",
    "automatic_comparison",
    "column_types",
]

JARO_WINKLER = (0.94, 0.88, 0.80, 0.70)
"""Thresholds of names and categories. Origin: chosen on the open record sets of benchmarks/."""
COSINES = (0.9, 0.75, 0.6, 0.45, 0.3, 0.15)
"""Thresholds of names and texts of several words. Origin: chosen on the same sets."""
SHARES = (0.75, 0.5, 0.25, 0.1)
"""Thresholds of the overlap of lists. Origin: chosen on the same sets."""
CODE_LEVELS = 2
"""Levels of the cosine that a shared rarest code adds and a contradicting code takes away."""
WHOLE = 0.999
"""An overlap that is 1 but for rounding."""
SOME = 1e-12
"""An overlap above 0."""
REORDERED_LABEL = "the same words in another order"


def _typos(form: str = "") -> tuple[AnyLevel, AnyLevel]:
    """One edit and two, in values of at least two and four characters."""
    labels = "one character differs, or two neighbours swapped", "two characters differ"
    first, second = (
        And(
            Level("damerau_levenshtein", edits, form),
            Level("length", 2 * edits, form),
            label=labels[edits - 1],
        )
        for edits in (1, 2)
    )
    return first, second


def _agree(function: str, how: int, label: str) -> Level:
    return Level(function, (how, how), label=label)


@dataclass(frozen=True)
class CategoryComparison(AtThresholds):
    """Jaro-Winkler similarity that tolerates one edit of strings with three letters."""

    thresholds: Sequence[float] = JARO_WINKLER
    function: ClassVar[str] = "jaro_winkler_short"


@dataclass(frozen=True)
class SurnameComparison(AtThresholds):
    """Jaro-Winkler similarity, words in another order, initials and omitted words."""

    thresholds: Sequence[float] = JARO_WINKLER
    function: ClassVar[str] = "jaro_winkler_short"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Initials and omitted words follow the second threshold."""
        first, *rest = self._at_thresholds()
        initials = _agree("names", INITIALS, "initials, or one name is part of the other")
        return first | _agree("names", REORDERED, REORDERED_LABEL), *rest[:1], initials, *rest[1:]


@dataclass(frozen=True)
class GivenNameComparison(AtThresholds):
    """Jaro-Winkler similarity, words in another order, nicknames, initials and omitted words."""

    thresholds: Sequence[float] = JARO_WINKLER
    function: ClassVar[str] = "jaro_winkler_short"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Nicknames follow the first threshold, initials the second."""
        first, *rest = self._at_thresholds()
        words = "given_names"
        return (
            first | _agree(words, REORDERED, REORDERED_LABEL),
            _agree(words, NICKNAMES, "nickname"),
            *rest[:1],
            _agree(words, INITIALS, "initials, or one name is part of the other"),
            *rest[1:],
        )


@dataclass(frozen=True)
class FullNameComparison(AtThresholds):
    """Cosine of 3-grams, words in another order, nicknames, initials and omitted words."""

    thresholds: Sequence[float] = COSINES
    function: ClassVar[str] = "cosine_ngrams"
    base_cost: ClassVar[float] = 3.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Nicknames, initials and omitted words follow the second threshold."""
        first, *rest = self._at_thresholds()
        label = "initials, nicknames or omitted words"
        words = Level("given_names", (REORDERED, INITIALS), label=label)
        reordered = _agree("given_names", REORDERED, REORDERED_LABEL)
        return first | reordered, *rest[:1], words, *rest[1:]


@dataclass(frozen=True)
class TextComparison(AtThresholds):
    """Cosine of 3-grams or of words, whichever is higher.

    3-grams tolerate typing errors, words tolerate texts of which one is longer.
    """

    thresholds: Sequence[float] = COSINES
    function: ClassVar[str] = "cosine_ngrams"
    base_cost: ClassVar[float] = 4.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """One level for each threshold."""
        label = "cosine of 3-grams or words at least"
        return tuple(
            _either("cosine_words", limit, f"{label} {limit:g}") for limit in self.thresholds
        )


@dataclass(frozen=True)
class CodesInTextComparison(Comparison):
    """Tokens with digits, such as model numbers: shared, absent or contradicted.

    AC-L200, ACL 200 and ACL200 are one code; LN22A450 contradicts LN40A550.
    """

    base_cost: ClassVar[float] = 2.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The rarest code, any code, and no code to compare; the last level is contradiction."""
        return (
            Level("codes", MAIN_SHARED, label="same rarest code"),
            Level("codes", SOME_SHARED, label="a common code"),
            Level("codes", NO_CODES, label="no codes to compare"),
        )


@dataclass(frozen=True)
class TextWithCodesComparison(AtThresholds):
    """Cosine of 3-grams or of words beside codes that are shared, absent or contradicted."""

    thresholds: Sequence[float] = COSINES
    function: ClassVar[str] = "cosine_ngrams"
    base_cost: ClassVar[float] = 5.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The cosine at thresholds; codes move a pair by `CODE_LEVELS` levels."""
        label = "cosine of 3-grams or words"
        cosines = [
            _either("cosine_words", limit, f"{label} {limit:g}") for limit in self.thresholds
        ]
        shared, compatible = Level("codes", MAIN_SHARED), Level("codes", NO_CODES)
        levels: list[AnyLevel] = []
        for k, limit in enumerate(self.thresholds):
            looser = cosines[k + CODE_LEVELS : k + CODE_LEVELS + 1]
            parts: list[AnyLevel] = [And(compatible, cosines[k]), And(shared, *looser)]
            if k >= CODE_LEVELS:
                parts.append(cosines[k - CODE_LEVELS])
            levels.append(Or(*parts, label=f"{label} at least {limit:g}, given the codes"))
        return tuple(levels)


def _either(function: str, limit: float, label: str) -> AnyLevel:
    return Or(Level(function, limit), Level("cosine_ngrams", limit), label=label)


@dataclass(frozen=True)
class ListComparison(AtThresholds):
    """Common items of two lists by weight, or similar letters of the whole lists."""

    thresholds: Sequence[float] = SHARES
    function: ClassVar[str] = "item_overlap"
    base_cost: ClassVar[float] = 4.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Containment follows the second threshold."""
        # items have typing errors, and authors come with and without their first names
        partial = [
            _either(
                "item_overlap", limit, f"overlap of items or cosine of 3-grams at least {limit:g}"
            )
            for limit in self.thresholds
        ]
        return (
            Level("item_overlap", WHOLE, label="same items"),
            *partial[:2],
            Level("item_containment", WHOLE, label="one list is part of the other"),
            *partial[2:],
            Level("item_overlap", SOME, label="a common item"),
        )


@dataclass(frozen=True)
class CodeComparison(Comparison):
    """One or two edits."""

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """One edit, then two."""
        return _typos()


@dataclass(frozen=True)
class PostcodeComparison(Comparison):
    """One or two edits, or the same area; blanks do not count."""

    exact_form: ClassVar[str] = "letters and digits"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """One edit, two, and the same first part."""
        area = Level("exact", form="postcode prefix", label="same area")
        return *_typos(self.exact_form), area


@dataclass(frozen=True)
class PhoneComparison(Comparison):
    """The same last seven digits, or one or two edits; only digits count."""

    exact_form: ClassVar[str] = "digits"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The same number without its prefix, one edit, two."""
        return Level("exact", form="last seven digits"), *_typos(self.exact_form)


@dataclass(frozen=True)
class EmailComparison(AtThresholds):
    """One or two edits, the same username, or Jaro-Winkler similarity of usernames."""

    thresholds: Sequence[float] = JARO_WINKLER
    function: ClassVar[str] = "jaro_winkler"
    base_cost: ClassVar[float] = 2.0

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """One edit, the same username, two edits, similar usernames."""
        first, second = _typos()
        similar = (Level(self.function, limit, "username") for limit in self.thresholds)
        return first, Level("exact", form="username"), second, *similar


@dataclass(frozen=True)
class DateComparison(Comparison):
    """Wrong digits, swapped day and month, the same month or year, in any notation."""

    exact_form: ClassVar[str] = "date"

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """Errors from one digit to three, and dates that share their year or day."""
        return tuple(
            Level("date_levels", level, label=label)
            for level, label in enumerate(DATE_LEVELS, start=1)
        )


AUTOMATIC: dict[str, Comparison] = {
    "category": CategoryComparison(),
    "given name": GivenNameComparison(),
    "surname": SurnameComparison(),
    "full name": FullNameComparison(),
    "address": TextComparison(),
    "long text": TextComparison(),
    "list": ListComparison(),
    "code": CodeComparison(),
    "postcode": PostcodeComparison(),
    "phone": PhoneComparison(),
    "email": EmailComparison(),
    "date": DateComparison(),
    "number": PercentageDifferenceAtThresholds(),
}


def column_types() -> list[str]:
    """The names of all column types."""
    return sorted(AUTOMATIC)


def automatic_comparison(column_type: str, has_codes: bool = False) -> Comparison:
    """The comparison of a column type where the user names none; texts may hold codes."""
    if column_type not in AUTOMATIC:
        raise InputError(
            f"there is no column type {column_type!r}; use one of {', '.join(column_types())}"
        )
    if has_codes and column_type == "long text":
        return TextWithCodesComparison()
    return AUTOMATIC[column_type]
