"""Entities with one latent value per field, whose records copy each other (a Polya urn).

An entity's field has a latent value y, drawn by frequency phi. Its n records are a Dirichlet
process around y: a new variant x is drawn from K(x | y) and paid for once; then it is copied.
With c_b the number of records with value b and theta the concentration,

    LLR = log sum_y f(y) prod_b [Gamma(c_b + theta K(b|y)) / Gamma(theta K(b|y))]
          + lgamma(theta) - lgamma(theta + n) - sum_i log phi_i,

    K(y|y) = e^{r_0},  K(x|y) = f(x) e^{r_l + rarity},  l the level at which x and y are alike,

which is 0 for one record, and counts evidence once however many pairs show it. phi_i is the
frequency of record i's value, phi(b_i), or its own, given the rest of the record; f(b) is the
largest phi_i of the entity's records that show b. Missing values are neutral. The sum over y
runs over the commonest values of the entity, ties by number.

Moving one record costs the distinct values of the field (`urn_score`), whose counts are kept by
entity (`urn_cache`); blocks are counted afresh.
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
from partita.factors.urn_cache import (
    COUNT,
    DISTINCT,
    PLACE,
    STALE,
    STATUS,
    UNKNOWN,
    Shown,
    add,
    clone,
    drop,
    find,
    grow_shown,
    new_shown,
    shown_room,
    subtract,
)
from partita.factors.urn_score import gain, joint, loss
from partita.factors.urn_table import Near, near_table, rates
from partita.kernel import Delta, Floats, Ints, entry, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver, member, stayer

__all__ = ["Field", "urn"]

LEAST = 1e-30
"""Frequencies below are refused: products of them would vanish."""


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
    own
        log phi_i of each mention: how frequent its value is given the rest of its record, for
        columns that depend on each other. None is the log frequency of its value.
    """

    codes: ArrayLike
    frequency: ArrayLike
    ratios: ArrayLike
    pairs: ArrayLike
    levels: ArrayLike
    concentration: float = 10.0
    rarity: float = 0.0
    own: ArrayLike | None = None


class Urn(NamedTuple):
    """Values of mentions by field, what they weigh, and what entities show."""

    value: Ints
    frequency: Floats
    """phi_i by mention and field."""
    owned: Ints
    """By field: whether records with one value may differ in frequency."""
    rate: Floats
    near: Near
    shown: Shown
    mover: Ints
    """By field: the mention whose loss to its entity is known, or -1."""
    lost: Floats


@kernel
def fields(table: Urn, state: Partition, move: Regroup) -> int:
    """One factor for each field."""
    return table.value.shape[1]


@kernel
def row_of(table: Urn, entity: int, field: int) -> int:
    """The row of an entity's field."""
    return entity * table.value.shape[1] + field


@kernel(inline=False)
def look_again(table: Urn, state: Partition, entity: int, field: int) -> None:
    """Find the largest frequencies of a row among the members, after some have left."""
    shown, row = table.shown, row_of(table, entity, field)
    start, distinct = shown.head[row, PLACE], shown.head[row, DISTINCT]
    if distinct == 1:
        shown.level[row] = 0.0
    else:
        for k in range(distinct):
            shown.parts[start + 2 * k] = 0.0
    for m in range(state.size[entity]):
        i = member(state, entity, m)
        x, phi = table.value[i, field], table.frequency[i, field]
        if x >= 0 and distinct == 1:
            shown.level[row] = max(shown.level[row], phi)
        elif x >= 0:
            at = start + 2 * find(shown, start, distinct, x)
            shown.parts[at] = max(shown.parts[at], phi)
    shown.head[row, STATUS] = STALE


@kernel
def known(table: Urn, state: Partition, entity: int, field: int) -> int:
    """The row of an entity's field, with its frequencies."""
    row = row_of(table, entity, field)
    if table.shown.head[row, COUNT] > 0 and table.shown.head[row, STATUS] == UNKNOWN:
        look_again(table, state, entity, field)
    return row


