"""Swapped values: indicators of mentions that show two fields in each other's place.

Each mention shows two fields swapped with a probability of its own for each pair of fields, which
has a Beta prior and is integrated out. The values of both fields have common numbers, and J counts
them in the field where they belong; so given a partition a mention is swapped with the odds

    (a + T) / (b + N - 1 - T) exp(J after - J before),

with T the others of N that are swapped. Gibbs draws visit the eligible mentions one by one, and
those of each entity together, for an entity that is swapped as a whole has the same score.
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
from partita.kernel import Floats, Ints, Rng, chance, entry, kernel
from partita.states import Partition
from partita.states.partition import member

__all__ = ["SWAP_PRIOR", "FieldSwap", "Swaps", "checked_swaps", "draw_swaps", "set_swaps"]

SWAP_PRIOR = (1.0, 9.0)
"""The Beta prior of the share of mentions that are swapped: its mean is one in ten."""

FIRST, DONE = 0, 1
"""Of a draw of all indicators: the row where it began, and how many rows it has visited."""


@dataclass(frozen=True)
class FieldSwap:
    """Two fields whose values may be swapped.

    Parameters
    ----------
    left, right
        Names of the fields. Their values have the same numbers. A value in its other place has
        the frequency phi there, also where it has one of its own here.
    swapped
        By mention: 1 if its codes are given swapped, against what it shows; else 0.
    eligible
        The mentions whose indicator is unknown.
    """

    left: str
    right: str
    swapped: ArrayLike
    eligible: ArrayLike


class Swaps(NamedTuple):
    """Indicators by pair of fields (row)."""

    fields: Ints
    """The two fields of each pair."""
    swapped: Ints
    """By pair and mention."""
    eligible: NDArray[np.bool_]
    """By pair and mention: whether the indicator is unknown;"""
    rows: Ints
    """and the same as rows of pair and mention."""
    spare: Floats
    """By pair, mention and side: the frequency of the swapped value."""
    progress: Ints
    """FIRST and DONE of a draw; all zero between two draws."""


@kernel
def swap_values(table: Any, entity: int, i: int, pair: int) -> None:
    """Swap two values of a mention, also in the counts of its entity."""
    swaps, first = table.swaps, table.first
    a, b = swaps.fields[pair, 0], swaps.fields[pair, 1]
    x, y = table.value[i, a], table.value[i, b]
    if x >= 0:
        subtract(table.shown, row_of(table, entity, a), x, table.owned[a] != 0)
        x += first[b] - first[a]
    if y >= 0:
        subtract(table.shown, row_of(table, entity, b), y, table.owned[b] != 0)
        y += first[a] - first[b]
    table.value[i, a], table.value[i, b] = y, x
    for side in range(2):
        field = swaps.fields[pair, side]
        phi = swaps.spare[pair, i, side]
        swaps.spare[pair, i, side] = table.frequency[i, field]
        table.frequency[i, field] = phi
        if table.value[i, field] >= 0:
            add(table.shown, row_of(table, entity, field), table.value[i, field], phi)
    swaps.swapped[pair, i] = 1 - swaps.swapped[pair, i]


@kernel(inline=False)
def pair_score(table: Any, state: Partition, entity: int, pair: int) -> float:
    """The score of both fields of an entity."""
    total = 0.0
    for side in range(2):
        field = table.swaps.fields[pair, side]
        row = known(table, state, entity, field)
        total += joint(table.near, table.rate[field], table.shown, row)
        count = min(table.shown.head[row, COUNT], table.short.shape[1] - 1)
        total += table.short[field, count]
    return total


@kernel
def log_share(swapped: int, n: int) -> float:
    """Log probability that `swapped` of n mentions are swapped, up to a constant."""
    return math.lgamma(SWAP_PRIOR[0] + swapped) + math.lgamma(SWAP_PRIOR[1] + n - swapped)


@kernel
def swap_members(table: Any, state: Partition, entity: int, pair: int) -> int:
    """Swap all eligible mentions of an entity; returns how many more are swapped then."""
    more = 0
    for m in range(state.size[entity]):
        i = member(state, entity, m)
        if table.swaps.eligible[pair, i]:
            more += 1 - 2 * table.swaps.swapped[pair, i]
            swap_values(table, entity, i, pair)
    return more


@kernel
def is_first_of_several(table: Any, state: Partition, pair: int, i: int) -> bool:
    """Whether a mention is the first of at least two eligible ones of its entity."""
    first, eligible, entity = -1, 0, state.entity[i]
    for m in range(state.size[entity]):
        j = member(state, entity, m)
        if table.swaps.eligible[pair, j]:
            eligible += 1
            first = j if first < 0 else first
    return first == i and eligible > 1


@kernel
def draw_either(rng: Rng, gain: float) -> bool:
    """Draw the second of two values, whose log density exceeds that of the first by `gain`."""
    return chance(rng, 0.5 * (1.0 + math.tanh(0.5 * gain)))


@kernel(inline=False)
def draw_mention(rng: Rng, table: Any, state: Partition, pair: int, i: int, totals: Ints) -> None:
    """Draw the indicator of one mention."""
    entity, n = state.entity[i], state.entity.size
    before = pair_score(table, state, entity, pair) + log_share(totals[pair], n)
    swapped = totals[pair] + 1 - 2 * table.swaps.swapped[pair, i]
    swap_values(table, entity, i, pair)
    gain = pair_score(table, state, entity, pair) + log_share(swapped, n) - before
    if draw_either(rng, gain):
        totals[pair] = swapped
    else:
        swap_values(table, entity, i, pair)


@kernel(inline=False)
def draw_entity(
    rng: Rng, table: Any, state: Partition, pair: int, entity: int, totals: Ints
) -> None:
    """Draw whether all eligible mentions of an entity change their indicators together."""
    n = state.entity.size
    before = pair_score(table, state, entity, pair) + log_share(totals[pair], n)
    swapped = totals[pair] + swap_members(table, state, entity, pair)
    gain = pair_score(table, state, entity, pair) + log_share(swapped, n) - before
    if draw_either(rng, gain):
        totals[pair] = swapped
    else:
        swap_members(table, state, entity, pair)


@kernel
def has_room(table: Any) -> bool:
    """Whether the pool holds the blocks that the draws of one row may cut."""
    needed = (8 * table.value.shape[1]) << (table.shown.widest[0] + 1)
    return table.shown.pool.top[0] + needed <= table.shown.cells.size


@entry
def draw_rows(rng: Rng, table: Any, state: Partition, totals: Ints) -> bool:
    """Draw the indicators from where the last call stopped; whether all rows are done.

    `totals` are by pair the mentions that are swapped. It stops early where the pool is full.
    """
    rows, progress = table.swaps.rows, table.swaps.progress
    while progress[DONE] < rows.shape[0]:
        if not has_room(table):
            return False
        at = (progress[FIRST] + progress[DONE]) % rows.shape[0]
        pair, i = rows[at, 0], rows[at, 1]
        draw_mention(rng, table, state, pair, i, totals)
        if is_first_of_several(table, state, pair, i):
            draw_entity(rng, table, state, pair, state.entity[i], totals)
        progress[DONE] += 1
    progress[:] = 0
    return True


def draw_swaps(rng: Rng, table: Any, state: Partition) -> bool:
    """Draw all indicators in turn, from a random one on; False where the pool must grow first."""
    swaps = table.swaps
    if swaps.progress[DONE] == 0:
        swaps.progress[FIRST] = int(rng.random() * len(swaps.rows))
    table.mover[:] = -1
    return bool(draw_rows(rng, table, state, swaps.swapped.sum(1)))


@entry
def set_swaps(table: Any, state: Partition, indicators: NDArray[np.int8]) -> bool:
    """Give the eligible mentions these indicators, by row; False where the pool is full."""
    rows = table.swaps.rows
    for k in range(rows.shape[0]):
        pair, i = rows[k, 0], rows[k, 1]
        if table.swaps.swapped[pair, i] != indicators[k]:
            if not has_room(table):
                return False
            swap_values(table, state.entity[i], i, pair)
            table.mover[:] = -1
    return True


def checked_swaps(
    swaps: Sequence[FieldSwap], names: Sequence[str], parts: Sequence[Mapping[str, Any]], noun: str
) -> Swaps:
    """The arrays of swaps, or an InputError that names the fault of one."""
    n, fields, swapped = len(parts[0]["codes"]), [], []
    spare = np.zeros((len(swaps), n, 2))
    eligible = np.zeros((len(swaps), n), bool)
    for number, swap in enumerate(swaps):
        for name in (swap.left, swap.right):
            if name not in names:
                raise InputError(
                    f"{noun}: there is no field {name!r} to swap; name two of {', '.join(names)}"
                )
        a, b = names.index(swap.left), names.index(swap.right)
        if parts[a]["phi"].size != parts[b]["phi"].size or a == b:
            raise InputError(
                f"{noun}: {swap.left!r} and {swap.right!r} are swapped but their values have "
                "different numbers; give both fields the values of both"
            )
        indicators = np.asarray(swap.swapped, np.int64)
        if indicators.shape != (n,):
            raise InputError(
                f"{noun}: swapped has shape {indicators.shape}; give one indicator per mention"
            )
        fields.append((a, b))
        swapped.append(indicators)
        eligible[number, np.asarray(swap.eligible, np.int64)] = True
        for side, (here, there) in enumerate(((a, b), (b, a))):
            spare[number, :, side] = parts[here]["phi"][np.maximum(parts[there]["codes"], 0)]
    return Swaps(
        np.array(fields, np.int64).reshape(-1, 2),
        np.array(swapped, np.int64).reshape(len(swaps), n),
        eligible,
        np.argwhere(eligible),
        spare,
        np.zeros(2, np.int64),
    )
