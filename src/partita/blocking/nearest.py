"""The nearest neighbours of each record: by exact values, TF-IDF weighted n-grams, close numbers.

Among very many records only long n-grams are rare, and long n-grams find few pairs that exact
values miss. A sample of records therefore decides whether the n-gram search runs for all. The
searches for close numbers and for n-grams of short columns run up to the same number of records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.close_numbers import build_number_index
from partita.blocking.features import NO_WEIGHTS, choose_ngrams, encode_values, weigh_features
from partita.blocking.index import Index, build_index, count_features, make_scratch, search
from partita.blocking.ngrams import Int32s, use_whole_values
from partita.blocking.rules import Column
from partita.blocking.union import PairList
from partita.kernel import Floats, Ints

__all__ = [
    "SEARCHES",
    "Neighbours",
    "Progress",
    "SearchSettings",
    "find_neighbours",
    "limit_common",
]

Progress = Callable[[float], None]

SEARCHES = ("exact values", "n-grams", "close numbers", "short columns")
"""The names of the searches, in the order in which they run."""

MIN_COMMON = 50
"""Records of a feature below which it always counts as rare. Origin: 0.1."""
COMMON_SHARE = 0.05
"""A feature of more than this share of the records is read only for a record with nothing rarer.
Origin: 0.1."""
EXTRA_DIVISOR = 4
"""The searches for close numbers and for n-grams of short columns keep k over this number of
neighbours. Origin: at most 11 % more candidates on every set of the panel."""
LONG_SHARE = 0.5
"""A column with more than this share of all letters is long: its n-grams outweigh those of all
other columns together."""
CLOSE_BUDGET_FACTOR = 4
"""Budgets of postings that the search for close numbers reads, since it has up to sixteen lists for
each number column. Origin: a factor of 1 keeps 93 % and a factor of 3 keeps 97 % of the matches of
bank_transactions; the search takes 0.6 CPU s more."""
CHUNK_RECORDS = 2048
"""Records that a thread searches for at once."""
SAMPLE_ABOVE = 200_000
"""Records above which a sample decides whether the n-gram search runs for all, and above which the
searches for close numbers and for n-grams of short columns do not run. Origin: 0.1."""
SAMPLE_RECORDS = 5_000
"""Records of that sample, about. A limit of CPU seconds."""
NEAR_COSINE = 0.4
"""The cosine from which a pair of the sample counts as near. Origin: 0.1."""
MIN_NEAR_PAIRS = 200
"""Near pairs below which the sample decides nothing and the n-gram search runs for all.
Origin: 0.1."""
MAX_MISSED = 0.045
"""The share of the near pairs that exact values may miss if the n-gram search is not to run for
all. Origin: exact values miss 2 to 3 % among a million generated people, without a loss; 6 % on
historical_50k, which would lose .004 of F1; and a quarter of titles."""


class SearchSettings(NamedTuple):
    """The settings of both searches."""

    source: Int32s
    k: int
    budget: int
    seed: int
    cores: int


class Neighbours(NamedTuple):
    """The neighbours that the searches find."""

    lists: list[PairList]
    """One list for each search; empty if k is 0."""
    names: tuple[str, ...]
    """The searches, some of `SEARCHES` in their order."""
    ngram_length: int
    messages: tuple[str, ...]
    """A message for the user about each search, or an empty string."""
    sampled: Int32s | None = None
    """The records for which the n-gram search ran, if it did not run for all."""


def find_neighbours(
    columns: Mapping[str, Column],
    numbers: Mapping[str, Floats],
    settings: SearchSettings,
    progress: Progress,
    weights: Mapping[str, float] = NO_WEIGHTS,
) -> Neighbours:
    """Find each record's neighbours by values, n-grams where they find more, and close numbers.

    Features count by the weights of their columns.
    """
    if settings.k < 1:
        return Neighbours([], (), 0, ())
    rows, texts, ends = encode_values(columns)
    n = rows.shape[0]
    own, features = np.arange(n, dtype=np.int32), use_whole_values(ends.size)
    factors = weigh_features(columns, weights, features)
    index = build_index(rows, features, *count_features(rows, features), factors=factors)
    values = _search_all(index, settings, lambda share: progress(share / 3))
    length, features, (times, widest) = choose_ngrams(rows, texts, ends, settings.budget)
    factors = weigh_features(columns, weights, features)
    index = build_index(rows, features, times, widest, factors=factors)
    if n > SAMPLE_ABOVE:
        sampled, near, missed = _search_sample(index, settings, values)
        if missed <= MAX_MISSED:
            progress(1.0)
            message = (
                f"the n-gram search ran for a sample of {sampled.size:,} records only: exact "
                f"values find {1 - missed:.1%} of the near pairs of the sample"
            )
            lists = [(own, values), (sampled, near)]
            return Neighbours(lists, SEARCHES[:2], length, ("", message), sampled)
    ngrams = _search_all(index, settings, lambda share: progress((1 + 2 * share) / 3))
    searches = {"exact values": values, "n-grams": ngrams}
    if n <= SAMPLE_ABOVE:
        letters = np.append(np.diff(ends, prepend=0), 0)[rows].sum(0)
        searches |= _search_extra(columns, numbers, settings, letters, weights)
    lists = [(own, near) for near in searches.values()]
    return Neighbours(lists, tuple(searches), length, ("",) * len(lists))


def _search_extra(
    columns: Mapping[str, Column],
    numbers: Mapping[str, Floats],
    settings: SearchSettings,
    letters: Ints,
    weights: Mapping[str, float],
) -> dict[str, Int32s]:
    """Search for close numbers, and for n-grams of short columns beside a long one.

    `letters` counts the letters of each column, which count by the weight of the column. Numbers
    have the search of their own.
    """
    weighted = letters * np.array([weights.get(name, 1.0) for name in columns])
    few = settings._replace(k=max(1, settings.k // EXTRA_DIVISOR))
    searches = {}
    close = build_number_index(columns, numbers, weights) if numbers else None
    if close is not None:
        budget = CLOSE_BUDGET_FACTOR * settings.budget
        searches["close numbers"] = _search_all(
            close, few._replace(budget=budget), lambda share: None
        )
    longest = list(columns)[int(weighted.argmax())]
    short = {k: column for k, column in columns.items() if k != longest and k not in numbers}
    if short and weighted.max() > LONG_SHARE * weighted.sum():
        rows, texts, ends = encode_values(short)
        _, features, (times, widest) = choose_ngrams(rows, texts, ends, settings.budget)
        factors = weigh_features(short, weights, features)
        index = build_index(rows, features, times, widest, factors=factors)
        searches["short columns"] = _search_all(index, few, lambda share: None)
    return searches


def limit_common(index: Index) -> int:
    """The number of records above which a feature counts as common."""
    return max(MIN_COMMON, int(COMMON_SHARE * index.rows.shape[0]))


def _search_all(index: Index, settings: SearchSettings, progress: Progress) -> Int32s:
    """Search for all records, in chunks on threads."""
    source, k, budget, seed, cores = settings
    n, common = index.rows.shape[0], limit_common(index)
    near = np.empty((n, k), np.int32)
    thread = local()

    def search_chunk(first: int) -> None:
        if not hasattr(thread, "scratch"):
            thread.scratch = make_scratch(index, k, budget)
        last = min(first + CHUNK_RECORDS, n)
        search(index, thread.scratch, source, near, first, last, budget, common, seed)

    search_chunk(0)  # compiles once, before the threads start
    starts = range(CHUNK_RECORDS, n, CHUNK_RECORDS)
    with ThreadPoolExecutor(min(cores, max(1, len(starts)))) as pool:
        for done, _ in enumerate(pool.map(search_chunk, starts), 1):
            progress(done / (1 + len(starts)))
    progress(1.0)
    return near


def _search_sample(
    index: Index, settings: SearchSettings, values: Int32s
) -> tuple[Int32s, Int32s, float]:
    """Search for a sample; return it, its neighbours and the share that exact values miss."""
    source, k, budget, seed, _ = settings
    n, common = index.rows.shape[0], limit_common(index)
    sampled = np.arange(0, n, n // SAMPLE_RECORDS, dtype=np.int32)
    scratch = make_scratch(index, k, budget)
    near, cosine = np.empty((n, k), np.int32), np.zeros((sampled.size, k), np.float32)
    for at, i in enumerate(sampled.tolist()):
        search(index, scratch, source, near, i, i + 1, budget, common, seed)
        cosine[at] = scratch.score * index.scale[i]
    neighbours = near[sampled]
    rank, place = np.nonzero((cosine >= NEAR_COSINE) & (neighbours >= 0))
    if rank.size < MIN_NEAR_PAIRS:
        return sampled, neighbours, 1.0
    known = _are_listed(values, sampled[rank], neighbours[rank, place])
    return sampled, neighbours, 1.0 - float(known.mean())


def _are_listed(near: Int32s, left: Int32s, right: Int32s) -> NDArray[np.bool_]:
    """Mark the pairs of which one record is listed as a neighbour of the other."""
    return (near[left] == right[:, None]).any(1) | (near[right] == left[:, None]).any(1)
