"""Households in the entity model: two entities may share the values of a household.

The entity model gives a value in another entity the probability of its frequency. But a member of
the same household shares street and surname with a probability of its own, r_q(0), and once one
member is in the data the others follow with odds rho (both from the pairwise model, see
`pairwise.household`). Two records are likelier a household pair than a random pair if
rho prod_q R_q > 1 with

    R_q = r_q(0) / phi_q(x) if they are equal,  R_q = r_q(l) / u_q(l) else.

A value shared with such a record has the frequency r_q(0), if that exceeds phi_q(x); and an entity
with such a record scores log rho. A household of k entities thus pays for a shared value once an
entity, not once a record or pair; one entity less is one rho less. The terms of its first entity,
which is drawn by phi, are the same in all partitions.

Household pairs score low and may have been pruned, so each record is compared with the first
records of the clusters that a candidate links to its own.
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
from partita.linkage.pairwise.scored_pairs import ScoredPairs, group_records
from partita.states import Partition

__all__ = ["Households", "find_households"]


class Households(NamedTuple):
    """Value frequencies and scores that follow from shared households."""

    own: list[Floats]
    """By column: the log frequency of each record's value, given its household."""
    cost: Floats
    """log rho of records with a household pair, and 0 of others."""

    def template(self, rows: Ints) -> Template:
        """The template that scores entities with records of a household."""
        return cluster_score(lowest_cost, self.cost[rows], rows.size, name="household")


def lowest_cost(cost: Floats, members: Ints) -> float:
    """The lowest_cost cost of some records."""
    least = cost[members[0]]
    for m in range(1, len(members)):
        least = min(least, cost[members[m]])
    return float(least)


def list_linked_pairs(pairs: Ints, labels: Ints) -> Ints:
    """All pairs of a record and the first record of a cluster that is linked to its own."""
    order, starts, sizes = group_records(labels)
    links = labels[pairs[labels[pairs[:, 0]] != labels[pairs[:, 1]]]]
    own, other = np.unique(np.concatenate([links, links[:, ::-1]]), axis=0).T
    many = sizes[own]
    place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    members = order[np.repeat(starts[own], many) + place]
    return np.stack([members, np.repeat(order[starts[other]], many)], 1)


def _compare_linked_pairs(scored: ScoredPairs, labels: Ints) -> tuple[Ints, NDArray[np.int8]]:
    """The scored pairs and the further pairs that households need, with their levels."""
    more = list_linked_pairs(scored.pairs, labels)
    levels = np.concatenate([scored.scores.levels, scored.comparisons.levels(more)])
    return np.concatenate([scored.pairs, more]), levels


def find_households(
    columns: Sequence[Column], phi: Sequence[Floats], scored: ScoredPairs, start: Partition
) -> Households | None:
    """Find the household pairs of all records; None where the pairwise model has no such class.

    Parameters
    ----------
    columns, phi
        The compared columns, and the frequencies of their values.
    start
        A partition of all records.
    """
    household = scored.model.household
    if household is None:
        return None
    pairs, levels = _compare_linked_pairs(scored, start.entity)
    likely = np.full(len(pairs), math.log(household.odds))
    own = [
        np.append(np.log(shares), 0.0)[column.codes]
        for shares, column in zip(phi, columns, strict=True)
    ]
    for q, frequency in enumerate(own):
        ratio = np.log(household.r[q] / np.maximum(scored.model.u[q], 1e-9))
        equal = math.log(household.r[q][0]) - frequency[pairs[:, 0]]
        likely += np.where(levels[:, q] == 0, equal, np.append(ratio, 0.0)[levels[:, q]])
    pairs, levels = pairs[likely > 0.0], levels[likely > 0.0]
    for q, frequency in enumerate(own):
        shared = pairs[levels[:, q] == 0].reshape(-1)
        frequency[shared] = np.maximum(frequency[shared], math.log(household.r[q][0]))
    cost = np.zeros(scored.n)
    cost[pairs.reshape(-1)] = math.log(household.odds)
    return Households(own, cost)
