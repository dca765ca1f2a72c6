"""Values in each other's place: given name and surname of some records exchanged.

Two columns of names hold what they should in most records, (a, b) with probability f(a) s(b), and
each other's values in a share rho, f(b) s(a). f, s and rho are learned by EM from all records, and
no pair of them is looked at. A record whose values are likelier to be exchanged than not is
compared as if they stood where they belong; its own values are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from partita.data import Column
from partita.data.arrow import from_numpy, to_numpy
from partita.kernel import Floats, Ints

__all__ = ["NAMES", "Turned", "both_columns", "turned_columns"]

NAMES = ("given name", "surname")
"""Kinds of columns that are exchanged."""
FIRST, STEPS, NEAR = 0.02, 100, 1e-3
"""The share that EM begins with, its steps, and the share of exchanged records that may still
change when it ends."""
SMOOTHED = 0.01
"""Added to the count of every value, so that none is impossible."""


class Turned(NamedTuple):
    """Which records hold the values of two columns in each other's place."""

    left: str
    right: str
    chance: Floats
    """P(exchanged) of each record."""

    @property
    def rows(self) -> NDArray[np.bool_]:
        """The records that are compared with both values exchanged."""
        return np.asarray(self.chance > 0.5)


def turned_columns(
    columns: Mapping[str, Column], kinds: Mapping[str, str]
) -> tuple[dict[str, Column], list[Turned]]:
    """The columns with all values where they belong, and what was exchanged for that."""
    made, found = dict(columns), []
    names = [name for name, kind in kinds.items() if kind in NAMES]
    for left, right in combinations(names, 2):
        one = _turned(made[left], made[right])
        if one is not None:
            made[left], made[right] = _exchanged(made[left], made[right], one.rows)
            found.append(one)
    return made, found


def both_columns(left: Column, right: Column) -> tuple[pa.StringArray, Ints, Ints]:
    """The values of two columns, and the codes of each in them; missing is -1."""
    values = pc.unique(pa.concat_arrays([left.values, right.values]))
    codes = []
    for column in (left, right):
        place = to_numpy(pc.index_in(column.values, values))
        codes.append(np.append(place.astype(np.int64), -1)[column.codes])
    return values, codes[0], codes[1]


def _laws(a: Ints, b: Ints, chance: Floats, size: int) -> tuple[Floats, Floats]:
    """f and s, with a last place for what is missing, which says nothing."""
    found = []
    for own, other in ((a, b), (b, a)):
        here = np.bincount(own + 1, 1.0 - chance, size + 1)
        there = np.bincount(other + 1, chance, size + 1)
        count = (here + there)[1:] + SMOOTHED
        found.append(np.append(count / count.sum(), 1.0))
    return found[0], found[1]


def _turned(left: Column, right: Column) -> Turned | None:
    """What two columns exchange; None where that does not explain them better."""
    values, a, b = both_columns(left, right)
    n, size = a.size, len(values)
    chance, rho = np.zeros(n), FIRST
    f, s = _laws(a, b, chance, size)
    plain = float(np.log(f[a] * s[b]).sum())
    for _ in range(STEPS):
        here, there = (1.0 - rho) * f[a] * s[b], rho * f[b] * s[a]
        before, chance = chance, there / (here + there)
        rho = float(chance.mean())
        f, s = _laws(a, b, chance, size)
        if np.abs(chance - before).sum() < NEAR * max(1.0, float(chance.sum())):
            break
    told = np.log((1.0 - rho) * f[a] * s[b] + rho * f[b] * s[a])
    # one more number was learned, rho (Schwarz 1978)
    if float(told.sum()) - plain <= 0.5 * math.log(max(n, 2)) or not (chance > 0.5).any():
        return None
    return Turned(left.name, right.name, chance)


def _exchanged(left: Column, right: Column, rows: NDArray[np.bool_]) -> tuple[Column, Column]:
    """Both columns, with the values of some records in each other's place."""
    values, a, b = both_columns(left, right)
    one, two = np.where(rows, b, a), np.where(rows, a, b)
    return _column(left.name, one, values), _column(right.name, two, values)


def _column(name: str, codes: Ints, values: pa.StringArray) -> Column:
    """A column of the values that occur, in their order."""
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.int64)
    used = np.flatnonzero(counts)
    place = np.full(len(values) + 1, -1, np.int32)
    place[used] = np.arange(used.size)
    return Column(name, place[codes], values.take(from_numpy(used)), counts[used])
