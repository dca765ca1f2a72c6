"""Conjugate components: the marginal likelihood of a cluster from its sufficient statistics.

A row holds the statistics of one cluster. Adding or removing a mention costs as much as the mention
has values. Gibbs moves and smart splits use the predictive probability of a mention given a row;
an entity's score is the marginal likelihood of its row. Rows 0 to n-1 belong to the entities; the
next `SLOTS` rows are scratch for blocks and proposals.

This module holds counts with a symmetric Dirichlet prior: Bernoulli, categorical and multinomial. A
row has counts n_k of values k in groups g, N_g in total, and log p = sum over groups of
    sum_k [lgamma(b + n_k) - lgamma(b)] - [lgamma(V_g b + N_g) - lgamma(V_g b)].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import finite
from partita.kernel import Floats, Ints, gammaln, kernel
from partita.states.checks import positive

__all__ = ["SLOTS", "Component", "Rows", "bernoulli", "categorical", "multinomial"]

SLOTS = 6
"""Scratch rows after the entities: 0-2 for blocks, 3-5 for proposals."""

MAX_TABULATED_COUNT = 1 << 17
"""Largest count whose lgamma is tabulated (1 MB per row of the table)."""

RATIOS_PER_LOG = 8
"""Ratios multiplied before one logarithm is taken; the product stays far from overflow."""

MAX_VALUES = 100_000
"""Limit on distinct values of all columns; cluster statistics use n times as many cells."""


class Rows(NamedTuple):
    """Statistics of clusters: sums of the mentions' values, and derived quantities."""

    sums: Floats
    derived: Floats
    total: Floats
    """The log marginal likelihood of each entity, updated by commit."""


@dataclass(frozen=True)
class Component:
    """The distribution of a cluster's mentions, its parameters integrated out.

    All kernels but the last are called as (data, rows, row, ...): `gain(.., i)` is log p(x_i |
    row) and `loss(.., i)` the same for a mention that the row contains; `add(.., i, sign)` changes
    the sums, and `derive` updates the derived quantities after it; `total` is the log marginal
    likelihood, and `joint(data, rows, a, b)` that of two rows together.
    """

    name: str
    data: Any
    n: int
    width: int
    extra: int
    gain: Any
    loss: Any
    add: Any
    derive: Any
    total: Any
    joint: Any


class Counts(NamedTuple):
    """Sparse values of the mentions (`value` counts of `key`), groups, and tables of lgamma."""

    start: Ints
    key: Ints
    value: Floats
    group: Ints
    own: Floats
    """Mass of each mention by group."""
    prior: float
    base: Floats
    """Prior mass by group."""
    kind: Ints
    """Row of `rise` by group; groups with equal numbers of values share one."""
    rise: Floats
    """lgamma(b + n) - lgamma(b) for b = prior (row 0) and for every prior mass."""


@kernel
def log_rising(data: Counts, row: int, b: float, n: float) -> float:
    """lgamma(b + n) - lgamma(b)."""
    at = int(n)
    if at < data.rise.shape[1]:
        return data.rise[row, at]
    return math.lgamma(b + n) - math.lgamma(b)


@kernel
def predict(data: Counts, rows: Rows, row: int, i: int, back: float) -> float:
    """Return log p(x_i | row) for a row that contains `back` copies of i in excess."""
    keys = data.group.size
    score, ratio, held = 0.0, 1.0, 0
    for q in range(data.start[i], data.start[i + 1]):
        key, r = data.key[q], data.value[q]
        n = rows.sums[row, key] - back * r
        if r == 1.0:
            ratio *= data.prior + n
            held += 1
        else:
            score += log_rising(data, 0, data.prior, n + r) - log_rising(data, 0, data.prior, n)
        if held == RATIOS_PER_LOG:
            score += math.log(ratio)
            ratio, held = 1.0, 0
    for g in range(data.base.size):
        r = data.own[i, g]
        n = rows.sums[row, keys + g] - back * r
        if r == 1.0:
            ratio /= data.base[g] + n
            held += 1
        elif r > 0.0:
            kind, b = data.kind[g], data.base[g]
            score -= log_rising(data, kind, b, n + r) - log_rising(data, kind, b, n)
        if held == RATIOS_PER_LOG:
            score += math.log(ratio)
            ratio, held = 1.0, 0
    return score + math.log(ratio)


@kernel
def count_gain(data: Counts, rows: Rows, row: int, i: int) -> float:
    """Return log p(x_i | row)."""
    return predict(data, rows, row, i, 0.0)


@kernel
def count_loss(data: Counts, rows: Rows, row: int, i: int) -> float:
    """Return log p(x_i | row without i)."""
    return predict(data, rows, row, i, 1.0)


@kernel
def count_add(data: Counts, rows: Rows, row: int, i: int, sign: float) -> None:
    """Add a mention's counts to a row."""
    keys = data.group.size
    for q in range(data.start[i], data.start[i + 1]):
        rows.sums[row, data.key[q]] += sign * data.value[q]
    for g in range(data.base.size):
        rows.sums[row, keys + g] += sign * data.own[i, g]


