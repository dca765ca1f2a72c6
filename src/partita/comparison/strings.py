"""Similarities of strings in bulk: edits, Jaro-Winkler, cosines of q-grams and words, overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, JaroWinkler

from partita.blocking.ngrams import extract_ngrams
from partita.comparison.letters import edits_may_suffice, jaro_may_reach, letters_of
from partita.kernel import Floats, Ints, distinct_of, entry

__all__ = [
    "Bags",
    "Strings",
    "bags_of_grams",
    "bags_of_words",
    "cosine",
    "overlap",
    "texts",
]

Texts = NDArray[np.object_]
MARGIN = 1e-5
"""What rounding may add to a similarity."""


class Bags(NamedTuple):
    """Weighted sets of features, one row a value: CSR with ascending features and unit rows."""

    start: Ints
    feature: NDArray[np.int32]
    weight: Floats
    norm: Floats
    """The length of each row before it was made one."""


def texts(values: Sequence[str]) -> Texts:
    """An object array of strings, so that rows can be picked by number."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


class Strings:
    """Distinct strings to be compared pair by pair, each pair given by two numbers.

    Letters in common bound both similarities, so that most pairs that are not alike are never
    read; the answer is the same.
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.text = texts(values)
        self.letters = letters_of(values)
        self.length: Ints = self.letters.length.astype(np.int64)

    def jaro_winkler(self, left: Ints, right: Ints, least: float) -> NDArray[np.float32]:
        """Jaro-Winkler similarity of each pair; what is below `least` counts as 0."""
        # Winkler adds for a common beginning only above 0.7
        some = jaro_may_reach(self.letters, left, right, min(least, 0.7) - MARGIN)
        found = np.zeros(len(left), np.float32)
        found[some] = self._paired(JaroWinkler.similarity, left[some], right[some], least)
        return found

    def edits(self, left: Ints, right: Ints, most: int) -> NDArray[np.int32]:
        """Optimal string alignment distance of each pair, at most `most` + 1.

        Damerau-Levenshtein in which no part is edited twice: a swap of two neighbours is one edit.
        """
        some = edits_may_suffice(self.letters, left, right, most)
        found = np.full(len(left), most + 1, np.int32)
        found[some] = self._paired(OSA.distance, left[some], right[some], most)
        return found

    def _paired(self, scorer: Any, left: Ints, right: Ints, cutoff: float) -> NDArray[Any]:
        if len(left) == 0:
            return np.zeros(0)
        # the answer does not depend on the number of workers, so all cores may help
        workers = -1 if len(left) > 20_000 else 1
        rows = self.text[left].tolist(), self.text[right].tolist()
        found = process.cpdist(*rows, scorer=scorer, workers=workers, score_cutoff=cutoff)
        return np.asarray(found).reshape(-1)


def _bags(length: Ints, feature: NDArray[Any], kinds: int) -> Bags:
    """Bags of distinct (row, feature) with weights log(n / df) + 0.05.

    The small constant keeps a feature that every value has from vanishing altogether.
    """
    n, kinds = length.size, max(kinds, 1)
    pair = distinct_of(np.repeat(np.arange(n), length) * kinds + feature)
    rows, feature = pair // kinds, pair % kinds
    df = np.bincount(feature, minlength=kinds)
    weight = (np.log(max(n, 1) / np.maximum(df, 1)) + 0.05)[feature]
    norm = np.sqrt(np.bincount(rows, weight**2, minlength=n))
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=start[1:])
    return Bags(start, feature.astype(np.int32), weight / np.maximum(norm, 1e-12)[rows], norm)


def bags_of_grams(values: Sequence[str]) -> Bags:
    """TF-IDF bags of the 3-grams of each word, with a blank before and after the word."""
    coded = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum(np.fromiter(map(len, coded), np.int64, len(coded)))
    grams = extract_ngrams(np.frombuffer(b"".join(coded), np.uint8), ends)
    return _bags(np.diff(grams.start), grams.feature, grams.total)


def bags_of_words(values: Sequence[Sequence[str]]) -> Bags:
    """TF-IDF bags of whole words, or of the items of lists."""
    number: dict[str, int] = {}
    feature = [number.setdefault(word, len(number)) for value in values for word in value]
    length = np.fromiter((len(value) for value in values), np.int64, len(values))
    return _bags(length, np.asarray(feature, np.int64), len(number))


@entry
def _products(bags: Bags, left: Ints, right: Ints, found: Floats) -> None:
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
        found[k] = total


def cosine(bags: Bags, left: Ints, right: Ints) -> Floats:
    """The cosine of each pair of rows."""
    found = np.zeros(len(left))
    _products(bags, np.ascontiguousarray(left), np.ascontiguousarray(right), found)
    return found


def overlap(bags: Bags, left: Ints, right: Ints) -> tuple[Floats, Floats]:
    """The weight in common over the weight of the union, and over that of the smaller row."""
    common = cosine(bags, left, right) * bags.norm[left] * bags.norm[right]
    one, other = bags.norm[left] ** 2, bags.norm[right] ** 2
    union = np.maximum(one + other - common, 1e-12)
    return common / union, common / np.maximum(np.minimum(one, other), 1e-12)
