"""Entities with one latent value per field, whose records copy each other (a Polya urn).

An entity's field has a latent value y, drawn by frequency phi. Its n records are a Dirichlet
process around y: a new variant x is drawn from K(x | y) and paid for once; then it is copied.
With c_b the number of records with value b and theta the concentration,

    LLR = log sum_y phi(y) prod_b [Gamma(c_b + theta K(b|y)) / Gamma(theta K(b|y))]
          + lgamma(theta) - lgamma(theta + n) - sum_b c_b log phi(b),

    K(y|y) = e^{r_0},  K(x|y) = phi(x) e^{r_l + rarity},  l the level at which x and y are alike,

which is 0 for one record, and counts evidence once however many pairs show it. Missing values are
neutral. The sum over y runs over the commonest values of the entity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, entry, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver, member, stayer

__all__ = ["Field", "urn"]

MOST_LATENT = 8
"""Latent values considered for one field of one entity."""

SURE = -1e-3
"""log K is at most this: a variant is never certain."""


@dataclass(frozen=True)
class Field:
    """One field: its values, how frequent they are, and how alike.

    Parameters
    ----------
    codes
        The value of each mention, numbered from 0; negative is missing.
    frequency
        phi: the probability of each value.
    ratios
        r by level: log P(equal) first, then log(m/u) of each level of likeness; the last level
        holds for all pairs of values that are not listed.
    pairs, levels
        Pairs of values that are alike, and at which level (1, 2, ...).
    concentration
        theta: small means that records copy each other, large that each errs for itself.
    rarity
        How much more a rare fuzzy agreement counts than a common one; 0 is not at all.
    """

    codes: ArrayLike
    frequency: ArrayLike
    ratios: ArrayLike
    pairs: ArrayLike
    levels: ArrayLike
    concentration: float = 10.0
    rarity: float = 0.0


class Urn(NamedTuple):
    """Values of mentions by field, and what every pair of values weighs."""

    value: Ints
    log_phi: Floats
    ratio: Floats
    last: Ints
    theta: Floats
    rarity: Floats
    usual: Floats
    """log sum phi^2 by field: how common an agreement is by chance."""
    pair_key: Ints
    pair_level: Ints
    seen: Ints
    times: Floats


@kernel
def fields(table: Urn, state: Partition, move: Regroup) -> int:
    """One factor for each field."""
    return table.value.shape[1]


@kernel
def level_of(table: Urn, field: int, a: int, b: int) -> int:
    """The level at which two different values are alike."""
    low, high = min(a, b), max(a, b)
    key = low * table.log_phi.size + high
    mask = table.pair_key.size - 1
    at = (low * 31 + high) & mask
    while table.pair_key[at] != -1:
        if table.pair_key[at] == key:
            return table.pair_level[at]
        at = (at + 1) & mask
    return table.last[field]


@kernel
def log_copy(table: Urn, field: int, x: int, y: int) -> float:
    """log K(x | y)."""
    if x == y:
        return min(table.ratio[field, 0], SURE)
    level = level_of(table, field, x, y)
    found = table.log_phi[x] + table.ratio[field, level]
    if level < table.last[field]:
        usual = table.usual[field] - max(table.log_phi[x], table.log_phi[y])
        found += table.rarity[field] * min(3.0, max(-3.0, usual))
    return min(found, SURE)


@kernel
def tally(table: Urn, value: int, distinct: int) -> int:
    """Count one more record with a value; returns how many distinct values there are."""
    if value < 0:
        return distinct
    for k in range(distinct):
        if table.seen[k] == value:
            table.times[k] += 1.0
            return distinct
    table.seen[distinct] = value
    table.times[distinct] = 1.0
    return distinct + 1


@kernel
def commonest_first(table: Urn, distinct: int) -> int:
    """Bring the commonest values to the front; returns how many are considered as latent."""
    latent = min(distinct, MOST_LATENT)
    for k in range(latent):
        best = k
        for other in range(k + 1, distinct):
            more = table.times[other] > table.times[best]
            # ties by number, so that the score does not depend on the order of members
            tied = table.times[other] == table.times[best] and table.seen[other] < table.seen[best]
            if more or tied:
                best = other
        value, times = table.seen[k], table.times[k]
        table.seen[k], table.times[k] = table.seen[best], table.times[best]
        table.seen[best], table.times[best] = value, times
    return latent


@kernel(inline=False)
def log_ratio(table: Urn, field: int, distinct: int) -> float:
    """LLR of the values tallied."""
    theta, n, alone = table.theta[field], 0.0, 0.0
    for k in range(distinct):
        n += table.times[k]
        alone += table.times[k] * table.log_phi[table.seen[k]]
    if n <= 1.0:
        return 0.0
    total = -math.inf
    for a in range(commonest_first(table, distinct)):
        y = table.seen[a]
        score = table.log_phi[y]
        for b in range(distinct):
            weight = theta * math.exp(log_copy(table, field, table.seen[b], y))
            if table.times[b] == 1.0:
                score += math.log(weight)
            else:
                score += math.lgamma(table.times[b] + weight) - math.lgamma(weight)
        top = max(total, score)
        total = top + math.log(math.exp(total - top) + math.exp(score - top))
    return total + math.lgamma(theta) - math.lgamma(theta + n) - alone


@kernel
def whole(table: Urn, state: Partition, entity: int, field: int) -> int:
    """Tally all members of an entity."""
    distinct = 0
    for m in range(state.size[entity]):
        distinct = tally(table, table.value[member(state, entity, m), field], distinct)
    return distinct


@kernel
def emit(table: Urn, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change of one field's LLR in the source and in the target."""
    present = False
    for m in range(move.many):
        present = present or table.value[leaver(state, move, m), k] >= 0
    if not present:
        return 0.0
    change = -log_ratio(table, k, whole(table, state, move.source, k))
    distinct = 0
    for m in range(state.size[move.source] - move.many):
        distinct = tally(table, table.value[stayer(state, move, m), k], distinct)
    change += log_ratio(table, k, distinct)
    change -= log_ratio(table, k, whole(table, state, move.target, k))
    distinct = whole(table, state, move.target, k)
    for m in range(move.many):
        distinct = tally(table, table.value[leaver(state, move, m), k], distinct)
    return push(delta, k, change + log_ratio(table, k, distinct))


