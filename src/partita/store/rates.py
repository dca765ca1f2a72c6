"""Rates of a store: the share of matches, and their level rates, follow its records.

The run that learns a model writes the expected number of matches among its candidate pairs, and of
those at each comparison level. Every `add` writes the same of the candidates of its new records,
which is one step of EM by the rates at the time. The sums over all runs give the rates of the
store, as the counts of its values give term frequencies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, logistic
from partita.linkage.pairwise.em import LEAST_MATCHES
from partita.linkage.supervision.trained_model import TrainedModel, name_weights
from partita.store.database import Database
from partita.store.drift import LEVEL, MATCH, SPLIT, Measure
from partita.store.model import StoreModel

__all__ = ["count_matches", "follow_rates"]


def count_matches(
    store_model: StoreModel, levels: NDArray[np.int8], log_odds: Floats, possible: int
) -> list[Measure]:
    """The expected matches among candidate pairs, and at each level; `possible` are all pairs.

    Links have none, so that their rates stay: a delivery may fill one source alone.
    """
    if store_model.settings.mode != "dedupe":
        return []
    p = logistic(log_odds)
    measures = [Measure(MATCH, "", float(p.sum()), 0.0, possible)]
    model = store_model.learned.pair_model
    if not len(p) or not _has_em_weights(store_model.learned):
        return measures
    for q, (name, titles) in enumerate(zip(model.names, model.level_names, strict=True)):
        filled = levels[:, q] >= 0
        counts = np.bincount(levels[filled, q], p[filled], minlength=len(titles)).tolist()
        for title, count in zip(name_weights(name, titles), counts, strict=True):
            measures.append(Measure(LEVEL, title, count, 0.0, len(p)))
    return measures


def _has_em_weights(learned: TrainedModel) -> bool:
    """Whether EM estimated the weights that score pairs: neither labels nor another reading did."""
    return learned.reading is not None and learned.reading.scorer is None


def follow_rates(db: Database) -> None:
    """Sum the counts of all runs since the model was learned, without later ones that are undone.

    Before the first later add the rates are those of the model. A store that an earlier version
    learned has no counts of its first run, and keeps the rates of the model until it is trained.
    """
    learned = int(db.value("SELECT max(run) FROM models"))
    sql = (
        "SELECT d.measure, d.field, sum(d.observed), sum(d.total), max(d.run), "
        "sum((d.run = ?) * d.observed), sum((d.run = ?) * d.total) FROM drift d "
        "JOIN runs u USING (run) WHERE d.run >= ? AND (d.run = ? OR u.undone_by IS NULL) "
        "AND d.measure IN (?, ?, ?) GROUP BY 1, 2"
    )
    rows = db.rows(sql, (learned, learned, learned, learned, MATCH, LEVEL, SPLIT))
    sums = {(measure, field): numbers for measure, field, *numbers in rows}
    matches, pairs, last, first, first_pairs = sums.get((MATCH, ""), (0.0, 0, learned, 0.0, 0))
    rates = None
    if last > learned and first_pairs:
        # a model expects one match at least
        expected = max(first, LEAST_MATCHES)
        rates = {
            "share": (matches - first + expected) / pairs * first_pairs / expected,
            "levels": {field: sums[measure, field][0] for measure, field in sums if field},
            "split": sums.get((SPLIT, ""), (0.0, 0))[:2],
        }
    db.set_meta("rates", rates)
