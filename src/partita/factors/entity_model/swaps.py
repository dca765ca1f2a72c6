"""Values in each other's place: which mentions show two fields of the urn exchanged.

Each mention shows two fields exchanged with a probability of its own for each pair of fields, which
has a Beta prior and is integrated out. The values of both fields are numbered alike, and J counts
them where they belong; so given a partition a mention is turned with the odds

    (a + T) / (b + N - 1 - T) exp(J after - J before),

with T the others of N that are turned. The mentions that may be turned are drawn one by one, and
those of each entity together, for an entity that is turned as a whole looks the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.factors.entity_model.cache import COUNT, add, subtract
from partita.factors.entity_model.known import known, row_of
from partita.factors.entity_model.score import joint
from partita.kernel import Floats, Ints, Rng, entry, kernel
from partita.states import Partition
from partita.states.partition import member

__all__ = ["Exchange", "Turns", "turn_all", "turns_of"]

RARE = (1.0, 9.0)
"""The Beta prior of the share of mentions that are turned."""


@dataclass(frozen=True)
class Exchange:
    """Two fields whose values may stand in each other's place.

    Parameters
    ----------
    left, right
        Names of the fields. Their values have the same numbers. A value that stands in its other
        place has the frequency phi there, also where it has one of its own here.
    turned
        By mention: 1 if its codes are given exchanged, against what it shows; else 0.
    some
        The mentions that may be turned.
    """

    left: str
    right: str
    turned: ArrayLike
    some: ArrayLike


class Turns(NamedTuple):
    """By pair of fields (row): which they are, and what is turned."""

    fields: Ints
    turned: Ints
    """By pair and mention."""
    may: NDArray[np.bool_]
    """By pair and mention: whether it may be turned;"""
    some: Ints
    """and the same as pairs of numbers."""
    spare: Floats
    """By pair, mention and side: the frequency of the value that stands there once turned."""


@kernel
def exchange(table: Any, entity: int, i: int, pair: int) -> None:
    """Exchange two values of a mention, also in what its entity shows."""
    turns, first = table.turns, table.first
    a, b = turns.fields[pair, 0], turns.fields[pair, 1]
    x, y = table.value[i, a], table.value[i, b]
    if x >= 0:
        subtract(table.shown, row_of(table, entity, a), x, table.owned[a] != 0)
        x += first[b] - first[a]
    if y >= 0:
        subtract(table.shown, row_of(table, entity, b), y, table.owned[b] != 0)
        y += first[a] - first[b]
    table.value[i, a], table.value[i, b] = y, x
    for side in range(2):
        field = turns.fields[pair, side]
        phi = turns.spare[pair, i, side]
        turns.spare[pair, i, side] = table.frequency[i, field]
        table.frequency[i, field] = phi
        if table.value[i, field] >= 0:
            add(table.shown, row_of(table, entity, field), table.value[i, field], phi)
    turns.turned[pair, i] = 1 - turns.turned[pair, i]


@kernel(inline=False)
def shown_score(table: Any, state: Partition, entity: int, pair: int) -> float:
    """The score of both fields of an entity."""
    total = 0.0
    for side in range(2):
        field = table.turns.fields[pair, side]
        row = known(table, state, entity, field)
        total += joint(table.near, table.rate[field], table.shown, row)
        count = min(table.shown.head[row, COUNT], table.short.shape[1] - 1)
        total += table.short[field, count]
    return total


@kernel
def log_turned(many: int, n: int) -> float:
    """Log probability of so many turned mentions, but for a constant."""
    return math.lgamma(RARE[0] + many) + math.lgamma(RARE[1] + n - many)


@kernel
def exchange_all(table: Any, state: Partition, entity: int, pair: int) -> int:
    """Turn all mentions of an entity that may be; returns how many more are turned then."""
    more = 0
    for m in range(state.size[entity]):
        i = member(state, entity, m)
        if table.turns.may[pair, i]:
            more += 1 - 2 * table.turns.turned[pair, i]
            exchange(table, entity, i, pair)
    return more


@kernel
def leads(table: Any, state: Partition, pair: int, i: int) -> bool:
    """Whether a mention is the first of its entity that may be turned, and not the only one."""
    first, many, entity = -1, 0, state.entity[i]
    for m in range(state.size[entity]):
        j = member(state, entity, m)
        if table.turns.may[pair, j]:
            many += 1
            first = j if first < 0 else first
    return first == i and many > 1


@kernel(inline=False)
def turn_one(rng: Rng, table: Any, state: Partition, pair: int, i: int, totals: Ints) -> float:
    """Turn one mention, or leave it as it is; returns the change of the score."""
    entity, n, was = state.entity[i], state.entity.size, table.turns.turned[pair, i]
    before = shown_score(table, state, entity, pair) + log_turned(totals[pair], n)
    exchange(table, entity, i, pair)
    many = totals[pair] + 1 - 2 * was
    gain = shown_score(table, state, entity, pair) + log_turned(many, n) - before
    if math.log(rng.random()) < gain:
        totals[pair] = many
        return gain
    exchange(table, entity, i, pair)
    return 0.0


@kernel(inline=False)
def turn_entity(
    rng: Rng, table: Any, state: Partition, pair: int, entity: int, totals: Ints
) -> float:
    """Turn all mentions of an entity that may be, or none; returns the change of the score."""
    n = state.entity.size
    before = shown_score(table, state, entity, pair) + log_turned(totals[pair], n)
    many = totals[pair] + exchange_all(table, state, entity, pair)
    gain = shown_score(table, state, entity, pair) + log_turned(many, n) - before
    if math.log(rng.random()) < gain:
        totals[pair] = many
        return gain
    exchange_all(table, state, entity, pair)
    return 0.0


@entry
def turn_all(rng: Rng, table: Any, state: Partition, first: int, totals: Ints) -> float:
    """Draw anew which mentions are turned, from one of them on; returns the change of the score.

    `totals` are by pair the mentions that are turned. It ends early where the pool is nearly full,
    which the walk enlarges before its next step.
    """
    some, change = table.turns.some, 0.0
    for k in range(some.shape[0]):
        at = (first + k) % some.shape[0]
        pair, i = some[at, 0], some[at, 1]
        most = (8 * table.value.shape[1]) << (table.shown.widest[0] + 1)
        if table.shown.pool.top[0] + most > table.shown.cells.size:
            break
        change += turn_one(rng, table, state, pair, i, totals)
        if leads(table, state, pair, i):
            change += turn_entity(rng, table, state, pair, state.entity[i], totals)
    return change


def turns_of(
    given: Sequence[Exchange], names: Sequence[str], parts: Sequence[Mapping[str, Any]], what: str
) -> Turns:
    """The numbers of exchanges, or an InputError that says what is wrong with one."""
    n, fields, turned = len(parts[0]["codes"]), [], []
    spare = np.zeros((len(given), n, 2))
    may = np.zeros((len(given), n), bool)
    for number, one in enumerate(given):
        for name in (one.left, one.right):
            if name not in names:
                raise InputError(f"{what}: there is no field {name!r} to be exchanged")
        a, b = names.index(one.left), names.index(one.right)
        if parts[a]["phi"].size != parts[b]["phi"].size or a == b:
            raise InputError(
                f"{what}: {one.left!r} and {one.right!r} are exchanged but their values are not "
                "numbered alike; give both fields the values of both"
            )
        marks = np.asarray(one.turned, np.int64)
        if marks.shape != (n,):
            raise InputError(f"{what}: turned has shape {marks.shape}; give one mark per mention")
        fields.append((a, b))
        turned.append(marks)
        may[number, np.asarray(one.some, np.int64)] = True
        for side, (here, there) in enumerate(((a, b), (b, a))):
            spare[number, :, side] = parts[here]["phi"][np.maximum(parts[there]["codes"], 0)]
    return Turns(
        np.array(fields, np.int64).reshape(-1, 2),
        np.array(turned, np.int64).reshape(len(given), n),
        may,
        np.argwhere(may),
        spare,
    )
