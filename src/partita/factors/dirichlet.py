"""The collapsed Dirichlet-multinomial score of an entity, at the cost of an aggregated factor.

log p(E) = sum over groups of
    sum_k [lgamma(b_k + n_k) - lgamma(b_k)] - [lgamma(B + N) - lgamma(B)],

where n_k is the number of members' values (or tokens) k, N their total, b_k = concentration * base
measure of k, and B the sum of b_k. A block of counts r that moves from E to T changes the score by
the same expression at n_E - r and n_T + r.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.agreement import choose_store
from partita.factors.bags import Bags, Sums, add_sums, encode, sum_kernels
from partita.factors.stores import Store
from partita.factors.template import Template, count_one, feature_weights, finite
from partita.kernel import Delta, Floats, kernel, push
from partita.states import Partition, Regroup

__all__ = ["Dirichlet", "dirichlet_multinomial", "dirichlet_over"]


MAX_MULTIPLIED_TOKENS = 12.0
"""Largest whole number of tokens for which a ratio of Gamma functions is multiplied out."""

MAX_PRODUCT = 1e100
"""Magnitude above which a running product is converted to a logarithm."""


class Dirichlet(NamedTuple):
    """Sums of the entities, b_k by key and B by group."""

    bags: Bags
    prior: Floats
    total: Floats


@kernel
def rising(x: float, r: float) -> float:
    """Return x (x + 1) ... (x + r - 1), which is Gamma(x + r) / Gamma(x)."""
    product = 1.0
    for k in range(int(r)):
        product *= x + k
    return product


@kernel
def add_ratio(acc: Floats, g: int, above: float, below: float, r: float) -> None:
    """Add log Gamma(above + r) / Gamma(above) to a group and subtract the same ratio of `below`.

    A logarithm is the most expensive operation here, so ratios are multiplied before one is taken.
    """
    groups = acc.size // 2
    if r > MAX_MULTIPLIED_TOKENS or r != math.floor(r):
        acc[g] += math.lgamma(above + r) - math.lgamma(above)
        acc[g] -= math.lgamma(below + r) - math.lgamma(below)
        return
    product = acc[groups + g] * (rising(above, r) / rising(below, r))
    if product > MAX_PRODUCT or product < 1.0 / MAX_PRODUCT:
        acc[g] += math.log(product)
        product = 1.0
    acc[groups + g] = product


def _emit(store: Store, sums: Sums) -> Any:
    value, length, at = store.value, store.length, store.at
    gather, drop = sums.gather, sums.drop

    @kernel
    def change(table: Dirichlet, state: Partition, move: Regroup, key: int, r: float) -> None:
        b, left, right = table.prior[key], 0.0, 0.0
        if move.many < state.size[move.source]:
            left = value(table.bags.store, move.source, key) - r
        if state.size[move.target] > 0:
            right = value(table.bags.store, move.target, key)
        if left != right:
            add_ratio(table.bags.acc, table.bags.group[key], b + right, b + left, r)

    @kernel(inline=False)
    def of_block(table: Dirichlet, state: Partition, move: Regroup) -> int:
        bags = table.bags
        block = gather(bags, state, move)
        for k in range(length(bags.store, block)):
            key, r = at(bags.store, block, k)
            if r != 0.0:
                change(table, state, move, key, r)
        return block

    @kernel
    def by_key(table: Dirichlet, state: Partition, move: Regroup) -> int:
        """Fill acc with the changes at the keys; return the row of the block's mass, or -1."""
        bags = table.bags
        if move.many > 1:
            return of_block(table, state, move)
        for q in range(bags.start[move.mention], bags.start[move.mention + 1]):
            change(table, state, move, bags.key[q], bags.value[q])
        return -1

    @kernel
    def emit(table: Dirichlet, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        bags, acc = table.bags, table.bags.acc
        groups = bags.mass.shape[1]
        for g in range(groups):
            acc[g] = 0.0
            acc[groups + g] = 1.0
        block = by_key(table, state, move)
        score = 0.0
        for g in range(groups):
            r = bags.own[move.mention, g] if block < 0 else bags.mass[block, g]
            if r > 0.0:
                left, right = bags.mass[move.source, g] - r, bags.mass[move.target, g]
                if left != right:
                    add_ratio(acc, g, table.total[g] + left, table.total[g] + right, r)
                score += push(delta, g, acc[g] + math.log(acc[groups + g]))
        if block >= 0 and block != move.source:
            drop(bags, block)
        return score

    return emit


def dirichlet_multinomial(
    columns: Mapping[str, ArrayLike] | None = None,
    bags: Mapping[str, Any] | None = None,
    *,
    concentration: float | Mapping[str, float] = 1.0,
    base: str = "empirical",
    weights: float | ArrayLike = 1.0,
    storage: str = "auto",
    name: str = "dirichlet",
) -> Template:
    """Draw each entity's values and tokens from its own distributions, integrated out.

    Parameters
    ----------
    columns, bags
        As for `agreement`; bags hold counts of tokens.
    concentration
        B of each group, one for all or by name. A small B favours entities with repeated values.
    base
        "empirical" spreads B by the frequency of values in all mentions, "uniform" evenly.
    weights
        One per group; 1 is the model as written.
    """
    named, bagged, table = encode(columns or {}, bags or {}, name)
    groups = named + bagged
    if (table.value < 0).any() or (table.value != np.round(table.value)).any():
        wrong = table.value[(table.value < 0) | (table.value != np.round(table.value))][0]
        raise InputError(f"{name}: a bag holds {wrong:g}; give counts (0, 1, 2, ...)")
    totals = _totals(concentration, groups, name)
    prior = _base(base, table, len(groups), name) * totals[table.group]
    store = choose_store(storage, table, name)
    return dirichlet_over(Dirichlet(table, prior, totals), store, groups, weights, name)


def dirichlet_over(
    data: Dirichlet, store: Store, groups: list[str], weights: float | ArrayLike, name: str
) -> Template:
    """Build the template over encoded mentions, with b_k by key and B by group."""
    sums = sum_kernels(store)
    names, start = feature_weights(name, groups, weights)
    whole = Template(name, Partition, names, start, count_one, _emit(store, sums), data)
    return add_sums(whole, store, sums)


def _totals(concentration: float | Mapping[str, float], groups: list[str], name: str) -> Floats:
    if isinstance(concentration, Mapping):
        unknown = sorted(set(concentration) - set(groups))
        if unknown:
            raise InputError(
                f"{name}: concentration names {unknown[0]!r}; give names of columns or bags"
            )
        values = [concentration.get(group, 1.0) for group in groups]
    else:
        values = [concentration] * len(groups)
    totals = finite(values, f"concentrations of {name}")
    if (totals <= 0).any():
        raise InputError(f"{name}: a concentration is {totals.min()}; give positive numbers")
    return totals


def _base(base: str, table: Bags, groups: int, name: str) -> Floats:
    if base not in ("empirical", "uniform"):
        raise InputError(f"{name}: base is {base!r}; give 'empirical' or 'uniform'")
    keys = table.group.size
    weight = np.bincount(table.key, table.value, keys) if base == "empirical" else np.ones(keys)
    weight = np.maximum(weight, 1e-12)
    return weight / np.bincount(table.group, weight, groups)[table.group]
