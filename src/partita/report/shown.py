"""The most uncertain clusters and pairs of a result, with their records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from partita.kernel import Floats, Ints, distinct_of
from partita.linkage.output.tables import UNCERTAIN
from partita.linkage.pairwise.scored_pairs import group_records
from partita.linkage.result import Resolution
from partita.report.text import plain, short

__all__ = ["Cluster", "Shown", "show"]

MAX_CLUSTERS = 20
"""Clusters in the page."""
MAX_MEMBERS = 12
"""Records of one cluster in the page."""
MAX_PAIRS = 20
"""Pairs in the page."""
MAX_BETWEEN = 2
"""Pairs between the same two clusters; further pairs repeat the same question."""
MAX_EXPLAINED = 3000
"""Pairs among the listed records that the page can explain."""
MAX_IDS = 20
"""Ids of identical records in the page."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """An uncertain cluster and its least certain distinct records."""

    label: int
    members: Ints
    size: int
    """Distinct records in it."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The uncertain parts of a result; records are distinct records."""

    resolution: Resolution
    clusters: list[Cluster]
    pairs: Ints
    """Numbers of the listed pairs."""

    @cached_property
    def names(self) -> list[str]:
        """The columns to show."""
        return compared_columns(self.resolution)

    @cached_property
    def records(self) -> Ints:
        """The distinct records of all clusters and pairs, each once."""
        members = [cluster.members for cluster in self.clusters]
        ends = self.resolution.scored.pairs[self.pairs].reshape(-1)
        return distinct_of(np.concatenate([np.zeros(0, np.int64), *members, ends]))

    @cached_property
    def explained(self) -> Ints:
        """The compared pairs among the records, the listed pairs first."""
        within = np.isin(self.resolution.scored.pairs, self.records).all(1)
        score = self.resolution.scored.scores.total
        unlisted = np.setdiff1d(np.flatnonzero(within), self.pairs)
        unlisted = unlisted[np.argsort(-score[unlisted], kind="stable")]
        return np.concatenate([self.pairs, unlisted])[:MAX_EXPLAINED]

    @cached_property
    def values(self) -> dict[int, list[str | None]]:
        """The input values of each record."""
        rows = self.resolution.records.original(self.resolution.first_rows[self.records])
        columns = [[plain(value) for value in rows.column(name).to_pylist()] for name in self.names]
        cells = zip(*columns, strict=True) if columns else iter(() for _ in self.records)
        return {int(r): list(line) for r, line in zip(self.records, cells, strict=True)}

    @cached_property
    def copies(self) -> dict[int, list[str]]:
        """The id of each shown record and the ids of its identical records."""
        distinct = self.resolution.distinct_ids
        rows = np.flatnonzero(np.isin(distinct, self.records))
        ids: dict[int, list[str]] = {int(r): [] for r in self.records}
        for row, name in zip(rows, id_texts(self.resolution, rows), strict=True):
            ids[int(distinct[row])].append(name)
        return ids

    def id(self, record: int) -> str:
        """The id of a record."""
        return self.copies[record][0]

    def as_data(self) -> list[dict[str, Any]]:
        """The records for the page's script."""
        labels = self.resolution.labels[self.resolution.first_rows]
        return [
            {
                "ids": self.copies[int(r)][:MAX_IDS],
                "cluster": int(labels[r]),
                "values": [None if v is None else short(v) for v in self.values[int(r)]],
            }
            for r in self.records
        ]


def compared_columns(resolution: Resolution) -> list[str]:
    """The columns that blocking or comparison uses, in the order of the input."""
    columns = resolution.settings.columns
    names = [name for name in resolution.records.names if name in columns]
    return [name for name in names if columns[name].role != "ignore"]


def least_certain(members: Ints, p_member: Floats) -> Ints:
    """The members of a cluster with the lowest p_member, as many as a report shows, in order."""
    return np.sort(members[np.argsort(p_member[members], kind="stable")][:MAX_MEMBERS])


def id_texts(resolution: Resolution, rows: Ints) -> list[str]:
    """The ids of rows as text, with their source where there are several."""
    records = resolution.records
    texts = [str(id) for id in records.ids.take(pa.array(rows)).to_pylist()]
    if records.sources is None or len(records.source_names) < 2:
        return texts
    names = [records.source_names[k] for k in records.sources[rows]]
    return [f"{name}:{text}" for name, text in zip(names, texts, strict=True)]


def show(resolution: Resolution) -> Shown:
    """Choose the most uncertain clusters and pairs of a result."""
    return Shown(resolution, _clusters(resolution), _pairs(resolution))


def _clusters(resolution: Resolution) -> list[Cluster]:
    """The clusters of several distinct records with the lowest p_cluster."""
    rows = resolution.first_rows
    labels = resolution.labels[rows]
    member, exact = resolution.p_member[rows], resolution.p_cluster[rows]
    order, starts, sizes = group_records(labels)
    chance, lowest = np.ones(sizes.size), np.ones(sizes.size)
    np.minimum.at(chance, labels, exact)
    np.minimum.at(lowest, labels, member)
    uncertain = np.flatnonzero((sizes > 1) & (chance < UNCERTAIN[1]))
    clusters = []
    for label in uncertain[np.lexsort((lowest[uncertain], chance[uncertain]))][:MAX_CLUSTERS]:
        members = order[starts[label] : starts[label] + sizes[label]]
        clusters.append(Cluster(int(label), least_certain(members, member), int(sizes[label])))
    return clusters


def _pairs(resolution: Resolution) -> Ints:
    """The pairs with P(one entity) nearest to one half, few between the same clusters."""
    p = resolution.record_pairs.p_same
    score = resolution.scored.scores.total
    uncertain = np.flatnonzero((p > UNCERTAIN[0]) & (p < UNCERTAIN[1]))
    distance = np.abs(p - 0.5)[uncertain]
    uncertain = uncertain[np.lexsort((uncertain, np.abs(score)[uncertain], distance))]
    rows = resolution.first_rows[resolution.scored.pairs[uncertain]]
    labels = np.sort(resolution.labels[rows], axis=1)
    counts: dict[tuple[int, int], int] = {}
    places: list[int] = []
    for pair, (a, b) in zip(uncertain.tolist(), labels.tolist(), strict=True):
        counts[a, b] = counts.get((a, b), 0) + 1
        if counts[a, b] <= MAX_BETWEEN:
            places.append(pair)
        if len(places) == MAX_PAIRS:
            break
    return np.array(places, np.int64)
