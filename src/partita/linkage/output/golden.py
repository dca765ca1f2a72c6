"""Golden records: one row for each entity, each value with its probability.

In one entity and column a value v, counted over spellings that are equal once cleaned, has

    P(v) = (W_v + alpha phi_v) / (W + alpha),   alpha = (1 - s) / s,

W_v being the sum of p_member over the members that show v, W over those that show any, phi_v the
share of v among all records, and s the share of pairs within entities that agree. This is the
predictive probability of a Polya urn in which two records agree with probability s, so that a
single record is believed as far as records of its column are worth believing. Missing values are
neutral. Of the spellings of the chosen value the commonest is kept, and of equally common ones the
longest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data import Column, Records
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.columns import RAW_TYPES
from partita.linkage.result import Resolution

__all__ = ["check_golden", "golden"]

FIRST = ("cluster_id", "cluster_size", "p_cluster")
AGREED, SEEN = 0.9, 2.0
"""The share of agreeing pairs before any is seen, and for how many pairs it counts."""
DIGITS = 9
"""Sums of probabilities that agree so far are ties."""


def check_golden(records: Records) -> None:
    """Raises if the columns of golden records could be mistaken for those of the input."""
    taken = set(records.table.column_names)
    for name in (*FIRST, *(f"p_{name}" for name in records.names)):
        if name in taken:
            raise InputError(
                f"golden records have a column {name!r}, and so has the input; rename that of the "
                "input"
            )


def golden(resolution: Resolution) -> pa.Table:
    """One row for each entity: its id, size and probability, and the likeliest values.

    Each column that was not ignored keeps its type and spelling, and has its probability beside it
    in `p_<column>`; both are missing where no member has a value.
    """
    records, labels = resolution.records, resolution.labels
    check_golden(records)
    sizes = np.bincount(labels)
    _, first = np.unique(labels, return_index=True)
    # one that is alone is certainly a member of its own entity
    weight = np.where(sizes[labels] > 1, resolution.p_member, 1.0)
    columns = {
        "cluster_id": resolution.cluster_ids.take(pa.array(first)),
        "cluster_size": pa.array(sizes),
        "p_cluster": pa.array(resolution.p_cluster[first]),
    }
    for name in records.names:
        used = resolution.settings.columns.get(name)
        raw = used is not None and used.type in RAW_TYPES
        found = _chosen(records, name, not raw, labels, weight)
        rows = pa.array(found.rows, mask=found.rows < 0)
        columns[name] = records.table.column(name).take(rows)
        columns[f"p_{name}"] = pa.array(found.probability, mask=found.rows < 0)
    return pa.table(columns)


class Chosen(NamedTuple):
    """The record whose value is taken for each entity, or -1, and the value's probability."""

    rows: Ints
    probability: Floats


def _chosen(records: Records, name: str, cleaned: bool, labels: Ints, weight: Floats) -> Chosen:
    value, spelling = records.column(name, cleaned), records.column(name, cleaned=False)
    many = int(labels.max()) + 1
    shown = np.flatnonzero(value.codes >= 0)
    entity, own = labels[shown], weight[shown]
    code = value.codes[shown].astype(np.int64)
    group, of_value = _sums(entity, code, len(value.values), own)
    rows = np.full(many, -1, np.int64)
    best = np.full(many, np.nan)
    if not shown.size:
        return Chosen(rows, best)
    raw = spelling.codes[shown].astype(np.int64)
    _, of_spelling = _sums(entity, raw, len(spelling.values), own)
    # ties go to the longer text, then to the value and the record that came first
    keys = (
        -_lengths(spelling)[raw],
        -of_spelling,
        code,
        -_lengths(value)[code],
        -of_value,
        entity,
    )
    order = np.lexsort(keys)
    first = order[np.flatnonzero(np.diff(entity[order], prepend=-1))]
    total = np.bincount(entity, own, minlength=many)[entity[first]]
    alpha = _alpha(group, entity)
    share = value.counts[code[first]] / shown.size
    rows[entity[first]] = shown[first]
    best[entity[first]] = (of_value[first] + alpha * share) / (total + alpha)
    return Chosen(rows, best)


def _sums(entity: Ints, code: Ints, many: int, weight: Floats) -> tuple[Ints, Floats]:
    """Of each record: its entity and value as one number, and the weight that these have."""
    _, group = np.unique(entity * max(many, 1) + code, return_inverse=True)
    group = group.reshape(-1)
    sums = np.bincount(group, weight).astype(np.float64)
    return group, np.round(sums, DIGITS)[group]


def _alpha(group: Ints, entity: Ints) -> float:
    """(1 - s) / s, s being the share of pairs within entities that agree."""
    agree, pairs = (
        float((count * (count - 1)).sum()) / 2
        for count in (np.bincount(group), np.bincount(entity))
    )
    s = (agree + AGREED * SEEN) / (pairs + SEEN)
    return (1.0 - s) / s


def _lengths(column: Column) -> Ints:
    """The length of each value in letters."""
    return pc.utf8_length(column.values).to_numpy(zero_copy_only=False).astype(np.int64)