@kernel
def derive_nothing(data: Counts, rows: Rows, row: int) -> None:
    """Do nothing: counts have no derived quantities."""


@kernel
def count_total(data: Counts, rows: Rows, row: int) -> float:
    """Return the log marginal likelihood of a row."""
    return count_joint(data, rows, row, -1)


@kernel
def count_joint(data: Counts, rows: Rows, a: int, b: int) -> float:
    """Return the log marginal likelihood of two rows together, or of row a if b is negative."""
    keys, score = data.group.size, 0.0
    for k in range(keys):
        n = rows.sums[a, k]
        if b >= 0:
            n += rows.sums[b, k]
        if n > 0.0:
            score += log_rising(data, 0, data.prior, n)
    for g in range(data.base.size):
        n = rows.sums[a, keys + g]
        if b >= 0:
            n += rows.sums[b, keys + g]
        score -= log_rising(data, data.kind[g], data.base[g], n)
    return score


def bernoulli(x: ArrayLike, *, prior: float = 1.0) -> Component:
    """Model columns of 0 and 1, independent in a cluster, with `prior` pseudo-counts per value."""
    table = _matrix(x, "bernoulli")
    wrong = np.argwhere((table != 0) & (table != 1))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise InputError(f"bernoulli: the value at {at} is {table[at]:g}; give 0 and 1 only")
    codes = table.astype(np.int64)
    return _coded("bernoulli", codes, [2] * codes.shape[1], prior)


def categorical(
    codes: ArrayLike, *, prior: float = 1.0, values: Sequence[int] | None = None
) -> Component:
    """Model columns of codes 0, 1, ...; a negative code is missing.

    `values` is the number of codes of each column; by default the largest code plus one.
    """
    table = _matrix(codes, "categorical")
    if (table != np.round(table)).any():
        at = tuple(np.argwhere(table != np.round(table))[0].tolist())
        raise InputError(f"categorical: the value at {at} is {table[at]:g}; give codes 0, 1, 2, ..")
    whole = table.astype(np.int64)
    needed = (np.maximum(whole.max(0), 0) + 1).tolist()
    sizes = needed if values is None else [int(v) for v in values]
    if len(sizes) != whole.shape[1] or any(a > b for a, b in zip(needed, sizes, strict=True)):
        raise InputError(
            f"categorical: values are {sizes} but the columns need {needed}; "
            "give each column at least this many"
        )
    return _coded("categorical", whole, sizes, prior)


def multinomial(counts: ArrayLike, *, prior: float = 1.0) -> Component:
    """Model rows of counts, drawn from one distribution over the columns in each cluster."""
    table = _matrix(counts, "multinomial")
    wrong = np.argwhere((table < 0) | (table != np.round(table)))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise InputError(f"multinomial: the value at {at} is {table[at]:g}; give counts 0, 1, 2 ..")
    row, key = np.nonzero(table)
    start = np.searchsorted(row, np.arange(len(table) + 1))
    own = table.sum(1, keepdims=True)
    return _counts("multinomial", start, key, table[row, key], [table.shape[1]], own, prior)


def _matrix(x: ArrayLike, name: str) -> Floats:
    table = finite(x, f"values of {name}")
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"{name}: the values have shape {table.shape}; give a row per mention")
    return table


def _coded(name: str, codes: Ints, sizes: list[int], prior: float) -> Component:
    """Encode each non-missing code as one count."""
    present = codes >= 0
    offset = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    key = (codes + offset)[present]
    start = np.concatenate([[0], np.cumsum(present.sum(1))])
    return _counts(name, start, key, np.ones(key.size), sizes, present.astype(float), prior)


def _counts(
    name: str, start: Ints, key: Ints, value: Floats, sizes: list[int], own: Floats, prior: float
) -> Component:
    b = positive(prior, f"{name}: the prior")
    if sum(sizes) > MAX_VALUES:
        raise InputError(
            f"{name}: there are {sum(sizes)} distinct values; bucket the rare ones until at most "
            f"{MAX_VALUES} are left"
        )
    base = b * np.array(sizes, float)
    kinds, kind = np.unique(base, return_inverse=True)
    length = int(min(MAX_TABULATED_COUNT, own.sum(0).max() + 1)) + 1
    n = np.arange(length)
    rise = np.stack([gammaln(c + n) - gammaln(c) for c in (b, *kinds)])
    data = Counts(
        np.ascontiguousarray(start, np.int64),
        np.ascontiguousarray(key, np.int64),
        np.ascontiguousarray(value, float),
        np.repeat(np.arange(len(sizes)), sizes),
        np.ascontiguousarray(own, float),
        b,
        base,
        kind.reshape(-1).astype(np.int64) + 1,
        rise,
    )
    width = sum(sizes) + len(sizes)
    kernels = (count_gain, count_loss, count_add, derive_nothing, count_total, count_joint)
    return Component(name, data, len(own), width, 0, *kernels)
