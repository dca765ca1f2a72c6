"""Local inference: only the entities that new, changed or removed records touch are reconsidered.

The stages are those of `resolve`, with the stored model, and from the present partition as well as
from singletons: candidate pairs, active set, search, sampling, point estimate and marginals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints
from partita.linkage.entity.model import COUNT_ADDED, entity_model, score_sizes
from partita.linkage.inference.active_set import ActiveSet, find_active_set
from partita.linkage.inference.first_partition import FirstPartition, find_first_partition
from partita.linkage.inference.marginals import Marginals
from partita.linkage.inference.model_choice import (
    MAX_SURE_PAIRS_SPLIT,
    ModelChoice,
    count_sure_pairs_split,
    find_best_entities,
)
from partita.linkage.inference.sampling import estimate_partition, sample_posterior
from partita.linkage.numbering import DistinctIds, ids_by_first_place
from partita.linkage.output.tables import round_probabilities
from partita.linkage.pairwise.scored_pairs import LEAST
from partita.linkage.prepare import Prepared
from partita.linkage.supervision.constraints import Constraints
from partita.store.candidates import RecordPairs, score_prepared
from partita.store.database import Database
from partita.store.indexing import LoadedRecords, read_statistics
from partita.store.model import Statistics, StoreModel

__all__ = ["LocalResult", "infer_locally", "keep_context", "neighbour_places"]

MIN_SURE_PAIRS = 100
"""Sure pairs of all runs from which the test of the entity model decides. Origin: a choice; the
standard error of the share is then 2 %."""


class LocalResult(NamedTuple):
    """The reconsidered records: their clusters, probabilities and scored pairs."""

    loaded: LoadedRecords
    labels: Ints
    p_member: Floats
    p_cluster: Floats
    pairs: RecordPairs
    sure_pairs: tuple[int, int]
    """Sure pairs that the entity model splits, and all of them; (0, 0) if it was not tested."""


def infer_locally(
    db: Database,
    model: StoreModel,
    loaded: LoadedRecords,
    pairs: Ints,
    constraints: Constraints,
    touched: Ints,
    seed: int,
) -> LocalResult:
    """Reconsider records with all members of their entities; `pairs` are places of candidates.

    Entities that are not `touched` are context: they compete for records, and stay as they are.
    """
    settings = model.settings.replaced(seed=seed, posterior="quick")
    prepared = loaded.prepare(model, constraints.rows)
    statistics = read_statistics(db, prepared)
    candidates = np.sort(prepared.numbering.narrow[pairs], axis=1)
    candidates = np.unique(candidates[candidates[:, 0] != candidates[:, 1]], axis=0)
    scored = score_prepared(db, model, prepared, statistics, candidates)
    active = find_active_set(scored, prepared, constraints, settings)
    before = _present_entities(loaded, prepared)
    first = find_first_partition(scored, active, seed, _start_labels(before, active))
    choice, sure_pairs = _choose_state(model, active, first, statistics, loaded.entity, seed)
    _, posterior = sample_posterior(active, first, choice, settings, False)
    is_new = model.reading is not None and model.reading.is_new
    state = estimate_partition(active, choice, posterior, settings, is_new)
    marginals = Marginals(active.numbering, posterior)
    clusters = active.extend(state).entity
    # a correction goes before the stability of entities
    if not constraints.rows.size:
        clusters = keep_context(clusters, before, touched, joins_new=prepared.exclusive is None)
    copies = np.bincount(prepared.numbering.narrow, minlength=prepared.n)
    p_member, p_cluster = marginals.of(clusters, copies)
    draws = 0 if posterior is None else posterior.n_draws * len(posterior.run.chains)
    expand = prepared.numbering.expand
    _, labels = ids_by_first_place(expand(clusters))
    mask = scored.scores.total > LEAST
    numbers = loaded.numbers[prepared.numbering.back(DistinctIds(scored.pairs[mask]))]
    scores = scored.scores.rows(np.flatnonzero(mask))
    return LocalResult(
        loaded,
        labels,
        round_probabilities(expand(p_member), draws),
        round_probabilities(expand(p_cluster), draws),
        RecordPairs(numbers[:, 0], numbers[:, 1], scores.total, scores.levels),
        sure_pairs,
    )


def _present_entities(loaded: LoadedRecords, prepared: Prepared) -> Ints:
    """The present entity of each distinct record; -1 for a new record."""
    entity = np.full(prepared.n, -1, np.int64)
    # an identical record that has an entity decides for its copies
    known = loaded.entity >= 0
    entity[prepared.numbering.narrow[known]] = loaded.entity[known]
    return entity


def _start_labels(before: Ints, active: ActiveSet) -> Ints:
    """The present entity of each active record; a new record is a singleton."""
    fresh = int(before.max(initial=0)) + 1 + np.arange(before.size)
    labels = np.where(before >= 0, before, fresh)[active.numbering.wide]
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def keep_context(labels: Ints, before: Ints, touched: Ints, *, joins_new: bool) -> Ints:
    """The clusters with every entity that is not touched as it was before.

    A touched entity that shares a cluster with such an entity also stays as it was. With
    `joins_new`, new records of that cluster join the touched entity that has most of its records.
    """
    is_context = (before >= 0) & ~np.isin(before, touched)
    is_mixed = np.isin(labels, labels[is_context])
    is_touched = (before >= 0) & ~is_context
    stays = is_context | (is_touched & np.isin(before, before[is_touched & is_mixed]))
    first = int(labels.max(initial=-1)) + 1
    clusters = np.where(stays, first + before, labels)
    for row in np.flatnonzero(is_mixed & (before < 0)).tolist() if joins_new else ():
        entities, counts = np.unique(
            before[is_touched & (labels == labels[row])], return_counts=True
        )
        if entities.size:
            clusters[row] = first + entities[np.argmax(counts)]
    return np.unique(clusters, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _choose_state(
    model: StoreModel,
    active: ActiveSet,
    first: FirstPartition | None,
    statistics: Statistics,
    present: Ints,
    seed: int,
) -> tuple[ModelChoice, tuple[int, int]]:
    """The best partition by the model that the first run chose, and the test of the entity model.

    The entity model of few records can fail when entities grow: every later run repeats the test of
    the first run on its sure pairs, and the pairwise model replaces a model that fails.
    """
    untested = 0, 0
    if first is None:
        why = "no pair has a score that allows a match"
        return ModelChoice("pairs", why, None, None), untested
    pairs = ModelChoice("pairs", model.why_model, first.model, first.state)
    before = (0.0, 0.0) if statistics.rates is None else statistics.rates["split"]
    is_tested = model.settings.model == "auto"
    if model.chosen_model == "pairs" or (is_tested and not _fits(*before)):
        return pairs, untested
    scored = first.scored
    start = active.extend(first.state)
    rows_of_entity = np.bincount(active.prepared.numbering.expand(start.entity))
    entities = entity_model(
        active.prepared.compared,
        scored.pairs,
        scored.scores.levels,
        scored.model,
        start,
        rows=active.numbering.wide,
        constraints=first.problem.constraints,
        frequencies=_share_values(statistics),
        sizes=score_sizes(_count_sizes(statistics, present, rows_of_entity, active.n)),
    )
    best, uncertain = find_best_entities(first.problem, entities, first.state, seed)
    split, sure = count_sure_pairs_split(first.problem, first.state, best)
    if is_tested and not _fits(before[0] + split, before[1] + sure):
        return pairs, (split, sure)
    return ModelChoice("entities", model.why_model, entities, best, uncertain), (split, sure)


def _count_sizes(statistics: Statistics, present: Ints, sizes: Ints, n: int) -> Ints:
    """The number of entities of each size up to n: reconsidered ones as in the first partition.

    An entity grows while records arrive, so that the sizes before an add are too small. A size
    beyond the end would cost nothing.
    """
    old = np.bincount(np.bincount(present[present >= 0]))
    new = np.bincount(sizes)
    seen = np.zeros(max(statistics.sizes.size, old.size, new.size, n + 1), np.int64)
    seen[: statistics.sizes.size] = statistics.sizes
    seen[: old.size] -= old
    seen[: new.size] += new
    seen[0] = 0
    return np.maximum(seen, 0)


def _fits(split: float, sure: float) -> bool:
    """Whether the entity model fits, by the number of sure pairs that it splits."""
    return sure < MIN_SURE_PAIRS or split <= MAX_SURE_PAIRS_SPLIT * sure


def _share_values(statistics: Statistics) -> list[Floats]:
    """The frequency of each value, by compared column."""
    return [
        np.asarray((counts + COUNT_ADDED) / max(float(filled), 1.0), np.float64)
        for counts, filled in zip(statistics.counts, statistics.filled, strict=True)
    ]


def neighbour_places(numbers: Ints, left: Ints, right: Ints) -> Ints:
    """Pairs of places in ascending record numbers; pairs with an absent record are left out."""
    ends = np.stack([left, right], 1)
    inside = np.isin(ends, numbers).all(1)
    return np.searchsorted(numbers, ends[inside]).astype(np.int64).reshape(-1, 2)
