"""Relatives in the entity model: strangers may share what a household shares.

To the urn a value is as probable in another entity as it is frequent. But a relative shares street
and surname with a probability of its own, r_q(0), and once one of a household is there the others
come with odds rho (both of the pair model, see `related`). So a value that a record shares with one
that is likelier its relative than a stranger, rho prod_q R_q > 1 with

    R_q = r_q(0) / phi_q(x) if they are equal,  R_q = r_q(l) / u_q(l) else,

has the frequency r_q(0) in that record, if that is more than phi_q(x); and an entity with such a
record scores log rho. A household of k entities so pays for what it shares once for each of them,
and not once for each record or pair; one entity less is one rho less. The terms of the first of
them, which is drawn by phi, are the same in all partitions.

Pairs of relatives are hopeless as pairs and may have been left out, so each record is compared
with the first records of the clusters that a candidate links to its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.data import Column
from partita.factors import Template, cluster_score
from partita.kernel import Floats, Ints
from partita.linkage.pairwise.scored_pairs import ScoredPairs, groups_of
from partita.states import Partition

__all__ = ["Kin", "kin_of"]


class Kin(NamedTuple):
    """What is known of relatives."""

    own: list[Floats]
    """By column: how frequent the value of each record is, given its relatives; in logs."""
    cost: Floats
    """log rho of records with relatives, and 0 of others."""

    def template(self, rows: Ints) -> Template:
        """What entities of some records score because they have relatives."""
        return cluster_score(lowest, self.cost[rows], rows.size, name="kin")


def lowest(cost: Floats, members: Ints) -> float:
    """The lowest cost of some records."""
    found = cost[members[0]]
    for m in range(1, len(members)):
        found = min(found, cost[members[m]])
    return float(found)


def linked_pairs(pairs: Ints, labels: Ints) -> Ints:
    """All pairs of a record and the first record of a cluster that is linked to its own."""
    order, starts, sizes = groups_of(labels)
    links = labels[pairs[labels[pairs[:, 0]] != labels[pairs[:, 1]]]]
    own, other = np.unique(np.concatenate([links, links[:, ::-1]]), axis=0).T
    many = sizes[own]
    place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    members = order[np.repeat(starts[own], many) + place]
    return np.stack([members, np.repeat(order[starts[other]], many)], 1)


def _compared(scored: ScoredPairs, labels: Ints) -> tuple[Ints, NDArray[np.int8]]:
    """The pairs of the evidence and all others that relatives need, and their levels."""
    more = linked_pairs(scored.pairs, labels)
    levels = np.concatenate([scored.scores.levels, scored.comparisons.levels(more)])
    return np.concatenate([scored.pairs, more]), levels


def kin_of(
    columns: Sequence[Column], phi: Sequence[Floats], scored: ScoredPairs, start: Partition
) -> Kin | None:
    """The relatives of all records; None where the pair model knows none.

    Parameters
    ----------
    columns, phi
        The compared columns, and the frequencies of their values.
    start
        A partition of all records.
    """
    related = scored.model.related
    if related is None:
        return None
    pairs, levels = _compared(scored, start.entity)
    likely = np.full(len(pairs), math.log(related.odds))
    own = [
        np.append(np.log(one), 0.0)[column.codes] for one, column in zip(phi, columns, strict=True)
    ]
    for q, frequency in enumerate(own):
        ratio = np.log(related.r[q] / np.maximum(scored.model.u[q], 1e-9))
        equal = math.log(related.r[q][0]) - frequency[pairs[:, 0]]
        likely += np.where(levels[:, q] == 0, equal, np.append(ratio, 0.0)[levels[:, q]])
    pairs, levels = pairs[likely > 0.0], levels[likely > 0.0]
    for q, frequency in enumerate(own):
        shared = pairs[levels[:, q] == 0].reshape(-1)
        frequency[shared] = np.maximum(frequency[shared], math.log(related.r[q][0]))
    cost = np.zeros(scored.n)
    cost[pairs.reshape(-1)] = math.log(related.odds)
    return Kin(own, cost)
