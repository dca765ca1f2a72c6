"""What records are searched by: rows of value numbers, and grams that fit their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from partita.blocking.index import count_features, measure_reach
from partita.blocking.ngrams import Int32s, ValueFeatures, extract_ngrams
from partita.blocking.rules import Column
from partita.kernel import Bytes, Ints, distinct_of

__all__ = ["choose_ngrams", "encode_values"]

SHORTEST, LONGEST = 3, 8
ENOUGH = 0.4
"""Grams are long enough when a typical search reads this share of its record's lists."""
TOLD = 100_000
"""About how many records tell which grams are long enough."""


def encode_values(columns: Mapping[str, Column]) -> tuple[Int32s, Bytes, Ints]:
    """Rows of value numbers over all columns, and the UTF-8 of all values with their ends."""
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
    joined = pa.concat_arrays(texts)
    _, offsets, data = joined.buffers()
    if not len(joined) or data is None:
        return rows, np.empty(0, np.uint8), np.zeros(len(joined), np.int64)
    bounds = np.frombuffer(offsets, np.int64)[joined.offset : joined.offset + len(joined) + 1]
    text = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
    return rows, text, bounds[1:] - bounds[0]


def choose_ngrams(
    rows: Int32s, texts: Bytes, ends: Ints, budget: int
) -> tuple[int, ValueFeatures, tuple[Ints, int]]:
    """The shortest grams of which a search can read enough, and how often each occurs.

    Of very many records some tell which; a list of theirs is as much longer among all. One that
    has a single record of theirs is taken to be half a step long: shorter ones are often lone.
    """
    step = max(1, rows.shape[0] // TOLD)
    some, few, own = (rows, texts, ends) if step == 1 else _part(rows[::step], texts, ends)
    for length in range(SHORTEST, LONGEST + 1):
        traits = extract_ngrams(few, own, length)
        times, widest = count_features(some, traits)
        lengths = np.where(times == 1, (step + 1) // 2, 1 + (times - 1) * step)
        if measure_reach(some, traits, lengths, budget) >= ENOUGH:
            break
    if step > 1:
        traits = extract_ngrams(texts, ends, length)
        times, widest = count_features(rows, traits)
    return length, traits, (times, widest)


def _part(rows: Int32s, texts: Bytes, ends: Ints) -> tuple[Int32s, Bytes, Ints]:
    """Some rows, with the texts of their own values only."""
    kept = distinct_of(rows[rows >= 0])
    place = np.zeros(ends.size + 1, np.int32)
    place[kept] = np.arange(kept.size, dtype=np.int32)
    place[-1] = -1
    length = np.diff(ends, prepend=0)[kept]
    upto = np.cumsum(length)
    at = np.repeat(ends[kept] - upto, length) + np.arange(int(length.sum()))
    return place[rows], texts[at], upto
