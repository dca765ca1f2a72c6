"""Priors on clusters: a cost per entity, Ewens (CRP), a function of size, a prior on K."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.split_scores import SplitScores, no_clear, no_put
from partita.factors.template import FastPaths, Template, count_one, feature_weights, finite
from partita.kernel import EXAMINED, Delta, Floats, NoTable, kernel, push
from partita.states import Partition, Regroup
from partita.states.scratch import Groups

__all__ = ["entities_prior", "entity_cost", "ewens", "size_prior"]


class Lookup(NamedTuple):
    """A score for each whole number."""

    score: Floats


@kernel
def entity_change(state: Partition, move: Regroup) -> int:
    """Return the change of the number of entities."""
    change = 0
    if state.size[move.target] == 0:
        change += 1
    if state.size[move.source] == move.many:
        change -= 1
    return change


@kernel
def emit_cost(table: NoTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of K."""
    return push(delta, 0, float(entity_change(state, move)))


@kernel
def log_factorial_before(n: int) -> float:
    """Return log (n-1)!, and 0 for an empty entity."""
    return math.lgamma(float(n)) if n > 0 else 0.0


@kernel
def emit_ewens(table: NoTable, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the changes of K and of sum log (n_e - 1)!."""
    a, b, m = state.size[move.source], state.size[move.target], move.many
    change = log_factorial_before(a - m) - log_factorial_before(a)
    change += log_factorial_before(b + m) - log_factorial_before(b)
    return push(delta, 0, float(entity_change(state, move))) + push(delta, 1, change)


@kernel
def emit_size(table: Lookup, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of sum score[n_e]; sizes past the table's end use its last entry."""
    last = table.score.size - 1
    a, b, m = state.size[move.source], state.size[move.target], move.many
    change = table.score[min(a - m, last)] - table.score[min(a, last)]
    change += table.score[min(b + m, last)] - table.score[min(b, last)]
    return push(delta, 0, change)


@kernel
def emit_count(table: Lookup, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Push the change of score[K]; numbers past the table's end use its last entry."""
    last = table.score.size - 1
    before = state.live[0]
    after = before + entity_change(state, move)
    return push(delta, 0, table.score[min(after, last)] - table.score[min(before, last)])


@kernel
def gap_count(table: Any, delta: Delta, groups: Groups, i: int) -> float:
    """Return 0: both sides are entities already, so K does not change."""
    return 0.0


@kernel
def gap_ewens(table: NoTable, delta: Delta, groups: Groups, i: int) -> float:
    """Return log n of side 0, less that of side 1."""
    delta.status[EXAMINED] += 1
    return delta.weights[1] * math.log(groups.size[0] / groups.size[1])


@kernel
def gap_size(table: Lookup, delta: Delta, groups: Groups, i: int) -> float:
    """Return the score of one more member on side 0, less that on side 1."""
    last = table.score.size - 1
    a, b = groups.size[0], groups.size[1]
    change = table.score[min(a + 1, last)] - table.score[min(a, last)]
    change -= table.score[min(b + 1, last)] - table.score[min(b, last)]
    delta.status[EXAMINED] += 1
    return delta.weights[0] * change


def entity_cost(cost: float, *, name: str = "entity") -> Template:
    """Build a constant cost per entity: score = -cost * K."""
    names, weights = feature_weights(name, ["count"], -cost)
    return Template(
        name,
        Partition,
        names,
        weights,
        count_one,
        emit_cost,
        NoTable(),
        fast=FastPaths(split_scores=_split_scores(gap_count)),
    )


def ewens(alpha: float = 1.0, *, name: str = "ewens") -> Template:
    """Build the Chinese restaurant process: score = K log(alpha) + sum log (n_e - 1)!."""
    if not (math.isfinite(alpha) and alpha > 0):
        raise InputError(f"the concentration of {name} is {alpha}; give a positive number")
    names, weights = feature_weights(name, ["entities", "log_factorials"], [math.log(alpha), 1.0])
    return Template(
        name,
        Partition,
        names,
        weights,
        count_one,
        emit_ewens,
        NoTable(),
        fast=FastPaths(split_scores=_split_scores(gap_ewens)),
    )


def size_prior(score: ArrayLike, *, name: str = "size") -> Template:
    """Build a function of an entity's size: score[n] for n = 1, 2, ... (entry 0 must be 0)."""
    table = _lookup(score, name)
    if table[0] != 0.0:
        raise InputError(f"{name}: entry 0 is {table[0]}; set entry 0 to 0")
    names, weights = feature_weights(name, ["score"], 1.0)
    return Template(
        name,
        Partition,
        names,
        weights,
        count_one,
        emit_size,
        Lookup(table),
        fast=FastPaths(split_scores=_split_scores(gap_size)),
    )


def entities_prior(score: ArrayLike, *, name: str = "entities") -> Template:
    """Build a prior on the number of entities: score[K], e.g. the log probability of each K."""
    names, weights = feature_weights(name, ["score"], 1.0)
    table = Lookup(_lookup(score, name))
    return Template(
        name,
        Partition,
        names,
        weights,
        count_one,
        emit_count,
        table,
        fast=FastPaths(split_scores=_split_scores(gap_count)),
    )


def _split_scores(gap: Any) -> SplitScores:
    return SplitScores(no_clear, no_put, gap)


def _lookup(score: ArrayLike, name: str) -> Floats:
    table = finite(score, name)
    if table.ndim != 1 or table.size < 2:
        raise InputError(f"{name}: the scores have shape {table.shape}; give at least two in a row")
    return np.array(table)
