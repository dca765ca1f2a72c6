"""Pairwise constraints: record pairs that must, or cannot, be one entity.

A constraint adds its weight (log-odds in nats) to the score of a pair that must be together, and
subtracts it from the score of a pair that cannot be. A hard constraint has the weight `FORBIDDEN`:
the walk never accepts a move that breaks it, so a chain that starts in a feasible partition stays
feasible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.errors import InputError
from partita.factors import Template, affinity, surplus
from partita.kernel import Floats, Ints, distinct_of, find_components
from partita.linkage.numbering import ActiveIds, Numbering, RowIds
from partita.linkage.pairwise.source_rates import SourceRates
from partita.linkage.supervision.pair_files import (
    CONSTRAINT,
    FORBIDDEN,
    MATCH,
    UNSURE,
    PairTable,
    read_pair_file,
)

__all__ = ["FORBIDDEN", "Constraints", "find_components", "limit_further", "read_constraints"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constrained pairs of rows of the records, without repeats, the smaller row first."""

    pairs: RowIds
    must: Bools
    """Whether the two records must be one entity; otherwise they cannot be."""
    weight: Floats
    """Log-odds in nats; infinite if hard."""

    def __len__(self) -> int:
        """The number of constraints."""
        return len(self.pairs)

    @property
    def hard(self) -> Bools:
        """Mask of the hard constraints."""
        return np.isinf(self.weight)

    @cached_property
    def rows(self) -> RowIds:
        """The records that a constraint names; they are never collapsed with identical records."""
        return RowIds(distinct_of(self.pairs))

    def on(self, active: Numbering[RowIds, ActiveIds]) -> tuple[tuple[Template, ...], ActiveIds]:
        """Build the constraints' template, and list the pairs a proposal must be able to merge.

        Every record that a constraint names is active.
        """
        if not len(self):
            return (), ActiveIds(self.pairs)
        placed = np.sort(active.to(self.pairs), axis=1)
        order = np.lexsort(placed.T)
        values = np.minimum(self.weight, FORBIDDEN) * np.where(self.must, 1.0, -1.0)
        template = affinity(placed[order], values[order], len(active), name="constraints")
        return (template,), ActiveIds(placed[order][self.must[order]])

    def broken(self, labels: Ints) -> list[tuple[int, int, str]]:
        """List the hard constraints that a partition breaks: two rows, and "must" or "cannot"."""
        together = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        broken = np.flatnonzero(self.hard & (together != self.must))
        words = np.where(self.must, "must", "cannot")
        return [(*self.pairs[k].tolist(), str(words[k])) for k in broken]

    def feasible(
        self,
        labels: Ints,
        active: Numbering[RowIds, ActiveIds] | None = None,
        source: Ints | None = None,
    ) -> Ints:
        """Repair a partition so that it breaks no hard constraint.

        `labels` and `source` are those of active records; without a numbering, those of all rows.

        Clusters that a hard must-link connects are merged. A cluster with two records that cannot
        be together, or of one `source`, is split: each must-linked group goes to the first part
        that has neither a group it cannot be with nor a record of its source.
        """
        pairs = self.pairs if active is None else active.to(self.pairs)
        must, cannot = pairs[self.hard & self.must], pairs[self.hard & ~self.must]
        groups = find_components(must, labels.size)
        merged = _merge(labels, must)
        broken = cannot[merged[cannot[:, 0]] == merged[cannot[:, 1]]]
        infeasible = [merged[broken[:, 0]]]
        if source is not None:
            infeasible.append(_clusters_with_repeats(merged, source))
        return _split(merged, groups, broken, source, distinct_of(np.concatenate(infeasible)))


def _merge(labels: Ints, must: Ints) -> Ints:
    """Labels from 0 after merging the clusters of must-linked pairs."""
    codes = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return find_components(codes[must], int(codes.max(initial=-1)) + 1)[codes]


