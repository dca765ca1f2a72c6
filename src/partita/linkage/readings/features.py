"""Features of record pairs that mean the same on every file: information and contradiction.

With n records, a column of entropy H and a value of frequency f, exact agreement carries -log f
nats of information, fuzzy agreement at most -log P(a random pair agrees as well). A level that
more than a quarter of random pairs reach contradicts a match. Information is divided by log n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.candidates import MIN_TELLING_WEIGHT
from partita.blocking.ngrams import ValueFeatures
from partita.comparison.strings import (
    Bags,
    bags_of_features,
    cosine,
    extract_text_ngrams,
    hash_words,
)
from partita.data import Column
from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.readings.words import (
    WORD_FEATURES,
    Words,
    compare_words,
    count_words,
    split_words,
)

__all__ = [
    "FALLING",
    "FEATURES",
    "RISING",
    "ColumnStatistics",
    "FeatureTables",
    "read_vocabulary",
    "read_words",
    "select_worded",
]

Levels = NDArray[np.int8]
COMMON_LEVEL = 0.25
"""Share of random pairs from which a level contradicts a match.
Origin: 19 labelled sets, one domain left out at a time."""
INFORMATIVE = 0.6
"""Entropy from which a column counts as informative, as a share of log n.
Origin: 19 labelled sets, one domain left out at a time."""
MAX_LETTERS = 400
"""Letters of a value that n-grams are cut from; longer texts repeat their words."""
MIN_COUNT = 1e-6
"""Weight of filled columns, at least, to avoid division by 0."""
SMALLEST = 0.1
"""Nats below which a sum of information counts as this much, to avoid division by 0."""
GROUPS = ("name", "text", "code", "number", "category")
TYPES = {
    **dict.fromkeys(("given name", "surname", "full name"), "name"),
    **dict.fromkeys(("long text", "list", "address"), "text"),
    **dict.fromkeys(("code", "email", "phone", "postcode"), "code"),
    **dict.fromkeys(("number", "date"), "number"),
    "category": "category",
}
"""The group of each column type; other types are text."""
SUMS = (
    *("information", "excess", "share", "available", "contradiction", "contradiction_share"),
    *("filled", "columns", "all_equal", "best_similarity", "second_similarity"),
    "lowest_similarity",
)
BY_GROUP = tuple(
    f"{group}_{part}"
    for group in ("informative", "other", *GROUPS)
    for part in ("share", "contradicted", "equal")
)
WHOLE = (
    *("soft", "jaccard", "containment", "containment_low", "shared", "rarest_shared"),
    *("unmatched_low", "unmatched_high", "digits_shared", "digits_low", "digits_high"),
    *("same_words", "cosine", "cosine_grams"),
)
FEATURES = (*SUMS, *BY_GROUP, *WHOLE)
"""All features in the order of the table's columns."""
RISING = (
    *("information", "excess", "share", "best_similarity", "second_similarity", "all_equal"),
    *("lowest_similarity", "informative_share", "other_share", "informative_equal", "other_equal"),
    *(f"{group}_share" for group in GROUPS),
    *("cosine", "cosine_grams", "jaccard", "containment", "containment_low", "shared", "soft"),
    *("rarest_shared", "digits_shared", "same_words"),
)
"""Features that never lower a score."""
FALLING = (
    *("contradiction", "contradiction_share", "informative_contradicted", "other_contradicted"),
    *(f"{group}_contradicted" for group in GROUPS),
    *("unmatched_low", "unmatched_high", "digits_low", "digits_high"),
)
"""Features that never raise a score."""


class ColumnStatistics(NamedTuple):
    """One column: its codes, the information of its values and the rates of its levels."""

    codes: NDArray[np.int32]
    value: Floats
    """Information of each value in nats."""
    reached: Floats
    """Share of random pairs that agree as well or better, by level."""
    entropy: float
    fill: float
    weight: float = 1.0
    """By how much the column counts, in (0, 1]."""


class _Parts(NamedTuple):
    """Information of every column (row) and pair."""

    information: Floats
    available: Floats
    contradiction: Floats
    similarity: Floats
    """Between 0 and 1; nan where a value is missing."""
    equal: NDArray[np.bool_]