@kernel(inline=False)
def target_change(table: Urn, state: Partition, move: Regroup, field: int) -> float:
    """Change of the target's J by the whole block, counted in scratch."""
    shown, row = table.shown, known(table, state, move.target, field)
    scratch, rate = row_of(table, state.size.size, field), table.rate[field]
    before = joint(table.near, rate, shown, row)
    clone(shown, row, scratch)
    for m in range(move.many):
        i = leaver(state, move, m)
        if table.value[i, field] >= 0:
            add(shown, scratch, table.value[i, field], table.frequency[i, field])
    after = joint(table.near, rate, shown, scratch)
    drop(shown, scratch)
    return after - before


@kernel(inline=False)
def source_change(table: Urn, state: Partition, move: Regroup, field: int) -> float:
    """Change of the source's J by the whole block; those that stay are counted in scratch."""
    shown, row = table.shown, known(table, state, move.source, field)
    scratch, rate = row_of(table, state.size.size, field), table.rate[field]
    before = joint(table.near, rate, shown, row)
    for m in range(state.size[move.source] - move.many):
        i = stayer(state, move, m)
        if table.value[i, field] >= 0:
            add(shown, scratch, table.value[i, field], table.frequency[i, field])
    after = joint(table.near, rate, shown, scratch)
    drop(shown, scratch)
    return after - before


@kernel(inline=False)
def one_leaves(table: Urn, state: Partition, move: Regroup, field: int) -> float:
    """Change of the source's J by one record less."""
    row, x = known(table, state, move.source, field), table.value[move.mention, field]
    phi = table.frequency[move.mention, field]
    if table.owned[field] != 0:
        phi = 0.0
        for m in range(state.size[move.source] - 1):
            i = stayer(state, move, m)
            if table.value[i, field] == x:
                phi = max(phi, table.frequency[i, field])
    change = loss(table.near, table.rate[field], table.shown, row, x, phi)
    return change if change == change else source_change(table, state, move, field)


