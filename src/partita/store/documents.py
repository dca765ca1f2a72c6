"""Document counts of a store: the number of values that have a word or an n-gram.

Comparisons of text, and the prior, weigh words and n-grams by inverse document frequency. A part
of the records would give other weights, so the counts of the whole store are kept in its table of
features, and read while a part is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.comparison.strings import use_documents
from partita.kernel import Ints
from partita.linkage.prepare import Prepared
from partita.linkage.readings.features import (
    ColumnStatistics,
    FeatureTables,
    read_words,
    select_worded,
)
from partita.store.database import Database
from partita.store.features import ODD, SIGN
from partita.store.index import add_counts, count_keys
from partita.store.model import Statistics, StoreModel

__all__ = ["ColumnDocuments", "list_documents", "load_tables", "record_documents"]

WHOLE = 63
"""The place under which the words of whole records are counted."""
UNITS = 64
"""Kinds of words and n-grams of one column, at most."""


def _mix(keys: Ints, place: int, unit: int) -> Ints:
    """Keys of the words or n-grams of one column, by the place of the column."""
    mixed = (keys.astype(np.uint64) + np.uint64(1 + place * UNITS + unit)) * np.uint64(ODD)
    mixed ^= mixed >> np.uint64(31)
    return ((mixed * np.uint64(ODD)) & SIGN).astype(np.int64)


class ColumnDocuments:
    """The document counts of one column, which each kind of word or n-gram reads in order."""

    def __init__(self, db: Database, place: int, n: int) -> None:
        self.db, self.place, self.n, self.unit = db, place, n, -1

    def __call__(self, keys: Ints, df: Ints, n: int) -> tuple[Ints, int]:
        """The counts of all values of the store."""
        self.unit += 1
        return count_keys(self.db, _mix(keys, self.place, self.unit)), self.n


class _Recorder:
    """Collects the keys and counts of the values that are compared."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.lists: list[tuple[Ints, Ints]] = []

    def __call__(self, keys: Ints, df: Ints, n: int) -> tuple[Ints, int]:
        self.lists.append((_mix(keys, self.place, len(self.lists)), df[: keys.size]))
        return df, n


def list_documents(db: Database, prepared: Prepared) -> list[ColumnDocuments]:
    """The document counts of each compared column."""
    counts: list[int] = db.meta("documents")
    return [ColumnDocuments(db, q, counts[q]) for q in range(len(prepared.compared))]


def record_documents(
    db: Database, model: StoreModel, prepared: Prepared, fresh: Sequence[Any], sign: int
) -> None:
    """Add or remove the words and n-grams of values, by compared column, and of whole records."""
    counts: list[int] = db.meta("documents") or [0] * len(fresh)
    for q, values in enumerate(fresh):
        recorder = _Recorder(q)
        if len(values):
            with use_documents(recorder):
                prepared.comparisons[q].prepare(values)
        counts[q] += sign * len(values)
        _add(db, recorder, sign)
    db.set_meta("documents", counts)
    if _has_tables(model):
        recorder = _Recorder(WHOLE)
        with use_documents(recorder):
            weights = model.learned.pair_model.column_weights
            read_words(select_worded(prepared.compared, weights))
        _add(db, recorder, sign)


def _add(db: Database, recorder: _Recorder, sign: int) -> None:
    for keys, df in recorder.lists:
        add_counts(db, keys, sign * df)


def _has_tables(model: StoreModel) -> bool:
    return model.reading is not None and model.reading.is_pooled


def load_tables(
    db: Database, model: StoreModel, prepared: Prepared, statistics: Statistics
) -> FeatureTables | None:
    """The tables of the prior for some records, by the counts of the whole store."""
    if model.reading is None or not model.reading.is_pooled:
        return None
    stored = model.reading.scorer or {}
    unit = float(np.log(max(statistics.n, 3)))
    profiles = []
    for q, column in enumerate(prepared.compared):
        total = max(float(statistics.filled[q]), 2.0)
        value = np.minimum(np.log(total / np.maximum(statistics.counts[q], 1)), unit)
        reached = np.array(stored["reached"][q])
        entropy, fill = stored["entropy"][q], stored["fill"][q]
        weights = model.learned.pair_model.column_weights
        weight = weights[q] if weights else 1.0
        profiles.append(ColumnStatistics(column.codes, value, reached, entropy, fill, weight))
    with use_documents(ColumnDocuments(db, WHOLE, statistics.n)):
        return FeatureTables.of_part(
            statistics.n, profiles, prepared.compared, prepared.column_types
        )
