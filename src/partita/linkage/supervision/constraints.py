"""Constraints: pairs of records that must, or cannot, be one entity, for certain or by a weight.

A constraint adds its weight (log-odds in nats) to a pair that must, and takes it off one that
cannot be together. A hard one weighs `FORBIDDEN`: no move against it is ever accepted, so a chain
that starts in a state that obeys stays in such states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.errors import InputError
from partita.factors import Template, affinity, agreement
from partita.kernel import Floats, Ints, distinct_of, linked
from partita.linkage.supervision.pair_files import FORBIDDEN, Statements, read_statements

__all__ = ["FORBIDDEN", "Constraints", "linked", "one_per_source", "read_constraints"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Pairs of rows of the records, each pair once and its smaller row first."""

    pairs: Ints
    must: Bools
    """Whether the two must be together; otherwise they cannot be."""
    weight: Floats
    """Log-odds in nats; infinite if hard."""

    def __len__(self) -> int:
        """The number of constraints."""
        return len(self.pairs)

    @property
    def hard(self) -> Bools:
        """Which constraints hold for certain."""
        return np.isinf(self.weight)

    @cached_property
    def rows(self) -> Ints:
        """The records that are named; they are never collapsed with identical ones."""
        return distinct_of(self.pairs)

    def on(self, place: Ints) -> tuple[tuple[Template, ...], Ints]:
        """Templates, and pairs along which records must be able to move, in another numbering.

        `place` is the number of each record in the problem, or -1; no named record has -1.
        """
        if not len(self):
            return (), self.pairs
        placed = place[self.pairs]
        values = np.minimum(self.weight, FORBIDDEN) * np.where(self.must, 1.0, -1.0)
        template = affinity(placed, values, int(place.max()) + 1, name="constraints")
        return (template,), np.sort(placed[self.must], axis=1)

    def broken(self, labels: Ints) -> list[tuple[int, int, str]]:
        """The hard constraints that a partition of the records breaks: two rows, and the word."""
        together = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        found = np.flatnonzero(self.hard & (together != self.must))
        words = np.where(self.must, "must", "cannot")
        return [(*self.pairs[k].tolist(), str(words[k])) for k in found]

    def feasible(self, labels: Ints, place: Ints | None = None, source: Ints | None = None) -> Ints:
        """A partition near the given one that breaks no hard constraint.

        Clusters that a hard must links are merged. A cluster with two records that cannot be
        together, or of one `source`, is taken apart: each must-linked group goes to the first part
        that will have it.
        """
        pairs = self.pairs if place is None else place[self.pairs]
        must, cannot = pairs[self.hard & self.must], pairs[self.hard & ~self.must]
        groups = linked(must, labels.size)
        merged = _merged(labels, must)
        suspect = merged[cannot[:, 0]] == merged[cannot[:, 1]]
        wrong = [merged[cannot[suspect, 0]]]
        if source is not None:
            wrong.append(_repeated(merged, source))
        return _taken_apart(
            merged, groups, cannot[suspect], source, distinct_of(np.concatenate(wrong))
        )


def _merged(labels: Ints, must: Ints) -> Ints:
    """Labels from 0 after merging the clusters of pairs."""
    found = np.unique(labels, return_inverse=True)[1].reshape(-1)
    return linked(found[must], int(found.max(initial=-1)) + 1)[found]


