"""Similarities of strings in bulk: edit distances, Jaro-Winkler, cosines and overlaps of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, Jaro, JaroWinkler, Levenshtein

from partita.blocking.ngrams import ValueFeatures, extract_ngrams, hash_values
from partita.comparison.letters import edits_may_suffice, jaro_may_reach, letters_of
from partita.kernel import Bytes, Floats, Ints, distinct_of, entry

__all__ = [
    "Bags",
    "Documents",
    "Strings",
    "bags_of_features",
    "bags_of_grams",
    "bags_of_words",
    "cosine",
    "count_documents",
    "extract_text_ngrams",
    "hash_words",
    "overlap",
    "texts",
    "use_documents",
]

Texts = NDArray[np.object_]
ROUNDING = 1e-5
"""Upper limit of the rounding error of a 32-bit similarity."""
PREFIX_FROM = 0.7
"""Jaro similarity above which Winkler's prefix bonus applies (Winkler 1990)."""
FLOOR_WEIGHT = 0.05
"""Nats added to every TF-IDF weight; a feature of all values keeps some weight. Origin: 0.1."""
PARALLEL_PAIRS = 20_000
"""Number of pairs above which RapidFuzz uses all cores; the result is the same."""


Documents = Callable[[Ints, Ints, int], tuple[Ints, int]]
"""From the keys of features, the number of given values that have each, and the number of given
values, to both numbers among all values of a column."""
DOCUMENTS: ContextVar[Documents | None] = ContextVar("documents", default=None)
"""Document counts of a column of which the compared values are a part; None counts the values."""


@contextmanager
def use_documents(documents: Documents | None) -> Iterator[None]:
    """Weigh words and n-grams by the document counts of a larger column."""
    token = DOCUMENTS.set(documents)
    try:
        yield
    finally:
        DOCUMENTS.reset(token)


def count_documents(keys: Callable[[], Ints] | None, df: Ints, n: int) -> tuple[Ints, int]:
    """The document counts in use: those of the given values, or of the larger column."""
    counted = DOCUMENTS.get()
    return (df, n) if counted is None or keys is None else counted(keys(), df, n)


def hash_words(words: Sequence[str]) -> Ints:
    """The key of each word, which is the same in every file."""
    texts, ends = _join_utf8(words)
    return hash_values(texts, ends, np.zeros(ends.size, np.int64))


def _join_utf8(values: Sequence[str]) -> tuple[Bytes, Ints]:
    """The UTF-8 of all values, one after the other, and the end of each."""
    coded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum(np.fromiter(map(len, coded), np.int64, len(coded)))
    return np.frombuffer(b"".join(coded), np.uint8), ends


class Bags(NamedTuple):
    """Weighted sets of features, one row a value: CSR with ascending features and unit rows."""

    start: Ints
    feature: NDArray[np.int32]
    weight: Floats
    norm: Floats
    """The length of each row before normalisation."""


def texts(values: Sequence[str]) -> Texts:
    """An object array of strings, so that rows can be picked by number."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


class Strings:
    """Distinct strings that are compared pair by pair, each pair given by two numbers.

    The number of common letters bounds every similarity from above, so most dissimilar pairs are
    never read; the result is the same.
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.text = texts(values)
        self.letters = letters_of(values)
        self.length: Ints = self.letters.length.astype(np.int64)

    def jaro_winkler(self, left: Ints, right: Ints, least: float) -> NDArray[np.float32]:
        """Jaro-Winkler similarity of each pair; a similarity below `least` counts as 0."""
        return self._similarity(JaroWinkler.similarity, left, right, least, min(least, PREFIX_FROM))

    def jaro(self, left: Ints, right: Ints, least: float) -> NDArray[np.float32]:
        """Jaro similarity of each pair; a similarity below `least` counts as 0."""
        return self._similarity(Jaro.similarity, left, right, least, least)

    def edits(self, left: Ints, right: Ints, most: int) -> NDArray[np.int32]:
        """Optimal string alignment distance of each pair, at most `most` + 1.

        Damerau-Levenshtein in which no part is edited twice: a swap of two neighbours is one edit.
        """
        return self._distance(OSA.distance, left, right, most)

    def levenshtein(self, left: Ints, right: Ints, most: int) -> NDArray[np.int32]:
        """Levenshtein distance of each pair, at most `most` + 1."""
        return self._distance(Levenshtein.distance, left, right, most)

    def _similarity(
        self, scorer: Any, left: Ints, right: Ints, least: float, least_jaro: float
    ) -> NDArray[np.float32]:
        rows = jaro_may_reach(self.letters, left, right, least_jaro - ROUNDING)
        similarity = np.zeros(len(left), np.float32)
        similarity[rows] = self._score(scorer, left[rows], right[rows], least)
        return similarity

    def _distance(self, scorer: Any, left: Ints, right: Ints, most: int) -> NDArray[np.int32]:
        rows = edits_may_suffice(self.letters, left, right, most)
        distance = np.full(len(left), most + 1, np.int32)
        distance[rows] = self._score(scorer, left[rows], right[rows], most)
        return distance

    def _score(self, scorer: Any, left: Ints, right: Ints, cutoff: float) -> NDArray[Any]:
        if len(left) == 0:
            return np.zeros(0)
        workers = -1 if len(left) > PARALLEL_PAIRS else 1
        rows = self.text[left].tolist(), self.text[right].tolist()
        scores = process.cpdist(*rows, scorer=scorer, workers=workers, score_cutoff=cutoff)
        return np.asarray(scores).reshape(-1)


