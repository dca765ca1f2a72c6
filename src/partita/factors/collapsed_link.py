"""The link of an entity to a reference, summed out exactly (KBALIGN).

    score(E) = log( pi_nil + sum_z pi_z exp( sum over m in E of s(m, z) ) ),

where z runs over all candidates, s(m, z) is the log-likelihood ratio of mention m under the link z
and under no link (NIL), and pi sums to 1. A mention lists s for few candidates; every other one
has its `unlisted` score u_m. Entities therefore store U_E = sum u_m and the sparse sum
S_E(z) = sum of s(m, z) - u_m over the members that list z, so that rows add when entities merge:

    score(E) = log( pi_nil + exp(U_E) (pi_rest + sum over listed z of pi_z exp(S_E(z))) ).

A mention without candidates has u_m = 0: it changes no score.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.agreement import choose_store
from partita.factors.bags import Bags, Sums, add_sums, check_rows, encode, sum_kernels
from partita.factors.stores import Store
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, kernel, push
from partita.states import Partition, Regroup

__all__ = ["LinkTable", "check_candidates", "collapsed_link"]

MIN_REST = 1e-12
"""Probability of unlisted candidates below which it counts as 0: it is a difference of sums."""


class LinkTable(NamedTuple):
    """Sums of the entities, and the prior of each candidate."""

    bags: Bags
    """Keys are candidates, values s(m, z) - u_m; the mass of an entity is U_E."""
    prior: Floats
    """pi of each candidate."""
    nil: float
    """pi of NIL."""


@kernel
def count_one(table: LinkTable, state: Partition, move: Regroup) -> int:
    """Count one aggregated factor per move."""
    return 1


@kernel
def add_log(total: float, largest: float, term: float) -> tuple[float, float]:
    """Add exp(term) to total * exp(largest); return the new total and exponent."""
    if term <= largest:
        return total + math.exp(term - largest), largest
    return total * math.exp(largest - term) + 1.0, term


def _emit(store: Store, sums: Sums) -> Any:
    value, length, at = store.value, store.length, store.at
    gather, drop = sums.gather, sums.drop

    @kernel(inline=False)
    def score(table: LinkTable, entity: int, block: int, sign: float) -> float:
        """The score of an entity to which a block is added (sign 1) or removed (-1), or neither."""
        bags = table.bags
        mass, rest = bags.mass[entity, 0], 1.0 - table.nil
        if sign != 0.0:
            mass += sign * bags.mass[block, 0]
        total, largest = 0.0, -1e300
        if table.nil > 0.0:
            total, largest = 1.0, math.log(table.nil)
        for k in range(length(bags.store, entity)):
            key, own = at(bags.store, entity, k)
            if own == 0.0:
                continue
            if sign != 0.0:
                own += sign * value(bags.store, block, key)
            rest -= table.prior[key]
            total, largest = add_log(total, largest, math.log(table.prior[key]) + mass + own)
        if sign > 0.0:
            for k in range(length(bags.store, block)):
                key, own = at(bags.store, block, k)
                if own != 0.0 and value(bags.store, entity, key) == 0.0:
                    rest -= table.prior[key]
                    term = math.log(table.prior[key]) + mass + own
                    total, largest = add_log(total, largest, term)
        if rest > MIN_REST:
            total, largest = add_log(total, largest, math.log(rest) + mass)
        return largest + math.log(total)

    @kernel
    def emit(table: LinkTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        bags = table.bags
        block = gather(bags, state, move)
        change = -score(table, move.source, block, 0.0)
        if block != move.source:
            change += score(table, move.source, block, -1.0)
        if state.size[move.target] > 0:
            change += score(table, move.target, block, 1.0) - score(table, move.target, block, 0.0)
        else:
            change += score(table, block, block, 0.0)
        if block != move.source:
            drop(bags, block)
        return push(delta, 0, change)

    return emit


def collapsed_link(
    scores: Any,
    prior: ArrayLike,
    nil: float,
    *,
    unlisted: float = -12.0,
    weight: float = 1.0,
    storage: str = "auto",
    name: str = "link",
) -> Template:
    """Score each entity by its best explanation: one candidate of a reference, or none of them.

    Parameters
    ----------
    scores
        A sparse matrix of mentions by candidates: the log-likelihood ratio of a mention under the
        link to a candidate and under no link. Cells that are not stored are `unlisted`.
    prior
        The probability of each candidate before any mention; with `nil` the sum is 1.
    nil
        The probability that an entity has no candidate.
    unlisted
        The score of a candidate that a mention does not list although it lists others.
    """
    rows, priors, own = check_candidates(scores, prior, nil, unlisted, name)
    _, _, bags = encode({}, {"link": rows}, name)
    table = LinkTable(bags._replace(own=own[:, None]), priors, float(nil))
    store = choose_store(storage, bags, name)
    sums = sum_kernels(store)
    names, start = feature_weights(name, ["link"], weight)
    whole = Template(name, Partition, names, start, count_one, _emit(store, sums), table)
    return add_sums(whole, store, sums)


def check_candidates(
    scores: Any, prior: ArrayLike, nil: float, unlisted: float, name: str
) -> tuple[scipy.sparse.csr_array, Floats, Floats]:
    """Check the arguments; return the scores above `unlisted`, the priors and u of each mention."""
    if not scipy.sparse.issparse(scores):
        raise InputError(f"{name}: scores are a {type(scores).__name__}; give a sparse matrix")
    rows = scipy.sparse.csr_array(scores, dtype=float, copy=True)
    counts = np.diff(rows.indptr)
    # float64 sums of multiples of 2**-20 are exact, like the grid of the scores
    own = np.where(counts > 0, np.round(unlisted * 2.0**20) / 2.0**20, 0.0)
    rows.data = rows.data - np.repeat(own, counts)
    # a score that equals `unlisted` is dropped here, which leaves every sum the same
    rows = check_rows(rows, f"{name}: scores")
    priors = finite(prior, f"{name}: priors")
    if priors.shape != (rows.shape[1],):
        raise InputError(
            f"{name}: {rows.shape[1]} candidates have priors of shape {priors.shape}; give one each"
        )
    if (priors <= 0).any() or not 0 <= nil < 1 or abs(priors.sum() + nil - 1) > 1e-6:
        raise InputError(
            f"{name}: the priors sum to {priors.sum():g} and nil is {nil:g}; give positive "
            "probabilities whose sum is 1"
        )
    return rows, priors, own