def _repeated(labels: Ints, source: Ints) -> Ints:
    """The clusters that hold a source twice."""
    shown = source >= 0
    many = int(source.max(initial=0)) + 1
    keys, times = np.unique(labels[shown] * many + source[shown], return_counts=True)
    return distinct_of(keys[times > 1] // many)


def _taken_apart(
    labels: Ints, groups: Ints, cannot: Ints, source: Ints | None, wrong: Ints
) -> Ints:
    """Labels with the clusters `wrong` in parts."""
    found = labels.copy()
    fresh = int(labels.max(initial=-1)) + 1
    rivals: dict[int, set[int]] = {}
    for a, b in groups[cannot].tolist():
        rivals.setdefault(a, set()).add(b)
        rivals.setdefault(b, set()).add(a)
    order = np.flatnonzero(np.isin(labels, wrong))
    order = order[np.lexsort((groups[order], labels[order]))]
    edges = np.flatnonzero(np.diff(labels[order])) + 1
    for members in np.split(order, edges) if order.size else []:
        part = _parts(groups[members], rivals, None if source is None else source[members])
        found[members] = np.where(part > 0, fresh + part - 1, found[members])
        fresh += int(part.max())
    return found


def _parts(groups: Ints, rivals: dict[int, set[int]], source: Ints | None) -> Ints:
    """The part of each member of one cluster, its groups in order, first fit."""
    none: set[int] = set()
    names, first = np.unique(groups, return_index=True)
    ends = np.append(first[1:], groups.size)
    taken: list[tuple[set[int], set[int]]] = []
    chosen = np.zeros(groups.size, np.int64)
    for name, start, end in zip(names.tolist(), first, ends, strict=True):
        own = none if source is None else set(source[start:end].tolist()) - {-1}
        against = rivals.get(name, none)
        fits = (
            k
            for k, (inside, sources) in enumerate(taken)
            if against.isdisjoint(inside) and own.isdisjoint(sources)
        )
        k = next(fits, len(taken))
        if k == len(taken):
            taken.append((set(), set()))
        taken[k][0].add(name)
        taken[k][1].update(own)
        chosen[start:end] = k
    return chosen


def one_per_source(source: Ints, n: int) -> Template:
    """No two of n records of one source in one entity; negative sources are none."""
    if source.shape != (n,):
        raise InputError(f"source has shape {source.shape} for {n} records; give one for each")
    return agreement(
        {"source": source}, match=-FORBIDDEN, mismatch=0.0, missing=0.0, name="one to one"
    )


def read_constraints(given: Any, records: Records, *, one_to_one: bool = False) -> Constraints:
    """Constraints from a file or table of pairs of ids.

    Parameters
    ----------
    given
        None, or what `records.read` takes, with columns `id_l`, `id_r` (or `unique_id_l`,
        `unique_id_r`), `constraint` ("must" or "cannot"), and if wanted `weight` (nats above 0,
        hard where empty) and `source_l`, `source_r`. Weights of one pair add up; a hard statement
        outweighs them.
    one_to_one
        Whether a must between two records of one source is a contradiction.
    """
    stated = read_statements(given, records)
    found = _combined(stated)
    _check_agree(found, stated, records, one_to_one)
    return found


def _combined(stated: Statements) -> Constraints:
    """Each pair once."""
    sign = np.where(stated.must, 1.0, -1.0)
    # opposite hard statements are found later, with those that contradict through others
    key = np.stack([stated.low, stated.high, np.isinf(stated.weight) * sign.astype(np.int64)], 1)
    kinds, which = np.unique(key, axis=0, return_inverse=True)
    total = np.zeros(len(kinds))
    np.add.at(total, which.reshape(-1), sign * stated.weight)
    hard = kinds[:, 2] != 0
    settled = kinds[hard][:, 0] * (2**31) + kinds[hard][:, 1]
    idle = np.isin(kinds[:, 0] * (2**31) + kinds[:, 1], settled) | (total == 0.0)
    kept = hard | ~idle
    pairs, total = kinds[kept, :2], total[kept]
    weight = np.where(np.abs(total) >= FORBIDDEN, np.inf, np.abs(total))
    return Constraints(pairs, total > 0, weight)


def _check_agree(
    found: Constraints, stated: Statements, records: Records, one_to_one: bool
) -> None:
    """Raises if hard constraints contradict each other, or one-to-one sources."""
    pairs = found.pairs
    groups = linked(pairs[found.hard & found.must], records.n)
    against = pairs[found.hard & ~found.must]
    clash = against[groups[against[:, 0]] == groups[against[:, 1]]]
    if len(clash):
        a, b = (stated.names[row] for row in clash[0].tolist())
        raise InputError(
            f"records {a} and {b} cannot be one entity, but other constraints say that they must; "
            "drop one of these constraints"
        )
    if not one_to_one or records.sources is None:
        return
    named = found.rows
    both = np.stack([groups[named], records.sources[named]], 1)
    order = np.lexsort((both[:, 1], both[:, 0]))
    same = np.flatnonzero((both[order][1:] == both[order][:-1]).all(1))
    if same.size:
        a, b = (stated.names[int(named[order[same[0] + k]])] for k in (0, 1))
        raise InputError(
            f"records {a} and {b} must be one entity, but are of one source, and one_to_one says "
            "that no source holds an entity twice; drop one of the two"
        )