def bags_of_features(
    length: Ints,
    feature: NDArray[Any],
    features: int,
    weighted: bool = True,
    keys: Callable[[], Ints] | None = None,
) -> Bags:
    """Bags of the distinct features of rows: weights log(n / df) plus a floor, or 1 for each.

    `length` is the number of features of each row, `feature` their numbers, row after row. `keys`
    returns the key of each feature, for the counts of `use_documents`.
    """
    n, features = length.size, max(features, 1)
    pair = distinct_of(np.repeat(np.arange(n), length) * features + feature)
    rows, feature = pair // features, pair % features
    if weighted:
        df, documents = count_documents(keys, np.bincount(feature, minlength=features), n)
        weight = (np.log(max(documents, 1) / np.maximum(df, 1)) + FLOOR_WEIGHT)[feature]
    else:
        weight = np.ones(feature.size)
    norm = np.sqrt(np.bincount(rows, weight**2, minlength=n))
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=start[1:])
    return Bags(start, feature.astype(np.int32), weight / np.maximum(norm, 1e-12)[rows], norm)


def extract_text_ngrams(values: Sequence[str]) -> ValueFeatures:
    """The distinct 3-grams of the words of each text, with a blank before and after a word."""
    return extract_ngrams(*_join_utf8(values))


def bags_of_grams(values: Sequence[str]) -> Bags:
    """TF-IDF bags of the 3-grams of each word, with a blank before and after the word."""
    grams = extract_text_ngrams(values)
    return bags_of_features(
        np.diff(grams.start), grams.feature, grams.total, True, lambda: grams.keys
    )


def bags_of_words(values: Sequence[Sequence[str]], *, weighted: bool = True) -> Bags:
    """Bags of whole words, or of the items of lists: weighted by TF-IDF, or evenly."""
    number: dict[str, int] = {}
    feature = [number.setdefault(word, len(number)) for value in values for word in value]
    length = np.fromiter((len(value) for value in values), np.int64, len(values))
    codes = np.asarray(feature, np.int64)
    return bags_of_features(length, codes, len(number), weighted, lambda: hash_words(list(number)))


@entry
def _products(bags: Bags, left: Ints, right: Ints, products: Floats) -> None:
    """The scalar product of each pair of rows, by merging their ascending features."""
    start, feature, weight = bags.start, bags.feature, bags.weight
    for k in range(left.size):
        p, p_end = start[left[k]], start[left[k] + 1]
        q, q_end = start[right[k]], start[right[k] + 1]
        total = 0.0
        while p < p_end and q < q_end:
            if feature[p] == feature[q]:
                total += weight[p] * weight[q]
                p += 1
                q += 1
            elif feature[p] < feature[q]:
                p += 1
            else:
                q += 1
        products[k] = total


def cosine(bags: Bags, left: Ints, right: Ints) -> Floats:
    """The cosine of each pair of rows."""
    products = np.zeros(len(left))
    _products(bags, np.ascontiguousarray(left), np.ascontiguousarray(right), products)
    return products


class Overlap(NamedTuple):
    """The features that two rows share, by weight."""

    common: Floats
    """Total squared weight of the shared features; their number where weights are even."""
    of_union: Floats
    """Over the weight of the union (Jaccard)."""
    of_smaller: Floats
    """Over the weight of the smaller row (containment)."""


def overlap(bags: Bags, left: Ints, right: Ints) -> Overlap:
    """The overlap of each pair of rows."""
    common = cosine(bags, left, right) * bags.norm[left] * bags.norm[right]
    first, second = bags.norm[left] ** 2, bags.norm[right] ** 2
    union = np.maximum(first + second - common, 1e-12)
    return Overlap(common, common / union, common / np.maximum(np.minimum(first, second), 1e-12))
