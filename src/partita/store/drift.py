"""Drift: how added records differ from those that the model was learned from.

The run that learns a model writes one row for each measure, and so does every `add`. The sums of
the rows since then are compared with the first row. Re-learning is due where the difference is
both significant and material, or where the store has grown far beyond the learned records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from partita.linkage.output.tables import UNCERTAIN
from partita.linkage.prepare import Prepared
from partita.store.database import Database
from partita.store.index import count_keys
from partita.store.model import StoreModel, compared_keys

__all__ = [
    "Measure",
    "is_learning_due",
    "measure_deliveries",
    "measure_learning",
    "measure_values",
    "report_drift",
]

FILLED, NEW, SCORE, DOUBT = "filled", "new value", "match weight", "uncertain"
"""Records with a value in a column; values that no stored record has; match weights (bits) of
records that join others; records whose p_member is below .95."""
MATCH, LEVEL, SPLIT = "match", "level", "split pair"
"""Expected matches among all pairs, and at each comparison level; sure pairs that the entity model
splits. `rates.py` sums them."""
SENTENCES = {
    FILLED: "{field} is filled in {now:.0%} of the new records, {then:.0%} when the model was "
    "learned",
    NEW: "{now:.0%} of the new values of {field} are unknown, {then:.0%} are expected",
    SCORE: "new records match by {now:.1f} bits on average, {then:.1f} when the model was learned",
    DOUBT: "{now:.0%} of the new records are uncertain, {then:.0%} when the model was learned",
}
MIN_Z = 4.0
"""Standard errors of a significant difference. Origin: a choice; all columns are tested after each
add, so that two or three would raise false alarms."""
MIN_SHARE_CHANGE = 0.1
"""Difference of two shares that is material. Origin: a choice."""
MIN_SCORE_CHANGE = 0.5
"""Difference of mean match weights that is material, in standard deviations. Origin: a choice."""
MAX_GROWTH = 4.0
"""Records of a store for each learned record, from which re-learning is due. Origin: a choice;
random pairs, dependence and the reading do not follow the store, and `train` learns them again."""

SETTLED_RECORDS = 600
"""Distinct records from which a model is learned for good, unless `train` learns another. Origin:
chosen with the sets of `benchmarks.store batches` in view, no domain left out; 2,500 cost
RLdata10000 .009 of F1 in one order. A level that 1 % of random pairs show then has a weight with a
standard error of .6 bit."""
LEARNING_GROWTH = 1.5
"""Distinct records of a small store for each learned one, from which `add` learns again. Origin: a
choice by cost, no other factor was measured; all records are then learned from three times at most
on average."""


class Measure(NamedTuple):
    """The sum, the sum of squares and the number of observations of one measure."""

    measure: str
    field: str
    """The column; empty where the measure has none."""
    observed: float
    squares: float
    total: int

    @classmethod
    def of_share(cls, measure: str, field: str, observed: int, total: int) -> Measure:
        """A number of cases among a total."""
        return cls(measure, field, observed, observed, total)

    @classmethod
    def of_scores(cls, bits: Sequence[float]) -> Measure:
        """The match weights of records with their partners."""
        values = np.array(bits, np.float64)
        return cls(SCORE, "", float(values.sum()), float((values**2).sum()), int(values.size))


def measure_learning(
    prepared: Prepared, bits: Sequence[float | None], p_member: Sequence[float]
) -> list[Measure]:
    """The measures of the records that a model is learned from.

    The expected share of new values is that of values that occur once (Good and Turing).
    """
    measures = []
    for column in prepared.compared:
        codes = column.codes[column.codes >= 0]
        once = int((np.bincount(codes) == 1).sum())
        measures.append(Measure.of_share(FILLED, column.name, int(codes.size), prepared.n))
        measures.append(Measure.of_share(NEW, column.name, once, int(codes.size)))
    measures.append(Measure.of_scores([weight for weight in bits if weight is not None]))
    return [*measures, _measure_doubt(p_member)]


def _measure_doubt(p_member: Sequence[float]) -> Measure:
    uncertain = int((np.array(p_member, np.float64) < UNCERTAIN[1]).sum())
    return Measure.of_share(DOUBT, "", uncertain, len(p_member))


def measure_values(db: Database, prepared: Prepared) -> list[Measure]:
    """The fill rates and new values of records that the index does not hold yet."""
    measures = []
    for column, keys in zip(prepared.compared, compared_keys(prepared), strict=True):
        codes = column.codes[column.codes >= 0]
        unknown = int((count_keys(db, keys)[codes] == 0).sum())
        measures.append(Measure.of_share(FILLED, column.name, int(codes.size), prepared.n))
        measures.append(Measure.of_share(NEW, column.name, unknown, int(codes.size)))
    return measures


def measure_deliveries(db: Database, run: int) -> list[Measure]:
    """The match weights and the uncertainty of the records that a run added."""
    rows = db.rows(
        "SELECT bits, p_after FROM record_changes WHERE run = ? AND entity_before IS NULL "
        "AND entity_after IS NOT NULL",
        (run,),
    )
    scores = Measure.of_scores([bits for bits, _ in rows if bits is not None])
    return [scores, _measure_doubt([p for _, p in rows])]


def write_measures(db: Database, run: int, measures: Sequence[Measure]) -> None:
    """Write the measures of a run."""
    rows = [(run, *measure) for measure in measures if measure.total]
    db.execute_many("INSERT INTO drift VALUES (?, ?, ?, ?, ?, ?)", rows)


def report_drift(db: Database, model: StoreModel) -> list[dict[str, Any]]:
    """The measures that differ since the model was learned, each with a sentence."""
    learned = int(db.value("SELECT max(run) FROM models"))
    first = _sum_measures(db, "d.run = ?", learned)
    later = _sum_measures(db, "d.run > ? AND u.undone_by IS NULL", learned)
    report = []
    for key, then in first.items():
        now = later.get(key)
        if now is not None and _differs(then, now):
            means = {"then": then.observed / then.total, "now": now.observed / now.total}
            text = SENTENCES[now.measure].format(field=now.field, **means)
            named = {"measure": now.measure, "column": now.field or None, "records": now.total}
            report.append({**named, **means, "sentence": text})
    growth = _measure_growth(db, model)
    if growth >= MAX_GROWTH:
        text = f"the store has {growth:.1f} times the records that the model was learned from"
        named = {"measure": "growth", "column": None, "records": int(db.meta("distinct"))}
        report.append({**named, "then": 1.0, "now": growth, "sentence": text})
    return report


def _measure_growth(db: Database, model: StoreModel) -> float:
    """Distinct records of the store for each one that the model was learned from."""
    return float(int(db.meta("distinct")) / max(model.learned.records, 1))


def is_learning_due(db: Database, model: StoreModel) -> bool:
    """Whether the model of few records is to be learned again, by all records of the store.

    A model that the user gave or that labels trained stays, and so does one of links, where a
    delivery may fill one source alone.
    """
    if model.reading is None or model.reading.is_given or model.settings.mode == "link":
        return False
    is_small = model.learned.records < SETTLED_RECORDS
    return is_small and _measure_growth(db, model) >= LEARNING_GROWTH


def _sum_measures(db: Database, where: str, run: int) -> dict[tuple[str, str], Measure]:
    sql = (
        "SELECT d.measure, d.field, sum(d.observed), sum(d.squares), sum(d.total) FROM drift d "
        f"JOIN runs u USING (run) WHERE {where} AND d.measure NOT IN "
        f"('{MATCH}', '{LEVEL}', '{SPLIT}') GROUP BY 1, 2 ORDER BY 1, 2"
    )
    return {row[:2]: Measure(*row) for row in db.rows(sql, (run,))}


def _differs(then: Measure, now: Measure) -> bool:
    """Whether the difference of two means is significant and material."""
    mean, other = then.observed / then.total, now.observed / now.total
    change = other - mean
    if now.measure in (NEW, DOUBT) and change < 0:
        # a growing store holds more of the values, and certainty needs no learning
        return False
    if now.measure == SCORE:
        spread = math.sqrt(max(then.squares / then.total - mean**2, 0.0))
        error = spread * math.sqrt(1 / then.total + 1 / now.total)
        return abs(change) > max(MIN_SCORE_CHANGE * spread, MIN_Z * error)
    pooled = (then.observed + now.observed) / (then.total + now.total)
    error = math.sqrt(pooled * (1 - pooled) * (1 / then.total + 1 / now.total))
    return abs(change) > max(MIN_SHARE_CHANGE, MIN_Z * error)
