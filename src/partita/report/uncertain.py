"""All uncertain entities as compact data, which the page searches and pages through."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernel import Ints, distinct_of
from partita.linkage.output.tables import UNCERTAIN
from partita.linkage.pairwise.scored_pairs import group_records
from partita.linkage.result import Resolution
from partita.report.shown import compared_columns, id_texts, least_certain
from partita.report.text import plain, short

__all__ = ["MAX_ENTITIES", "list_uncertain"]

MAX_ENTITIES = 3000
"""Entities in the data, the most uncertain first: about 1 MB."""
MAX_NEAR = 3
"""Records of other entities in the list of an entity, the likeliest first."""
MIN_NEAR = 0.01
"""P(one entity) below which a record of another entity is not listed."""
MAX_CHARACTERS = 60
"""Characters of a value."""


def list_uncertain(resolution: Resolution) -> dict[str, Any]:
    """The uncertain entities by p_cluster, with their records and the nearest other records.

    `entities` holds [p_cluster, number of distinct records, members, [other record, p_same]];
    `records` holds [id, identical records besides it, p_member, values].
    """
    first = resolution.first_rows
    labels = resolution.labels[first]
    order, starts, sizes = group_records(labels)
    chance = np.ones(sizes.size)
    np.minimum.at(chance, labels, resolution.p_cluster[first])
    uncertain = np.flatnonzero(chance < UNCERTAIN[1])
    top_labels = uncertain[np.argsort(chance[uncertain], kind="stable")][:MAX_ENTITIES]
    member = resolution.p_member[first]
    members = [
        least_certain(order[starts[label] : starts[label] + sizes[label]], member)
        for label in top_labels.tolist()
    ]
    near = _list_near(resolution, labels, top_labels)
    others = [np.array([other for other, _ in neighbours], np.int64) for neighbours in near]
    records = distinct_of(np.concatenate([np.zeros(0, np.int64), *members, *others]))
    place = {int(record): k for k, record in enumerate(records)}
    entities = [
        [
            round(float(chance[label]), 3),
            int(sizes[label]),
            [place[int(record)] for record in rows],
            [[place[other], round(p, 3)] for other, p in near_rows],
        ]
        for label, rows, near_rows in zip(top_labels.tolist(), members, near, strict=True)
    ]
    return {
        "total": int(uncertain.size),
        "entities": entities,
        "records": _describe_records(resolution, records),
    }


def _list_near(
    resolution: Resolution, labels: Ints, entities: Ints
) -> list[list[tuple[int, float]]]:
    """The likeliest records of other entities for each chosen entity, with P(one entity)."""
    pairs, p = resolution.scored.pairs, resolution.record_pairs.p_same
    ends = labels[pairs]
    split_pairs = np.flatnonzero((ends[:, 0] != ends[:, 1]) & (p >= MIN_NEAR))
    split_pairs = split_pairs[np.argsort(-p[split_pairs], kind="stable")]
    neighbours_by_label: dict[int, dict[int, float]] = {int(label): {} for label in entities}
    for pair in split_pairs.tolist():
        for side in (0, 1):
            neighbours = neighbours_by_label.get(int(ends[pair, side]))
            if neighbours is not None and len(neighbours) < MAX_NEAR:
                neighbours.setdefault(int(pairs[pair, 1 - side]), float(p[pair]))
    return [list(neighbours_by_label[int(label)].items()) for label in entities]


def _describe_records(resolution: Resolution, records: Ints) -> list[list[Any]]:
    """Each record as [id, identical records besides it, p_member, values]."""
    rows = resolution.first_rows[records]
    copies = np.bincount(resolution.distinct_ids)[records] - 1
    table = resolution.records.original(rows)
    columns = [table.column(name).to_pylist() for name in compared_columns(resolution)]
    values = zip(*columns, strict=True) if columns else (() for _ in rows)
    return [
        [id, int(same), round(float(p), 3), [_shorten(value) for value in line]]
        for id, same, p, line in zip(
            id_texts(resolution, rows), copies, resolution.p_member[rows], values, strict=True
        )
    ]


def _shorten(value: Any) -> str | None:
    text = plain(value)
    return None if text is None else short(text, MAX_CHARACTERS)