@kernel
def emit(table: Urn, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change of one field's LLR in the source and in the target."""
    if move.many > 1:
        change = source_change(table, state, move, k) + target_change(table, state, move, k)
        return push(delta, k, change)
    x = table.value[move.mention, k]
    if x < 0:
        return 0.0
    if table.mover[k] != move.mention:
        table.lost[k] = one_leaves(table, state, move, k)
        table.mover[k] = move.mention
    row, phi = known(table, state, move.target, k), table.frequency[move.mention, k]
    change = gain(table.near, table.rate[k], table.shown, row, x, phi)
    if change != change:
        change = target_change(table, state, move, k)
    return push(delta, k, change + table.lost[k])


@kernel
def commit(table: Urn, state: Partition, move: Regroup) -> None:
    """Count the block in its new entity."""
    for k in range(table.value.shape[1]):
        source, target = row_of(table, move.source, k), row_of(table, move.target, k)
        table.mover[k] = -1
        for m in range(move.many):
            i = leaver(state, move, m)
            x = table.value[i, k]
            if x >= 0:
                subtract(table.shown, source, x, table.owned[k] != 0)
                add(table.shown, target, x, table.frequency[i, k])


@kernel
def room(table: Urn) -> bool:
    """Whether the pool holds what one step may cut."""
    return shown_room(table.shown, table.value.shape[1])


@entry
def fill(table: Urn, entity: Ints, first: int) -> int:
    """Count mentions from `first` on; returns the first for which there is no room."""
    for i in range(first, entity.size):
        if not room(table):
            return i
        for k in range(table.value.shape[1]):
            if table.value[i, k] >= 0:
                row = row_of(table, entity[i], k)
                add(table.shown, row, table.value[i, k], table.frequency[i, k])
    return entity.size


def _grow(table: Urn) -> Urn:
    return table._replace(shown=grow_shown(table.shown, table.value.shape[1]))


def _prepare(table: Urn, state: Partition) -> Urn:
    n, width = table.value.shape
    own = table._replace(
        shown=new_shown(n, width), mover=np.full(width, -1, np.int64), lost=np.zeros(width)
    )
    done = fill(own, state.entity, 0)
    while done < n:
        own = _grow(own)
        done = fill(own, state.entity, done)
    return own


def urn(
    given: Mapping[str, Field], *, weights: float | ArrayLike = 1.0, name: str = "urn"
) -> Template:
    """The entity score of records that copy and vary one latent value per field.

    The weight of a field tempers its evidence, where fields depend on each other.
    """
    features, start = feature_weights(name, list(given), weights)
    parts = [_checked(field, f"{name}: field {key!r}") for key, field in given.items()]
    lengths = {len(part["codes"]) for part in parts}
    if len(lengths) != 1 or lengths == {0}:
        raise InputError(f"{name}: fields have {sorted(lengths)} mentions; give equal lengths")
    table = _table(parts)
    return Template(
        name,
        Partition,
        features,
        start,
        fields,
        emit,
        table,
        commit=commit,
        prepare=_prepare,
        room=room,
        grow=_grow,
        check=fits(name, table.value.shape[0]),
    )


def _checked(field: Field, what: str) -> dict[str, Any]:
    phi, ratios = finite(field.frequency, what), finite(field.ratios, what)
    codes, levels = np.asarray(field.codes, np.int64), np.asarray(field.levels, np.int64)
    pairs = np.asarray(field.pairs, np.int64).reshape(-1, 2)
    if codes.ndim != 1 or (codes >= phi.size).any():
        raise InputError(f"{what} has a code of {codes.max(initial=-1)} for {phi.size} values")
    if (phi < LEAST).any() or ratios.size < 2:
        raise InputError(f"{what} needs positive frequencies and at least two ratios")
    if levels.shape != (len(pairs),) or ((levels < 1) | (levels >= ratios.size)).any():
        raise InputError(f"{what}: give each pair of values a level in 1..{ratios.size - 1}")
    if not (math.isfinite(field.concentration) and field.concentration > 0):
        raise InputError(f"{what} has the concentration {field.concentration}; give a positive one")
    if not (math.isfinite(field.rarity) and field.rarity >= 0):
        raise InputError(f"{what} has the rarity {field.rarity}; give 0 or more")
    return {
        "codes": codes,
        "own": _own(field, codes, what),
        "phi": phi,
        "ratios": ratios,
        "pairs": pairs,
        "levels": levels,
        "theta": field.concentration,
        "rarity": field.rarity,
    }


def _own(field: Field, codes: Ints, what: str) -> Floats | None:
    """phi_i of each mention, where the field gives them."""
    if field.own is None:
        return None
    own = np.asarray(field.own, np.float64)
    if own.shape != codes.shape:
        raise InputError(f"{what}: own has shape {own.shape}; give one log frequency per mention")
    own = finite(np.where(codes < 0, 0.0, own), f"{what}: own")
    if (own < math.log(LEAST)).any() or (own > 0.0).any():
        raise InputError(f"{what}: own has {own.min()} to {own.max()}; give logs of probabilities")
    return np.exp(own)


def _table(parts: list[dict[str, Any]]) -> Urn:
    first = np.concatenate([[0], np.cumsum([part["phi"].size for part in parts])])
    codes, frequencies = [], []
    for part, at in zip(parts, first[:-1], strict=True):
        codes.append(np.where(part["codes"] < 0, -1, part["codes"] + at))
        by_value = part["phi"][np.maximum(part["codes"], 0)]
        frequencies.append(by_value if part["own"] is None else part["own"])
    return Urn(
        value=np.ascontiguousarray(np.stack(codes, 1)),
        frequency=np.ascontiguousarray(np.stack(frequencies, 1)),
        owned=np.array([int(part["own"] is not None) for part in parts]),
        rate=rates(parts),
        near=near_table(parts, first),
        shown=new_shown(0, len(parts)),
        mover=np.zeros(0, np.int64),
        lost=np.zeros(0),
    )
