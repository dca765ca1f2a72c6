"""A pairwise model of agreement that is scored exactly from sums, at a cost independent of size.

Each column has the features match, mismatch and missing; each bag has the dot product. Each
feature is a bilinear form of the mention vectors, so for disjoint blocks A and B the sum over all
cross pairs is

    match(A,B) = S_A . S_B,  mismatch = P_A P_B - match,  missing = n_A n_B - P_A P_B,

where P is the number of members with a value. A block R that moves from E to T changes the score
by Q(R,T) - Q(R,E-R).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.bags import Bags, Sums, add_sums, encode, sum_kernels
from partita.factors.stores import DENSE, SPARSE, Store
from partita.factors.template import Template, feature_weights
from partita.kernel import Delta, Ints, kernel, push
from partita.states import Partition, Regroup

__all__ = [
    "Agreement",
    "agreement",
    "agreement_over",
    "choose_store",
    "count_sides",
    "feature_names",
    "first_features",
]

DENSE_CELLS = 1 << 22
"""Largest number of cells (entities x keys) for which sums are stored as dense rows: 32 MB."""


class Agreement(NamedTuple):
    """Sums of the entities, and the first feature of each group (columns have three)."""

    bags: Any
    """`Bags` of a partition, `Branches` of a forest."""
    feature: Ints


@kernel
def count_sides(table: Agreement, state: Any, move: Any) -> int:
    """Count two aggregated factors: one of the source and one of the target."""
    return 2


def feature_names(columns: Iterable[str], bags: Iterable[str]) -> list[str]:
    """List three features for each column, then one for each bag."""
    names = [f"{column}:{kind}" for column in columns for kind in ("match", "mismatch", "missing")]
    return names + [f"{bag}:dot" for bag in bags]


def first_features(columns: int, groups: int) -> Ints:
    """Return the first feature of each group and the total: three per column, one per bag."""
    return np.cumsum([0] + [3] * columns + [1] * (groups - columns))


def _dots(store: Store, sums: Sums) -> Any:
    """Compile the dot products, by group, of a moved block with the source or the target."""
    value, length, at = store.value, store.length, store.at
    gather, drop = sums.gather, sums.drop

    @kernel
    def of_mention(table: Bags, mention: int, entity: int, inside: bool) -> None:
        for q in range(table.start[mention], table.start[mention + 1]):
            x = table.value[q]
            other = value(table.store, entity, table.key[q])
            if inside:
                other -= x
            table.acc[table.group[table.key[q]]] += x * other

    @kernel(inline=False)
    def of_block(table: Bags, block: int, entity: int, inside: bool) -> None:
        if not inside and length(table.store, entity) < length(table.store, block):
            block, entity = entity, block
        for k in range(length(table.store, block)):
            key, x = at(table.store, block, k)
            if x != 0.0:
                other = value(table.store, entity, key)
                if inside:
                    other -= x
                table.acc[table.group[key]] += x * other

    @kernel
    def dots(table: Bags, state: Partition, move: Regroup, entity: int, inside: bool) -> None:
        for g in range(table.mass.shape[1]):
            table.acc[g] = 0.0
        if move.many == 1:
            of_mention(table, move.mention, entity, inside)
            return
        block = gather(table, state, move)
        of_block(table, block, entity, inside)
        if block != move.source:
            drop(table, block)

    return dots


def _emit(store: Store, sums: Sums) -> Any:
    dots = _dots(store, sums)

    @kernel
    def mass(table: Bags, state: Partition, move: Regroup, g: int) -> float:
        if move.many == 1:
            return table.own[move.mention, g]
        if move.many == state.size[move.source]:
            return table.mass[move.source, g]
        total = 0.0
        for k in range(move.many):
            total += table.own[state.block[k], g]
        return total

    @kernel
    def emit(table: Agreement, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
        inside = k == 0
        entity = move.source if inside else move.target
        others = state.size[entity] - (move.many if inside else 0)
        if others == 0:
            return 0.0
        sign = -1.0 if inside else 1.0
        bags = table.bags
        dots(bags, state, move, entity, inside)
        pairs = float(move.many * others)
        score = 0.0
        for g in range(bags.mass.shape[1]):
            first = table.feature[g]
            match = bags.acc[g]
            score += push(delta, first, sign * match)
            if table.feature[g + 1] > first + 1:
                here = mass(bags, state, move, g)
                there = bags.mass[entity, g] - (here if inside else 0.0)
                score += push(delta, first + 1, sign * (here * there - match))
                score += push(delta, first + 2, sign * (pairs - here * there))
        return score

    return emit


def choose_store(storage: str, bags: Bags, noun: str) -> Store:
    """Choose dense rows below DENSE_CELLS and hash tables above, unless `storage` names one."""
    if storage not in ("auto", "dense", "sparse"):
        raise InputError(f"{noun}: storage is {storage!r}; give 'auto', 'dense' or 'sparse'")
    cells = (bags.start.size - 1) * bags.group.size
    dense = cells <= DENSE_CELLS if storage == "auto" else storage == "dense"
    return DENSE if dense else SPARSE


def agreement(
    columns: Mapping[str, ArrayLike] | None = None,
    bags: Mapping[str, Any] | None = None,
    *,
    match: float = 1.0,
    mismatch: float = -1.0,
    missing: float = 0.0,
    dot: float = 1.0,
    storage: str = "auto",
    name: str = "agreement",
) -> Template:
    """Build factors for match, mismatch and missing of columns and for dot products of bags.

    Parameters
    ----------
    columns
        One value per mention and column; `partita.factors.bags.encode` defines missing values.
    bags
        One row per mention (dense or SciPy sparse); normalise rows to get cosines.
    match, mismatch, missing, dot
        Start weights.
    storage
        "dense" or "sparse" sums of the entities; "auto" uses dense rows for small tables.
    """
    named, bagged, table = encode(columns or {}, bags or {}, name)
    store = choose_store(storage, table, name)
    features = feature_names(named, bagged)
    weights = [match, mismatch, missing] * len(named) + [dot] * len(bagged)
    return agreement_over(table, store, len(named), features, weights, name)


def agreement_over(
    table: Bags, store: Store, columns: int, features: list[str], weights: ArrayLike, name: str
) -> Template:
    """Build the template over encoded mentions; the first groups are columns."""
    sums = sum_kernels(store)
    first = first_features(columns, table.own.shape[1])
    names, start = feature_weights(name, features, weights)
    base = Template(
        name, Partition, names, start, count_sides, _emit(store, sums), Agreement(table, first)
    )
    return add_sums(base, store, sums)
