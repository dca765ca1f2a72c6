"""The data of the urn: values of mentions, what fields weigh, and which values are alike."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, entry, kernel

__all__ = ["CAP", "FAR", "LOG_SAME", "SAME", "THETA", "Near", "factor", "near_table", "rates"]

SURE = -1e-3
"""log K is at most this: a variant is never certain."""

THETA, SAME, LOG_SAME, CAP, FAR = range(5)
"""Of a field: theta, theta K(y|y), log K(y|y), the largest theta K, theta e^r of the last level."""


class Near(NamedTuple):
    """One small hash table per value: those alike to it, and theta K(x|y) / phi(x)."""

    start: Ints
    value: Ints
    factor: Floats


@kernel
def home(value: int, mask: int) -> int:
    """Where the search for a value begins."""
    return ((value * 2654435761) >> 13) & mask


@kernel
def factor(near: Near, far: float, a: int, b: int) -> float:
    """theta K(a|b) / phi(a) = theta K(b|a) / phi(b) of two different values, before the cap."""
    base = near.start[a]
    mask = near.start[a + 1] - base - 1
    if mask < 0:
        return far
    at = home(b, mask)
    while near.value[base + at] >= 0:
        if near.value[base + at] == b:
            return near.factor[base + at]
        at = (at + 1) & mask
    return far


@entry
def count_cells(start: Ints, pairs: Ints) -> None:
    """Where each value's table begins: a power of two cells, at least a third of them empty."""
    for k in range(pairs.shape[0]):
        start[pairs[k, 0] + 1] += 1
        start[pairs[k, 1] + 1] += 1
    for v in range(1, start.size):
        cells = 0
        if start[v] > 0:
            cells = 2
            while 2 * cells < 3 * start[v]:
                cells *= 2
        start[v] = start[v - 1] + cells


@entry
def insert(near: Near, pairs: Ints, factors: Floats) -> None:
    """Enter each pair from both sides; of a pair listed twice the first counts."""
    for k in range(pairs.shape[0]):
        for side in range(2):
            a, b = pairs[k, side], pairs[k, 1 - side]
            base = near.start[a]
            mask = near.start[a + 1] - base - 1
            at = home(b, mask)
            while near.value[base + at] >= 0 and near.value[base + at] != b:
                at = (at + 1) & mask
            if near.value[base + at] < 0:
                near.value[base + at] = b
                near.factor[base + at] = factors[k]


def near_table(parts: list[dict[str, Any]], first: Ints) -> Near:
    """The alike values of all fields, numbered from `first` of each field."""
    factors = []
    for part in parts:
        phi, ratios, pairs, levels = part["phi"], part["ratios"], part["pairs"], part["levels"]
        found = part["theta"] * np.exp(ratios)[levels]
        common = np.log(np.maximum(phi[pairs[:, 0]], phi[pairs[:, 1]]))
        usual = math.log((phi**2).sum()) - common
        more = np.exp(part["rarity"] * np.clip(usual, -3.0, 3.0))
        # the last level is that of values which are not alike: rarity has no part in it
        factors.append(np.where(levels < ratios.size - 1, found * more, found))
    pairs = np.concatenate([part["pairs"] + at for part, at in zip(parts, first[:-1], strict=True)])
    start = np.zeros(int(first[-1]) + 1, np.int64)
    count_cells(start, pairs)
    near = Near(start, np.full(int(start[-1]), -1, np.int64), np.zeros(int(start[-1])))
    insert(near, pairs, np.concatenate(factors))
    return near


def rates(parts: list[dict[str, Any]]) -> Floats:
    """One row of constants per field."""
    rows = []
    for part in parts:
        theta, same = float(part["theta"]), min(float(part["ratios"][0]), SURE)
        far = theta * math.exp(part["ratios"][-1])
        rows.append([theta, theta * math.exp(same), same, theta * math.exp(SURE), far])
    return np.array(rows)