class FeatureTables:
    """Statistics of a file from which the features of its pairs are computed.

    Parameters
    ----------
    columns, types
        The compared columns of distinct records, and their types.
    sizes
        The number of levels of each column.
    random
        The levels of random pairs.
    rows
        The records whose words are read, ascending; by default all.
    weights
        By how much each column counts, in (0, 1]; by default all count in full.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        types: Sequence[str],
        sizes: Sequence[int],
        random: Levels,
        rows: Ints | None = None,
        weights: Sequence[float] = (),
    ) -> None:
        n = int(columns[0].codes.size)
        unit = float(np.log(max(n, 3)))
        profiles = [
            _profile(column, random[:, q], size, unit, weights[q] if weights else 1.0)
            for q, (column, size) in enumerate(zip(columns, sizes, strict=True))
        ]
        self._build(n, profiles, columns, types, rows)

    def _build(
        self,
        n: int,
        profiles: list[ColumnStatistics],
        columns: Sequence[Column],
        types: Sequence[str],
        rows: Ints | None = None,
    ) -> None:
        """Set the statistics of a file of n records."""
        self.n, self.unit, self.columns = n, float(np.log(max(n, 3))), profiles
        self.entropy = np.array([column.entropy for column in self.columns])
        self.weight = np.array([column.weight for column in self.columns])
        groups = np.array([TYPES.get(name, "text") for name in types])
        informative = self.entropy > INFORMATIVE * self.unit
        self.groups = [informative, ~informative, *(groups == name for name in GROUPS)]
        self.rows = rows
        self.words, self.word_bags, self.gram_bags = read_words(
            select_worded(columns, self.weight.tolist()), rows
        )

    @classmethod
    def of_part(
        cls,
        n: int,
        profiles: list[ColumnStatistics],
        columns: Sequence[Column],
        types: Sequence[str],
    ) -> FeatureTables:
        """The tables of some records of a file of n records, whose statistics are known."""
        tables = cls.__new__(cls)
        tables._build(n, profiles, columns, types)
        return tables

    def features(self, pairs: Ints, levels: Levels) -> Floats:
        """The features of pairs (rows); nan where a feature does not apply."""
        parts = self._compare_columns(pairs, levels)
        table = np.empty((len(pairs), len(FEATURES)))
        self._sum(parts, table[:, : len(SUMS)])
        at = len(SUMS)
        for chosen in self.groups:
            _sum_group(parts, chosen, self.weight, self.unit, table[:, at : at + 3])
            at += 3
        self._compare_words(pairs, table[:, at:])
        return table

    def _compare_columns(self, pairs: Ints, levels: Levels) -> _Parts:
        shape = (len(self.columns), len(pairs))
        information, available, contradiction = (np.zeros(shape) for _ in range(3))
        similarity, equal = np.full(shape, np.nan), np.zeros(shape, bool)
        for q, column in enumerate(self.columns):
            filled = np.flatnonzero(levels[:, q] >= 0)
            level = levels[filled, q]
            left, right = (column.codes[pairs[filled, side]] for side in (0, 1))
            most = np.maximum(column.value[left], column.value[right])
            fuzzy = np.minimum(-np.log(column.reached[level]), most)
            agreement = np.where(left == right, column.value[left], fuzzy)
            information[q, filled] = agreement
            mean = (column.value[left] + column.value[right]) / 2
            available[q, filled] = np.maximum(agreement, mean)
            contradicts = (column.reached[level] > COMMON_LEVEL) & (left != right)
            contradiction[q, filled] = column.entropy * contradicts
            similarity[q, filled] = 1 - level / max(len(column.reached) - 1, 1)
            equal[q, filled] = level == 0
        for part in (information, available, contradiction):
            part *= self.weight[:, None]
        return _Parts(information, available, contradiction, similarity, equal)

    def _sum(self, parts: _Parts, table: Floats) -> None:
        """Sums over all columns, and the most informative columns by themselves.

        A column counts by its weight; one of weight 0 would count as if it were not there.
        """
        filled = ~np.isnan(parts.similarity)
        weight = self.weight[:, None]
        total, available = parts.information.sum(0), parts.available.sum(0)
        against = parts.contradiction.sum(0)
        possible = (weight * self.entropy[:, None] * filled).sum(0)
        fill = np.array([column.fill for column in self.columns])
        order = np.argsort(-self.weight * self.entropy * fill, kind="stable")
        blank = np.full(total.size, np.nan)
        second = parts.similarity[order[1]] if order.size > 1 else blank
        lowered = parts.similarity + (1.0 - weight) * (1.0 - parts.similarity)
        known = np.where(filled, lowered, 2.0)[self.groups[0]]
        unequal = (weight * (filled & ~parts.equal)).max(0)
        table[:] = np.column_stack(
            [
                total / self.unit,
                (total - self.unit) / self.unit,
                total / np.maximum(available, SMALLEST),
                available / self.unit,
                against / self.unit,
                against / np.maximum(possible, SMALLEST),
                (weight * filled).sum(0) / self.weight.sum(),
                (weight * filled).sum(0),
                1.0 - unequal,
                parts.similarity[order[0]],
                second,
                known.min(0) if len(known) else blank,
            ]
        )

    def _compare_words(self, pairs: Ints, table: Floats) -> None:
        """Words and character n-grams of whole records."""
        if self.rows is not None:
            pairs = np.searchsorted(self.rows, pairs)
        words = dict(zip(WORD_FEATURES, compare_words(self.words, pairs).T, strict=True))
        n = self.n if self.rows is None else self.rows.size
        unit, most = np.log(max(n, 3)), np.log((1 + n) / 2)
        shared, smaller, larger = (words[name] for name in ("shared", "smaller", "larger"))
        left, right = (np.ascontiguousarray(pairs[:, side]) for side in (0, 1))
        mean = np.maximum((smaller + larger) / 2, SMALLEST)
        table[:] = np.column_stack(
            [
                np.minimum(1, (shared + words["soft"]) / mean),
                shared / np.maximum(smaller + larger - shared, SMALLEST),
                shared / np.maximum(smaller, SMALLEST),
                shared / np.maximum(larger, SMALLEST),
                shared / unit,
                *(words[name] / most for name in ("rarest_shared", "unmatched_low")),
                words["unmatched_high"] / most,
                *(words[name] / unit for name in ("digits_shared", "digits_low")),
                words["digits_high"] / unit,
                words["same_words"],
                cosine(self.word_bags, left, right),
                cosine(self.gram_bags, left, right),
            ]
        )


def _profile(
    column: Column, random: Levels, size: int, limit: float, weight: float
) -> ColumnStatistics:
    count = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    total = float(count.sum())
    share = count[count > 0] / max(total, 1.0)
    value = np.minimum(np.log(max(total, 2.0) / np.maximum(count, 1)), limit)
    seen = np.bincount(random[random >= 0], minlength=size)
    reached = (np.cumsum(seen) + 1) / (seen.sum() + 1)
    entropy = float(-(share * np.log(share)).sum())
    fill = total / column.codes.size
    return ColumnStatistics(column.codes, value, reached, entropy, fill, weight)


def _sum_group(
    parts: _Parts, chosen: NDArray[np.bool_], weights: Floats, unit: float, table: Floats
) -> None:
    """Share of information, contradiction and share of exact agreement in some columns.

    The shares of a group that counts little shrink to those of all columns.
    """
    weight = weights[:, None]
    filled = ~np.isnan(parts.similarity)
    available = parts.available[chosen].sum(0)
    strongest = (weight * filled)[chosen].max(0, initial=0.0)
    shares = []
    for some in (chosen, np.ones(weights.size, bool)):
        information, possible = parts.information[some].sum(0), parts.available[some].sum(0)
        count = (weight * filled)[some].sum(0)
        equal = (weight * parts.equal)[some].sum(0)
        shares.append(
            (information / np.maximum(possible, SMALLEST), equal / np.maximum(count, MIN_COUNT))
        )
    (own, own_equal), (whole, whole_equal) = shares
    table[:, 0] = strongest * own + (1.0 - strongest) * whole
    table[:, 1] = parts.contradiction[chosen].sum(0) / unit
    table[:, 2] = strongest * own_equal + (1.0 - strongest) * whole_equal
    table[available <= 0] = np.nan


def read_words(columns: Sequence[Column], rows: Ints | None = None) -> tuple[Words, Bags, Bags]:
    """The words of whole records, and bags of their words and character 3-grams."""
    record, value, values, n = _list_values(columns, rows)
    words, vocabulary = split_words(values)
    grams = extract_text_ngrams([text[:MAX_LETTERS] for text in values])
    length, word = _spread(words, record, value, n)
    gram_length, gram = _spread(grams, record, value, n)
    return (
        count_words(length, word, vocabulary),
        bags_of_features(length, word, words.total, True, lambda: hash_words(vocabulary)),
        bags_of_features(gram_length, gram, grams.total, True, lambda: grams.keys),
    )


def select_worded(columns: Sequence[Column], weights: Sequence[float]) -> list[Column]:
    """The columns whose words count among those of whole records; all if none is telling."""
    pairs = zip(columns, weights or [1.0] * len(columns), strict=True)
    return [column for column, weight in pairs if weight >= MIN_TELLING_WEIGHT] or list(columns)


def read_vocabulary(columns: Sequence[Column]) -> tuple[Words, list[str]]:
    """The words of whole records, and the words by number."""
    record, value, values, n = _list_values(columns, None)
    words, vocabulary = split_words(values)
    return count_words(*_spread(words, record, value, n), vocabulary), vocabulary


def _list_values(columns: Sequence[Column], rows: Ints | None) -> tuple[Ints, Ints, list[str], int]:
    """The record and the number of each value, the values by number, and the number of records."""
    codes = np.stack([column.codes for column in columns], axis=1)
    codes = codes if rows is None else codes[rows]
    first = np.cumsum([0, *(len(column.values) for column in columns)])
    record, place = np.nonzero(codes >= 0)
    value = codes[record, place] + first[place]
    used = distinct_of(value)
    values = [
        str(text)
        for column, low, high in zip(columns, first[:-1], first[1:], strict=True)
        for text in column.texts(used[(used >= low) & (used < high)] - low)
    ]
    return record, np.searchsorted(used, value), values, len(codes)


def _spread(
    features: ValueFeatures, record: Ints, value: Ints, n: int
) -> tuple[Ints, NDArray[np.int32]]:
    """The number of features of each record, and the features of its values in order."""
    start = features.start[value]
    size = features.start[value + 1] - start
    place = np.repeat(start - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
    length = np.bincount(record, size, minlength=n).astype(np.int64)
    return length, features.feature[place]
