"""Features of records for blocking: rows of value numbers, and n-grams of a fitting length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from partita.blocking.index import count_features, measure_reach
from partita.blocking.ngrams import Int32s, ValueFeatures, extract_ngrams
from partita.blocking.rules import Column
from partita.kernel import Bytes, Floats, Ints, distinct_of

__all__ = ["NO_WEIGHTS", "choose_ngrams", "encode_values", "weigh_features"]

MIN_LENGTH = 3
"""Characters of the shortest n-grams. Origin: 0.1."""
MAX_LENGTH = 8
"""Characters of the longest n-grams. Origin: 0.1."""
MIN_REACH = 0.4
"""The share of its posting lists that a typical search must be able to read. Origin: 0.1."""
NO_WEIGHTS: Mapping[str, float] = {}
"""The weights of columns that all count in full."""
SAMPLE_RECORDS = 100_000
"""Records, about, from which the length of n-grams is chosen. A limit of CPU seconds."""


def encode_values(columns: Mapping[str, Column]) -> tuple[Int32s, Bytes, Ints]:
    """Encode records: rows of value numbers, and the UTF-8 of all values with their ends."""
    rows = np.empty((np.asarray(next(iter(columns.values())).codes).size, len(columns)), np.int32)
    texts: list[Any] = []
    shift = 0
    for c, column in enumerate(columns.values()):
        codes = np.asarray(column.codes)
        rows[:, c] = np.where(codes >= 0, codes + shift, -1)
        shift += len(column.values)
        values = column.values
        chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
        whole = (chunk.fill_null("") if chunk.null_count else chunk for chunk in chunks)
        texts += [chunk.cast(pa.large_string()) for chunk in whole]
    column_texts = pa.concat_arrays(texts)
    _, offsets, data = column_texts.buffers()
    if not len(column_texts) or data is None:
        return rows, np.empty(0, np.uint8), np.zeros(len(column_texts), np.int64)
    bounds = np.frombuffer(offsets, np.int64)[
        column_texts.offset : column_texts.offset + len(column_texts) + 1
    ]
    text = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
    return rows, text, bounds[1:] - bounds[0]


def weigh_features(
    columns: Mapping[str, Column], weights: Mapping[str, float], features: ValueFeatures
) -> Floats | None:
    """The mean weight of the columns in which each feature occurs; None where all weights are 1.

    The features are those of the values of the columns, in their order.
    """
    if all(weights.get(name, 1.0) == 1.0 for name in columns):
        return None
    counts = [
        np.bincount(codes[codes >= 0], minlength=len(column.values))
        for column in columns.values()
        for codes in [np.asarray(column.codes)]
    ]
    sizes = [count.size for count in counts]
    weight = np.repeat([weights.get(name, 1.0) for name in columns], sizes)
    count = np.concatenate(counts)
    length = np.diff(features.start)
    records = np.bincount(features.feature, np.repeat(count, length), minlength=features.total)
    sums = np.bincount(
        features.feature, np.repeat(weight * count, length), minlength=features.total
    )
    return np.where(records > 0, sums / np.maximum(records, 1), 1.0)


def choose_ngrams(
    rows: Int32s, texts: Bytes, ends: Ints, budget: int
) -> tuple[int, ValueFeatures, tuple[Ints, int]]:
    """Choose the shortest n-grams of which a search reads enough; count their records.

    Among very many records a sample decides. A posting list is longer among all records than in
    the sample by the sampling step; a list with one record of the sample counts as half a step,
    since many such lists have no other record.
    """
    step = max(1, rows.shape[0] // SAMPLE_RECORDS)
    sample = (rows, texts, ends) if step == 1 else _restrict(rows[::step], texts, ends)
    for length in range(MIN_LENGTH, MAX_LENGTH + 1):
        features = extract_ngrams(sample[1], sample[2], length)
        times, widest = count_features(sample[0], features)
        lengths = np.where(times == 1, (step + 1) // 2, 1 + (times - 1) * step)
        if measure_reach(sample[0], features, lengths, budget) >= MIN_REACH:
            break
    if step > 1:
        features = extract_ngrams(texts, ends, length)
        times, widest = count_features(rows, features)
    return length, features, (times, widest)


def _restrict(rows: Int32s, texts: Bytes, ends: Ints) -> tuple[Int32s, Bytes, Ints]:
    """Restrict the texts to the values that occur in some rows."""
    used = distinct_of(rows[rows >= 0])
    place = np.zeros(ends.size + 1, np.int32)
    place[used] = np.arange(used.size, dtype=np.int32)
    place[-1] = -1
    length = np.diff(ends, prepend=0)[used]
    upto = np.cumsum(length)
    at = np.repeat(ends[used] - upto, length) + np.arange(int(length.sum()))
    return place[rows], texts[at], upto
