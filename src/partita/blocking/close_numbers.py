"""Features for close numbers: a word, or a second number, together with a bucket of a number.

An amount with a fee, or a date some days later, equals no other value and shares few n-grams. Alone
a close number is common, and so is a word such as "payment"; together they are rare. The values of
a number column are therefore cut at quantiles into buckets, on two grids shifted by half a bucket,
so that two values nearer than half a bucket share at least one. Every bucket of a record is paired
with the record's rarest words; the buckets of a record without words are paired with each other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from partita.blocking.features import NO_WEIGHTS, encode_values, weigh_features
from partita.blocking.index import Index, build_index, count_features
from partita.blocking.ngrams import Int32s, ValueFeatures, extract_ngrams
from partita.blocking.rules import Column
from partita.kernel import Floats, Ints, distinct_of, entry

__all__ = ["build_number_index"]

BUCKETS = 32
"""Buckets of a number column. Origin: 32, 48 and 64 keep 93 % of the matches of bank_transactions,
16 keep 92 %."""
MAX_WORDS = 8
"""Words of a record that are paired with its buckets. Origin: bounds the memory."""
MAX_COLUMNS = 3
"""Number columns in use, those with the most distinct values. A limit of memory."""
WHOLE_WORD = 2**30
"""Characters of an n-gram that no word reaches, so that each word is one n-gram."""


def build_number_index(
    columns: Mapping[str, Column],
    numbers: Mapping[str, Floats],
    weights: Mapping[str, float] = NO_WEIGHTS,
) -> Index | None:
    """Build the index of close numbers; None if no two records share a feature.

    Numbers and words of columns of large weight, and of few records, are used first.
    """
    cells = _list_buckets(numbers, weights)
    others = {k: column for k, column in columns.items() if k not in numbers}
    words, word_count = _list_words(others, cells, weights)
    span = word_count + int(cells.max(initial=0)) + 1
    parts = []
    for c in range(cells.shape[1]):
        # the two grids of one number column are not paired with each other
        later = cells[:, 2 * (c // 2 + 1) :]
        # pairs of numbers are many and would displace the words of records that have words
        later = np.where((later >= 0) & (words[:, :1] < 0), later + word_count, -1)
        partners = np.concatenate([words, later], axis=1)
        own = cells[:, c : c + 1].astype(np.int64)
        parts.append(np.where((own >= 0) & (partners >= 0), own * span + partners, -1))
    keys = np.concatenate(parts, axis=1) if parts else np.empty((cells.shape[0], 0), np.int64)
    present = keys >= 0
    distinct, feature = np.unique(keys[present], return_inverse=True)
    start = np.concatenate([[0], np.cumsum(present.sum(1))])
    features = ValueFeatures(start, feature.reshape(-1).astype(np.int32), distinct.size)
    rows = np.arange(keys.shape[0], dtype=np.int32)[:, None]
    times, widest = count_features(rows, features)
    return build_index(rows, features, times, widest) if times.max(initial=0) > 1 else None


def _list_buckets(numbers: Mapping[str, Floats], weights: Mapping[str, float]) -> Int32s:
    """Number the buckets of each record, two grids for each number column; -1 where missing."""
    distinct = {name: distinct_of(x[~np.isnan(x)]).size for name, x in numbers.items()}
    order = sorted(numbers, key=lambda name: -distinct[name] * weights.get(name, 1.0))
    cells = [
        _cut(numbers[name], shift)
        for name in order[:MAX_COLUMNS]
        if distinct[name] > 1
        for shift in (0.0, 0.5)
    ]
    if not cells:
        return np.empty((next(iter(numbers.values())).size, 0), np.int32)
    # bucket numbers of different grids do not overlap
    grids = [np.where(cell >= 0, cell + (BUCKETS + 1) * g, -1) for g, cell in enumerate(cells)]
    return np.stack(grids, 1).astype(np.int32)


def _cut(x: Floats, shift: float) -> Ints:
    """Cut values into buckets of about equally many records; equal values share a bucket."""
    present = ~np.isnan(x)
    _, code, count = np.unique(x[present], return_inverse=True, return_counts=True)
    middle = (np.cumsum(count) - count / 2) / max(1, present.sum())
    cells = np.full(x.size, -1, np.int64)
    cells[present] = np.floor(middle * BUCKETS + shift).astype(np.int64)[code.reshape(-1)]
    return cells


def _list_words(
    columns: Mapping[str, Column], cells: Int32s, weights: Mapping[str, float]
) -> tuple[Int32s, int]:
    """List the rarest words that each record shares with others; -1 fills the rows."""
    rarest = np.full((cells.shape[0], MAX_WORDS), -1, np.int32)
    if not columns:
        return rarest, 0
    rows, texts, ends = encode_values(columns)
    words = extract_ngrams(texts, ends, WHOLE_WORD)
    times, _ = count_features(rows, words)
    factors = weigh_features(columns, weights, words)
    if factors is not None:
        times = (times / factors).astype(np.int64)
    _keep_rarest(rows, words.start, words.feature, times, rarest)
    return rarest, words.total


@entry
def _keep_rarest(rows: Int32s, start: Ints, word: Int32s, times: Ints, words: Int32s) -> None:
    """Keep the rarest words of each record; the first in the record wins a tie."""
    for i in range(rows.shape[0]):
        size = 0
        for c in range(rows.shape[1]):
            if rows[i, c] < 0:
                continue
            for q in range(start[rows[i, c]], start[rows[i, c] + 1]):
                w = word[q]
                is_known = False
                for k in range(size):
                    is_known |= words[i, k] == w
                if is_known or times[w] < 2:
                    continue
                at = size
                while at > 0 and times[words[i, at - 1]] > times[w]:
                    at -= 1
                if at == words.shape[1]:
                    continue
                size = min(size + 1, words.shape[1])
                for k in range(size - 1, at, -1):
                    words[i, k] = words[i, k - 1]
                words[i, at] = w
