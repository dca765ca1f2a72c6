"""`add`: records enter a store, and only the entities that they touch are reconsidered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.kernel import Ints, distinct_of
from partita.linkage.output.tables import WEIGHT_DIGITS
from partita.linkage.pairwise.model import LN2
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.store.candidates import RecordPairs, find_candidates, keep_nearest, score_pairs
from partita.store.corrections import constrain, load_partners
from partita.store.create import find_evidence
from partita.store.database import Database
from partita.store.drift import SPLIT, Measure, write_measures
from partita.store.identity import assign_entities, find_anchors
from partita.store.indexing import load_records
from partita.store.journal import Changes, Membership, commit_changes
from partita.store.local import LocalResult, infer_locally, neighbour_places
from partita.store.model import StoreModel
from partita.store.rates import count_matches, follow_rates
from partita.store.records import Layout, entities_of, members_of

__all__ = ["reconsider"]


def reconsider(
    db: Database,
    layout: Layout,
    model: StoreModel,
    run: int,
    new: Ints,
    entities: Ints,
    changes: Changes,
) -> None:
    """Reconsider new records and the entities that they touch, and commit the changes.

    `new` are records that the index holds already and that have no entity; `entities` are
    reconsidered in any case. `changes` holds the records that vanish in this run.
    """
    touched, scored = distinct_of(entities), None
    if new.size:
        queried = load_records(db, layout, model, new)
        place, right = find_candidates(db, model, queried)
        scored = score_pairs(db, layout, model, queried.numbers[place], right)
        _count_matches(db, model, run, new, scored)
        linked = scored.linked()
        ends = np.concatenate([linked.left, linked.right])
        # a run that learns the model has stored the pairs of new records
        stored = [_linked_entities(db, new), _entities_of_copies(db, new)]
        touched = distinct_of(np.concatenate([touched, entities_of(db, ends), *stored]))
    gone = np.array([r for r, after in changes.records.items() if after.entity is None], np.int64)
    members = np.setdiff1d(members_of(db, touched), gone)
    partners = load_partners(db, np.append(members, new))
    touched = distinct_of(np.append(touched, entities_of(db, partners)))
    members = np.setdiff1d(members_of(db, touched), gone)
    context = members_of(db, _linked_entities(db, members))
    numbers = distinct_of(np.concatenate([members, context, new]))
    numbers = np.setdiff1d(numbers, gone)
    if numbers.size:
        loaded = load_records(db, layout, model, numbers)
        pairs = neighbour_places(
            loaded.numbers, *_list_pairs(db, model, loaded.numbers, scored, gone)
        )
        constraints = constrain(db, loaded.numbers)
        seed = model.settings.seed + run
        result = infer_locally(db, model, loaded, pairs, constraints, touched, seed)
        anchors = find_anchors(db, model.settings.reference, loaded.numbers, result.labels)
        _change_entities(db, run, changes, result, touched, anchors)
        _write_pairs(db, result)
        write_measures(db, run, [Measure.of_share(SPLIT, "", *result.sure_pairs)])
        follow_rates(db)
    commit_changes(db, run, changes)


def _count_matches(
    db: Database, model: StoreModel, run: int, new: Ints, scored: RecordPairs
) -> None:
    """Count the expected matches of new records; copies of a record are counted once.

    A model that this run has learned contains the counts of the new records.
    """
    if run == db.value("SELECT max(run) FROM models"):
        return
    sql = "SELECT record FROM records WHERE record IN :keys AND is_indexed"
    indexed = np.array([row[0] for row in db.rows_in(sql, new.tolist())], np.int64)
    copies = np.setdiff1d(new, indexed)
    counted = scored.select(~np.isin(scored.left, copies) & ~np.isin(scored.right, copies))
    possible = indexed.size * (2 * int(db.meta("distinct")) - indexed.size - 1) // 2
    write_measures(db, run, count_matches(model, counted.levels, counted.log_odds, possible))
    follow_rates(db)


def _linked_entities(db: Database, members: Ints) -> Ints:
    """Entities with a pair that may join one of their records to the members."""
    sql = (
        "SELECT DISTINCT r.entity FROM pairs p JOIN records r ON r.record = p.other "
        f"WHERE p.record IN :keys AND p.match_weight > {LINKED / LN2} AND r.entity IS NOT NULL"
    )
    return np.array([row[0] for row in db.rows_in(sql, members.tolist())], np.int64)


def _entities_of_copies(db: Database, new: Ints) -> Ints:
    """Entities with a record that is identical to a new one; one of both is in the index."""
    sql = (
        "SELECT DISTINCT o.entity FROM records r JOIN records o ON o.digest = r.digest "
        "WHERE r.record IN :keys AND o.entity IS NOT NULL"
    )
    return np.array([row[0] for row in db.rows_in(sql, new.tolist())], np.int64)


def _list_pairs(
    db: Database, model: StoreModel, numbers: Ints, new: RecordPairs | None, gone: Ints
) -> tuple[Ints, Ints]:
    """Scored pairs of records, stored ones and those of new records, that are still candidates.

    The candidates of a blocking rule have no rank, and a store with rules keeps all pairs.
    """
    sql = "SELECT record, other, match_weight FROM pairs WHERE record IN :keys"
    rows = np.array(db.rows_in(sql, numbers.tolist()), np.float64).reshape(-1, 3)
    left, right = rows[:, :2].astype(np.int64).T
    weight = rows[:, 2]
    if new is not None:
        ends, bits = (new.left, new.right), new.log_odds / LN2
        left, right = np.concatenate([left, *ends]), np.concatenate([right, *ends[::-1]])
        weight = np.concatenate([weight, bits, bits])
    is_ranked = model.settings.neighbours > 0 and not model.settings.rules
    present = np.union1d(_list_present(db, right), numbers)
    is_present = np.isin(right, np.setdiff1d(present, gone))
    left, right, weight = left[is_present], right[is_present], weight[is_present]
    return keep_nearest(left, right, weight, model.settings.neighbours if is_ranked else left.size)


def _list_present(db: Database, records: Ints) -> Ints:
    """Those of some records that have an entity: removed and replaced ones have none."""
    sql = "SELECT record FROM records WHERE record IN :keys AND entity IS NOT NULL"
    return np.array([row[0] for row in db.rows_in(sql, distinct_of(records).tolist())], np.int64)


def _change_entities(
    db: Database,
    run: int,
    changes: Changes,
    result: LocalResult,
    touched: Ints,
    anchors: Mapping[int, str],
) -> None:
    """Give ids to the clusters, and collect the changes of records and entities.

    Entities that are context only keep their probabilities.
    """
    before, labels, numbers = result.loaded.entity, result.labels, result.loaded.numbers
    entities = assign_entities(db, run, changes, before, labels, anchors)
    after = np.array(entities, np.int64)[labels]
    moved = before != after
    changed = {*touched.tolist(), *before[moved].tolist(), *after[moved].tolist()}
    weight = np.round(result.pairs.log_odds / LN2, WEIGHT_DIGITS)
    ends = [np.searchsorted(numbers, side) for side in (result.pairs.left, result.pairs.right)]
    bits, partner = find_evidence(labels, ends[0], ends[1], weight)
    for row, record in enumerate(numbers.tolist()):
        entity = int(after[row])
        if entity not in changed:
            continue
        changes.records[record] = Membership(entity, float(result.p_member[row]))
        changes.p_cluster[entity] = float(result.p_cluster[row])
        best, other = bits[row], partner[row]
        if best is not None and other is not None:
            changes.evidence[record] = (best, int(numbers[other]))


def _write_pairs(db: Database, result: LocalResult) -> None:
    left, right = result.pairs.left.tolist(), result.pairs.right.tolist()
    weight = np.round(result.pairs.log_odds / LN2, WEIGHT_DIGITS).tolist()
    rows: list[Any] = [
        *zip(left, right, weight, strict=True),
        *zip(right, left, weight, strict=True),
    ]
    db.execute_many("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)", rows)