def urn(
    given: Mapping[str, Field], *, weights: float | ArrayLike = 1.0, name: str = "urn"
) -> Template:
    """The entity score of records that copy and vary one latent value per field.

    The weight of a field tempers its evidence, where fields depend on each other.
    """
    features, start = feature_weights(name, list(given), weights)
    checked = {key: _checked(field, f"{name}: field {key!r}") for key, field in given.items()}
    sizes = [len(parts["phi"]) for parts in checked.values()]
    first = np.concatenate([[0], np.cumsum(sizes)])
    lengths = {len(parts["codes"]) for parts in checked.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise InputError(f"{name}: fields have {sorted(lengths)} mentions; give equal lengths")
    table = _table(list(checked.values()), first)

    def prepare(table: Urn, state: Partition) -> Urn:
        n = state.entity.size
        return table._replace(seen=np.zeros(n, np.int64), times=np.zeros(n))

    check = fits(name, table.value.shape[0])
    return Template(
        name, Partition, features, start, fields, emit, table, prepare=prepare, check=check
    )


def _checked(field: Field, what: str) -> dict[str, Any]:
    phi, ratios = finite(field.frequency, what), finite(field.ratios, what)
    codes, levels = np.asarray(field.codes, np.int64), np.asarray(field.levels, np.int64)
    pairs = np.asarray(field.pairs, np.int64).reshape(-1, 2)
    if codes.ndim != 1 or (codes >= phi.size).any():
        raise InputError(f"{what} has a code of {codes.max(initial=-1)} for {phi.size} values")
    if (phi <= 0).any() or ratios.size < 2:
        raise InputError(f"{what} needs positive frequencies and at least two ratios")
    if levels.shape != (len(pairs),) or ((levels < 1) | (levels >= ratios.size)).any():
        raise InputError(f"{what}: give each pair of values a level in 1..{ratios.size - 1}")
    if not (math.isfinite(field.concentration) and field.concentration > 0):
        raise InputError(f"{what} has the concentration {field.concentration}; give a positive one")
    return {
        "codes": codes,
        "phi": phi,
        "ratios": ratios,
        "pairs": pairs,
        "levels": levels,
        "theta": field.concentration,
        "rarity": field.rarity,
    }


def _table(parts: list[dict[str, Any]], first: Ints) -> Urn:
    width = max(part["ratios"].size for part in parts)
    ratio = np.zeros((len(parts), width))
    for k, part in enumerate(parts):
        ratio[k, : part["ratios"].size] = part["ratios"]
    placed = list(zip(parts, first[:-1], strict=True))
    codes = [np.where(part["codes"] < 0, -1, part["codes"] + at) for part, at in placed]
    pairs = np.concatenate([part["pairs"] + at for part, at in placed])
    keys, levels = _hashed(pairs, np.concatenate([p["levels"] for p in parts]), int(first[-1]))
    return Urn(
        value=np.ascontiguousarray(np.stack(codes, 1)),
        log_phi=np.log(np.concatenate([part["phi"] for part in parts])),
        ratio=ratio,
        last=np.array([part["ratios"].size - 1 for part in parts]),
        theta=np.array([float(part["theta"]) for part in parts]),
        rarity=np.array([float(part["rarity"]) for part in parts]),
        usual=np.array([math.log((part["phi"] ** 2).sum()) for part in parts]),
        pair_key=keys,
        pair_level=levels,
        seen=np.zeros(0, np.int64),
        times=np.zeros(0),
    )


@entry
def insert(keys: Ints, found: Ints, low: Ints, high: Ints, levels: Ints, values: int) -> None:
    """Fill an open-addressed table from pairs of values to levels."""
    mask = keys.size - 1
    for k in range(low.size):
        at = (low[k] * 31 + high[k]) & mask
        while keys[at] != -1:
            at = (at + 1) & mask
        keys[at] = low[k] * values + high[k]
        found[at] = levels[k]


def _hashed(pairs: Ints, levels: Ints, values: int) -> tuple[Ints, Ints]:
    size = 4
    while size < 2 * len(pairs):
        size *= 2
    keys, found = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
    insert(keys, found, low, high, levels, values)
    return keys, found
