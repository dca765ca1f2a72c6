"""Golden records: one row for each entity, each value with its probability.

In one entity and column, a value v (spellings that are equal after cleaning count as one) has

    P(v) = (W_v + alpha phi_v) / (W + alpha),   alpha = (1 - s) / s,

where W_v is the sum of p_member over the members with value v, W the sum over the members with any
value, phi_v the share of v among all records, and s the share of agreeing pairs within entities.
This is the predictive probability of a Polya urn in which two records agree with probability s: a
single record counts as much as the agreement in its column warrants. Missing values are neutral.
The golden record keeps the most frequent spelling of the chosen value; the longest one breaks
ties. A survivorship rule chooses another value; its probability is the same P(v).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data import Column, Records
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.columns import RAW_TYPES
from partita.linkage.output.survivorship import FREQUENT, LONGEST, Survivorship, parse_rules
from partita.linkage.settings import Settings

__all__ = ["Clustered", "check_golden", "golden"]

FIRST = ("cluster_id", "cluster_size", "p_cluster")
PRIOR_AGREEMENT = 0.9
"""Prior mean of the share of agreeing pairs. Origin: 0.1."""
PRIOR_PAIRS = 2.0
"""Weight of the prior mean, in pairs. Origin: 0.1."""
TIE_DIGITS = 9
"""Decimal digits; sums of probabilities that agree to this precision are ties."""


class Clustered(Protocol):
    """Records with their entities: a result, or the present state of a store."""

    @property
    def records(self) -> Records:
        """The records."""

    @property
    def labels(self) -> Ints:
        """The cluster of each record, numbered from 0 on."""

    @property
    def p_member(self) -> Floats:
        """P(a record belongs to its cluster)."""

    @property
    def p_cluster(self) -> Floats:
        """P(exactly this cluster is an entity), by record."""

    @property
    def cluster_ids(self) -> pa.Array:
        """The id of each record's cluster."""

    @property
    def settings(self) -> Settings:
        """Column types and survivorship rules."""


def check_golden(records: Records) -> None:
    """Raise if a column of the golden records has the name of an input column."""
    names = set(records.table.column_names)
    for name in (*FIRST, *(f"p_{name}" for name in records.names)):
        if name in names:
            raise InputError(
                f"the golden records and the input both have a column {name!r}; rename the column "
                "of the input"
            )


def golden(resolution: Clustered) -> pa.Table:
    """One row for each entity: its id, size and probability, and the surviving values.

    Each column that is not ignored keeps its type and spelling; its probability is in `p_<column>`.
    Both are missing where no member has a value.
    """
    records, labels = resolution.records, resolution.labels
    check_golden(records)
    sizes = np.bincount(labels)
    _, first = np.unique(labels, return_index=True)
    # a singleton is certainly a member of its own entity
    weight = np.where(sizes[labels] > 1, resolution.p_member, 1.0)
    columns = {
        "cluster_id": resolution.cluster_ids.take(pa.array(first)),
        "cluster_size": pa.array(sizes),
        "p_cluster": pa.array(resolution.p_cluster[first]),
    }
    rules = parse_rules(resolution.settings.survivorship, records)
    for name in records.names:
        used = resolution.settings.columns.get(name)
        raw = used is not None and used.type in RAW_TYPES
        choice = _choose(records, name, not raw, labels, weight, rules[name])
        rows = pa.array(choice.rows, mask=choice.rows < 0)
        columns[name] = records.table.column(name).take(rows)
        columns[f"p_{name}"] = pa.array(choice.probability, mask=choice.rows < 0)
    return pa.table(columns)


class Chosen(NamedTuple):
    """By entity, the record with the chosen value (-1: none) and the value's probability."""

    rows: Ints
    probability: Floats


def _choose(
    records: Records,
    name: str,
    cleaned: bool,
    labels: Ints,
    weight: Floats,
    rule: Survivorship,
) -> Chosen:
    value, spelling = records.column(name, cleaned), records.column(name, cleaned=False)
    entities = int(labels.max()) + 1
    rows_with_value = np.flatnonzero(value.codes >= 0)
    entity, p_member = labels[rows_with_value], weight[rows_with_value]
    code = value.codes[rows_with_value].astype(np.int64)
    group, of_value = _sums(entity, code, len(value.values), p_member)
    rows = np.full(entities, -1, np.int64)
    best = np.full(entities, np.nan)
    if not rows_with_value.size:
        return Chosen(rows, best)
    raw = spelling.codes[rows_with_value].astype(np.int64)
    _, of_spelling = _sums(entity, raw, len(spelling.values), p_member)
    # the longer text breaks ties, then the order of values and records in the input
    keys = (
        -_lengths(spelling)[raw],
        -of_spelling,
        code,
        -_lengths(value)[code],
        -of_value,
        _rank_values(rule, records, rows_with_value, group, _lengths(spelling)[raw]),
        entity,
    )
    order = np.lexsort(keys)
    first = order[np.flatnonzero(np.diff(entity[order], prepend=-1))]
    total = np.bincount(entity, p_member, minlength=entities)[entity[first]]
    alpha = _alpha(group, entity)
    share = value.counts[code[first]] / rows_with_value.size
    rows[entity[first]] = rows_with_value[first]
    best[entity[first]] = (of_value[first] + alpha * share) / (total + alpha)
    return Chosen(rows, best)


def _rank_values(
    rule: Survivorship, records: Records, rows: Ints, group: Ints, length: Ints
) -> Floats:
    """The rank of the value of each row by a rule, the lowest first."""
    if rule.rule == FREQUENT:
        return -np.bincount(group)[group].astype(np.float64)
    if rule.rule == LONGEST:
        return -length.astype(np.float64)
    rank = rule.rank(records)
    return np.zeros(rows.size) if rank is None else rank[rows]


def _sums(entity: Ints, code: Ints, codes: int, weight: Floats) -> tuple[Ints, Floats]:
    """By record, a code of its entity and value, and the total weight of that code."""
    _, group = np.unique(entity * max(codes, 1) + code, return_inverse=True)
    group = group.reshape(-1)
    sums = np.bincount(group, weight).astype(np.float64)
    return group, np.round(sums, TIE_DIGITS)[group]


def _alpha(group: Ints, entity: Ints) -> float:
    """(1 - s) / s, where s is the share of agreeing pairs within entities."""
    agree, pairs = (
        float((count * (count - 1)).sum()) / 2
        for count in (np.bincount(group), np.bincount(entity))
    )
    s = (agree + PRIOR_AGREEMENT * PRIOR_PAIRS) / (pairs + PRIOR_PAIRS)
    return (1.0 - s) / s


def _lengths(column: Column) -> Ints:
    """The length of each value in characters."""
    return pc.utf8_length(column.values).to_numpy(zero_copy_only=False).astype(np.int64)
