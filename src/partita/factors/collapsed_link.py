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
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.agreement import choose_store
from partita.factors.bags import Bags, Sums, add_sums, check_rows, encode, sum_kernels
from partita.factors.stores import Store
from partita.factors.template import Template, count_one, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, entry, kernel, push
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
    log_prior: Floats
    nil: float
    """pi of NIL."""
    score: Floats
    """The score of each entity."""


@kernel
def add_log(total: float, largest: float, term: float) -> tuple[float, float]:
    """Add exp(term) to total * exp(largest); return the new total and exponent."""
    if term <= largest:
        return total + math.exp(term - largest), largest
    return total * math.exp(largest - term) + 1.0, term


class Kernels(NamedTuple):
    """Kernels over one store."""

    emit: Any
    commit: Any
    fill: Any


def _compile(store: Store, sums: Sums) -> Kernels:
    value, length, at = store.value, store.length, store.at
    gather, drop, move_sums = sums.gather, sums.drop, sums.commit

    @kernel(inline=False)
    def score(table: LinkTable, entity: int, block: int, sign: float) -> float:
        """The score of an entity to which a block is added (sign 1) or removed (-1), or neither."""
        bags = table.bags
        mass, rest = bags.mass[entity, 0] + sign * bags.mass[block, 0], 1.0 - table.nil
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
            total, largest = add_log(total, largest, table.log_prior[key] + mass + own)
        if sign > 0.0:
            for k in range(length(bags.store, block)):
                key, own = at(bags.store, block, k)
                if own != 0.0 and value(bags.store, entity, key) == 0.0:
                    rest -= table.prior[key]
                    total, largest = add_log(total, largest, table.log_prior[key] + mass + own)
        if rest > MIN_REST:
            total, largest = add_log(total, largest, math.log(rest) + mass)
        return largest + math.log(total)

    @kernel
    def emit(table: LinkTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        block = gather(table.bags, state, move)
        change = -table.score[move.source]
        if block != move.source:
            change += score(table, move.source, block, -1.0)
        if state.size[move.target] > 0:
            change += score(table, move.target, block, 1.0) - table.score[move.target]
        else:
            change += score(table, block, block, 0.0)
        if block != move.source:
            drop(table.bags, block)
        return push(delta, 0, change)

    @kernel
    def commit(table: LinkTable, state: Partition, move: Regroup) -> None:
        move_sums(table.bags, state, move)
        for entity in (move.source, move.target):
            if state.size[entity] > 0:
                table.score[entity] = score(table, entity, entity, 0.0)

    @entry
    def fill(table: LinkTable, size: Ints) -> None:
        for entity in range(size.size):
            if size[entity] > 0:
                table.score[entity] = score(table, entity, entity, 0.0)

    return Kernels(emit, commit, fill)


def collapsed_link(
    scores: Any,
    prior: ArrayLike,
    nil: float,
    *,
    groups: ArrayLike | None = None,
    unlisted: float = -12.0,
    weight: float = 1.0,
    storage: str = "auto",
    name: str = "link",
) -> Template:
    """Score each entity by its link to a candidate of a reference or to none, summed out.

    Parameters
    ----------
    scores
        A sparse matrix of mentions by candidates: the log-likelihood ratio of a mention under the
        link to a candidate and under no link. Cells that are not stored are `unlisted`.
    prior
        The probability of each candidate before any mention; with `nil` the sum is 1.
    nil
        The probability that an entity has no candidate.
    groups
        The group of each candidate, such as a document, if entities never cross groups; the
        priors of each group, with `nil`, have the sum 1. By default all are one group.
    unlisted
        The score of a candidate that a mention does not list although it lists others.
    """
    rows, priors, own = check_candidates(scores, prior, nil, unlisted, name, groups)
    _, _, bags = encode({}, {"link": rows}, name)
    bags = bags._replace(own=own[:, None])
    table = LinkTable(bags, priors, np.log(priors), float(nil), np.zeros(0))
    store = choose_store(storage, bags, name)
    sums = sum_kernels(store)
    kernels = _compile(store, sums)
    names, start = feature_weights(name, ["link"], weight)
    whole = Template(name, Partition, names, start, count_one, kernels.emit, table)
    summed = add_sums(whole, store, sums)

    def prepare(table: LinkTable, state: Partition) -> LinkTable:
        assert summed.cache.prepare is not None
        own_table = summed.cache.prepare(table, state)._replace(score=np.zeros(state.size.size))
        kernels.fill(own_table, state.size)
        return own_table

    return replace(summed, cache=summed.cache._replace(prepare=prepare, commit=kernels.commit))


def check_candidates(
    scores: Any,
    prior: ArrayLike,
    nil: float,
    unlisted: float,
    name: str,
    groups: ArrayLike | None = None,
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
    group = np.zeros(priors.size) if groups is None else np.asarray(groups)
    if group.shape != priors.shape:
        raise InputError(f"{name}: groups have shape {group.shape}; give one for each candidate")
    sums = np.bincount(np.unique(group, return_inverse=True)[1].reshape(-1), priors)
    worst = sums[np.argmax(np.abs(sums + nil - 1))] if sums.size else 1 - nil
    if (priors <= 0).any() or not 0 <= nil < 1 or abs(worst + nil - 1) > 1e-6:
        raise InputError(
            f"{name}: the priors sum to {worst:g} and nil is {nil:g}; give positive "
            "probabilities whose sum is 1"
        )
    return rows, priors, own
