"""Auxiliary variables of a field's rates: latent values, and which records copy another.

Given a partition, each entity draws its latent value y and, for each value that it shows, how many
of the records did not copy: t of count c are new with chance w / (w + j), j = 0 .. c - 1. Given
these counts the rates have the density of `rate_updates`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partita.factors.entity_model.cache import COUNT, DISTINCT, PLACE, Shown
from partita.factors.entity_model.table import CAP, FAR, SAME, Near, cell
from partita.kernel import Floats, Ints, Rng, entry, kernel
from partita.states import Partition

__all__ = ["Tally", "tally_field"]


class Places(NamedTuple):
    """Arrays of a tally, as kernels fill them."""

    level: Ints
    base: Floats
    fresh: Ints
    lengths: Ints
    """Number of entities by how many records show the field."""
    last: int
    """The level of values that are not listed as similar."""


class Tally(NamedTuple):
    """Values of one field by entity of a partition, with drawn latent values and copies."""

    level: Ints
    """By value that differs from the latent value of its entity: the level of the two,"""
    base: Floats
    """log K less log (k / u),"""
    fresh: Ints
    """and how many records did not copy it."""
    same: int
    """Records that show the latent value and did not copy it."""
    length: Ints
    """Distinct numbers of records of an entity that show the field, from 2 on,"""
    entities: Ints
    """and how many entities have each."""

    def counts(self, levels: int) -> Floats:
        """Records that did not copy, by level; level 0 is the latent value itself."""
        counts = np.bincount(self.level, self.fresh.astype(np.float64), levels)
        counts[0] += self.same
        return np.asarray(counts)

    def highest_base(self, levels: int) -> Floats:
        """The largest base of each level; -inf for a level without values."""
        highest = np.full(levels, -math.inf)
        np.maximum.at(highest, self.level, self.base)
        return highest


@kernel
def draw_uncopied(rng: Rng, weight: float, count: int) -> int:
    """How many of `count` records with one value did not copy it."""
    new = 1
    for j in range(1, count):
        if rng.random() * (weight + j) < weight:
            new += 1
    return new


@kernel
def draw_latent(rng: Rng, shown: Shown, start: int, distinct: int) -> int:
    """Draw which distinct value is the latent one, by their shares."""
    uniform, total, latent = rng.random(), 0.0, -1
    for k in range(distinct):
        share = shown.parts[start + 2 * k + 1]
        if share > 0.0:
            latent = k
            total += share
            if uniform < total:
                break
    return latent


@kernel(inline=False)
def tally_row(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    row: int,
    tally: Places,
    at: int,
) -> tuple[int, int]:
    """Add the values of one entity to the tally from place `at`; returns the next, and new equals.

    The shares of its latent values must be fresh.
    """
    start, distinct, same = shown.head[row, PLACE], shown.head[row, DISTINCT], 0
    latent = draw_latent(rng, shown, start, distinct)
    y = shown.cells[start + 2 * latent]
    for k in range(distinct):
        x, count = shown.cells[start + 2 * k], shown.cells[start + 2 * k + 1]
        if k == latent:
            same = draw_uncopied(rng, rate[SAME], count)
            continue
        f, similar = shown.parts[start + 2 * k], cell(near, y, x)
        weight = min(rate[CAP], (near.factor[similar] if similar >= 0 else rate[FAR]) * f)
        tally.level[at] = near.level[similar] if similar >= 0 else tally.last
        tally.base[at] = math.log(f * near.times[similar] if similar >= 0 else f)
        tally.fresh[at] = draw_uncopied(rng, weight, count)
        at += 1
    return at, same


@entry
def tally_all(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    state: Partition,
    field: int,
    fields: int,
    tally: Places,
) -> tuple[int, int]:
    """Fill a tally from all entities; returns how many places it has, and new equals."""
    at, same = 0, 0
    for k in range(state.live[0]):
        row = state.ids[k] * fields + field
        count = shown.head[row, COUNT]
        tally.lengths[count] += 1
        if shown.head[row, DISTINCT] > 1:
            at, more = tally_row(rng, shown, near, rate, row, tally, at)
            same += more
        elif count > 1:
            same += draw_uncopied(rng, rate[SAME], count)
    return at, same


def tally_field(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    state: Partition,
    field: int,
    fields: int,
    levels: int,
) -> Tally:
    """Draw the auxiliary variables of a field; the shares of latent values must be fresh."""
    n = state.entity.size
    integers = np.zeros((3, n + 1), np.int64)
    places = Places(integers[0], np.zeros(n), integers[1], integers[2], levels - 1)
    at, same = tally_all(rng, shown, near, rate, state, field, fields, places)
    length = 2 + np.flatnonzero(places.lengths[2:])
    return Tally(
        places.level[:at],
        places.base[:at],
        places.fresh[:at],
        same,
        length,
        places.lengths[length],
    )
