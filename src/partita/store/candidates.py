"""Candidates of new records, and the entities that they touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.pairwise.scored_pairs import LINKED, ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.readings.saved import load_scorer
from partita.linkage.sources import apply_rates
from partita.store.database import Database
from partita.store.documents import list_documents, load_tables
from partita.store.index import find_neighbours
from partita.store.indexing import (
    LoadedRecords,
    encode_sources,
    list_features,
    load_records,
    read_statistics,
)
from partita.store.model import Statistics, StoreModel, localise
from partita.store.records import Layout

__all__ = [
    "RecordPairs",
    "find_candidates",
    "keep_nearest",
    "score_pairs",
    "score_prepared",
]


class RecordPairs(NamedTuple):
    """Scored pairs of record numbers."""

    left: Ints
    right: Ints
    log_odds: Floats
    levels: NDArray[np.int8]

    def linked(self) -> RecordPairs:
        """The pairs that may be in one entity."""
        return self.select(self.log_odds > LINKED)

    def select(self, mask: Ints | np.ndarray) -> RecordPairs:
        """Some of the pairs."""
        left, right = self.left[mask], self.right[mask]
        return RecordPairs(left, right, self.log_odds[mask], self.levels[mask])


def find_candidates(db: Database, model: StoreModel, queried: LoadedRecords) -> tuple[Ints, Ints]:
    """Find the candidates of records: places of queried records, and numbers of stored ones."""
    prepared = queried.prepare_apart(model)
    lists = list_features(prepared, model)
    is_linked = model.settings.mode == "link"
    sources = encode_sources(db, queried.records) if is_linked else None
    place, record = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for searched, postings in lists.searches.items():
        near = find_neighbours(
            db,
            postings,
            queried.numbers,
            model.settings.neighbours,
            model.settings.seed,
            searched,
            sources,
        )
        place.append(near.place)
        record.append(near.record)
    return np.concatenate(place), np.concatenate(record)


def score_prepared(
    db: Database, model: StoreModel, prepared: Prepared, statistics: Statistics, pairs: Ints
) -> ScoredPairs:
    """Score pairs of prepared records by the model of the store."""
    documents = list_documents(db, prepared)
    comparisons = Comparisons(
        prepared.compared, prepared.column_types, prepared.comparisons, documents
    )
    local = localise(model, prepared, statistics)
    across = prepared.source if model.settings.mode == "link" else None
    if across is not None and len(pairs):
        pairs = pairs[across[pairs[:, 0]] != across[pairs[:, 1]]]
    pairs = pairs[prepared.are_possible(pairs)]
    scored = ScoredPairs.of(comparisons, local, pairs, None, across)
    stored = None if model.reading is None else model.reading.scorer
    if stored is not None:
        tables = load_tables(db, model, prepared, statistics)
        scored = scored.read_by(load_scorer(stored, tables, model.settings.prior), pairs)
    if model.rates is None or prepared.source is None:
        return scored
    return apply_rates(scored, prepared, pairs, model.rates)


def score_pairs(
    db: Database, layout: Layout, model: StoreModel, left: Ints, right: Ints
) -> RecordPairs:
    """Score pairs of stored records by number; pairs below the bound are left out."""
    if not left.size:
        none = np.empty(0, np.int64)
        return RecordPairs(none, none, np.empty(0), np.empty((0, 0), np.int8))
    loaded = load_records(db, layout, model, distinct_of(np.concatenate([left, right])))
    prepared = loaded.prepare_apart(model)
    ends = np.searchsorted(loaded.numbers, np.stack([left, right], 1))
    pairs = np.unique(np.sort(ends, axis=1), axis=0)
    scored = score_prepared(db, model, prepared, read_statistics(db, prepared), pairs)
    numbers = loaded.numbers[scored.pairs]
    return RecordPairs(numbers[:, 0], numbers[:, 1], scored.scores.total, scored.scores.levels)


def keep_nearest(left: Ints, right: Ints, weight: Floats, many: int) -> tuple[Ints, Ints]:
    """The pairs that are among the `many` best of one of their records; each is given both ways.

    Blocking finds the nearest neighbours of a record at its time. A record that came early had few
    to choose from. If its candidates were kept when later records are nearer, clusters would be
    linked by more pairs than a run over all records compares.
    """
    (left, right), at = np.unique(np.stack([left, right]), axis=1, return_index=True)
    order = np.lexsort((right, -weight[at], left))
    left, right = left[order], right[order]
    first, place = np.diff(left, prepend=-1) != 0, np.arange(left.size)
    best = place - np.maximum.accumulate(np.where(first, place, 0)) < many
    low, high = np.minimum(left, right)[best], np.maximum(left, right)[best]
    kept = np.unique(np.stack([low, high], 1), axis=0)
    return kept[:, 0], kept[:, 1]