def _clusters_with_repeats(labels: Ints, source: Ints) -> Ints:
    """The clusters that hold two records of one source."""
    has_source = source >= 0
    sources = int(source.max(initial=0)) + 1
    keys, counts = np.unique(labels[has_source] * sources + source[has_source], return_counts=True)
    return distinct_of(keys[counts > 1] // sources)


def _split(labels: Ints, groups: Ints, cannot: Ints, source: Ints | None, infeasible: Ints) -> Ints:
    """Labels with the infeasible clusters split."""
    result = labels.copy()
    fresh = int(labels.max(initial=-1)) + 1
    conflicts: dict[int, set[int]] = {}
    for a, b in groups[cannot].tolist():
        conflicts.setdefault(a, set()).add(b)
        conflicts.setdefault(b, set()).add(a)
    order = np.flatnonzero(np.isin(labels, infeasible))
    order = order[np.lexsort((groups[order], labels[order]))]
    edges = np.flatnonzero(np.diff(labels[order])) + 1
    for members in np.split(order, edges) if order.size else []:
        part = _assign_parts(
            groups[members], conflicts, None if source is None else source[members]
        )
        result[members] = np.where(part > 0, fresh + part - 1, result[members])
        fresh += int(part.max())
    return result


def _assign_parts(groups: Ints, conflicts: dict[int, set[int]], source: Ints | None) -> Ints:
    """The part of each member of one cluster: its groups in order, first fit."""
    none: set[int] = set()
    names, first = np.unique(groups, return_index=True)
    ends = np.append(first[1:], groups.size)
    parts: list[tuple[set[int], set[int]]] = []
    part = np.zeros(groups.size, np.int64)
    for name, start, end in zip(names.tolist(), first, ends, strict=True):
        own_sources = none if source is None else set(source[start:end].tolist()) - {-1}
        against = conflicts.get(name, none)
        fits = (
            k
            for k, (inside, sources) in enumerate(parts)
            if against.isdisjoint(inside) and own_sources.isdisjoint(sources)
        )
        k = next(fits, len(parts))
        if k == len(parts):
            parts.append((set(), set()))
        parts[k][0].add(name)
        parts[k][1].update(own_sources)
        part[start:end] = k
    return part


def limit_further(
    rates: SourceRates | None, exclusive: Ints | None, records: Ints
) -> Template | None:
    """Build the cost of further records of one source in an entity, for some of the records.

    `exclusive` is the source of each record of which an entity has one record at most, or -1.
    """
    if rates is None and exclusive is None:
        return None
    if rates is None:
        assert exclusive is not None
        source, cost = exclusive, np.zeros(exclusive.size)
    else:
        source, cost = rates.source, rates.cost
    if exclusive is not None:
        cost = np.where(exclusive >= 0, FORBIDDEN, cost)
    names = [str(code) for code in range(int(source.max(initial=0)) + 1)]
    return surplus(source[records], names, cost[records], name="further records")


def read_constraints(source: Any, records: Records, exclusive: Ints | None = None) -> Constraints:
    """Read constraints from a file or a table of pairs (`pair_files` describes the format).

    Soft weights of one pair add up; a hard constraint overrides them.

    Parameters
    ----------
    source
        None, or a table with columns `id_l`, `id_r`, `constraint` ("must" or "cannot") and,
        optionally, `weight` (nats above 0; empty for a hard constraint), `source_l`, `source_r`.
    exclusive
        The source of each record of which an entity has one record at most, or -1: a must-link
        between two of its records is a contradiction.

    Examples
    --------
    >>> from partita.data import read
    >>> people = read([{"id": "a", "name": "Ann"}, {"id": "b", "name": "Anne"}])
    >>> found = read_constraints([{"id_l": "a", "id_r": "b", "constraint": "cannot"}], people)
    >>> found.pairs.tolist(), found.must.tolist(), found.hard.tolist()
    ([[0, 1]], [False], [True])
    """
    table = read_pair_file(source, records, CONSTRAINT)
    constraints = _combine(table)
    _check_consistent(constraints, table, records, exclusive)
    return constraints


def _combine(table: PairTable) -> Constraints:
    """Constraints with each pair once; opposite hard constraints stay, for the check."""
    certain = table.labels != UNSURE
    pairs, weight = np.sort(table.rows[certain], 1), table.weights[certain]
    sign = np.where(table.labels[certain] == MATCH, 1, -1)
    key = np.column_stack([pairs, np.isinf(weight) * sign])
    kinds, place = np.unique(key, axis=0, return_inverse=True)
    total = np.zeros(len(kinds))
    np.add.at(total, place.reshape(-1), sign * weight)
    hard = kinds[:, 2] != 0
    codes = kinds[:, 0] * 2**31 + kinds[:, 1]
    mask = hard | ~(np.isin(codes, codes[hard]) | (total == 0.0))
    total = total[mask]
    weight = np.where(np.abs(total) >= FORBIDDEN, np.inf, np.abs(total))
    return Constraints(RowIds(kinds[mask, :2]), total > 0, weight)


def _check_consistent(
    constraints: Constraints, table: PairTable, records: Records, exclusive: Ints | None
) -> None:
    """Raise an InputError if hard constraints contradict each other, or exclusive sources."""
    pairs, hard, must = constraints.pairs, constraints.hard, constraints.must
    groups = find_components(pairs[hard & must], records.n)
    against = pairs[hard & ~must]
    clash = against[groups[against[:, 0]] == groups[against[:, 1]]]
    if len(clash):
        a, b = (table.names[row] for row in clash[0].tolist())
        raise InputError(
            f"records {a} and {b} cannot be one entity, but other constraints require it; remove "
            "one of these constraints"
        )
    if exclusive is None:
        return
    rows = constraints.rows[exclusive[constraints.rows] >= 0]
    group_sources = np.stack([groups[rows], exclusive[rows]], 1)
    order = np.lexsort((group_sources[:, 1], group_sources[:, 0]))
    same = np.flatnonzero((group_sources[order][1:] == group_sources[order][:-1]).all(1))
    if same.size:
        a, b = (table.names[int(rows[order[same[0] + k]])] for k in (0, 1))
        raise InputError(
            f"records {a} and {b} must be one entity, but both are of one source, and one_to_one "
            "(or reference) allows one record of it in an entity; remove the constraint or that "
            "setting"
        )
