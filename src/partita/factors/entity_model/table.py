"""Tables of the hit-miss entity model: rates of fields, and similar values with their factors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry, kernel

__all__ = [
    "CAP",
    "FAR",
    "LOG_SAME",
    "SAME",
    "SURE",
    "THETA",
    "Listed",
    "Near",
    "cell",
    "factor",
    "listed_pairs",
    "near_table",
    "rate_row",
    "rates",
    "set_factors",
]

SURE = -1e-3
"""log K is at most this: a variant is never certain."""

THETA, SAME, LOG_SAME, CAP, FAR = range(5)
"""Of a field: theta, theta K(y|y), log K(y|y), the largest theta K, theta e^r of the last level."""


class Near(NamedTuple):
    """One small hash table per value: the values similar to it, and theta K(x|y) / phi(x)."""

    start: Ints
    value: Ints
    factor: Floats
    level: NDArray[np.int8]
    """The level of the pair, and the factor of its term frequency; empty if factors are fixed."""
    times: Floats


class Listed(NamedTuple):
    """Pairs of similar values: their level, and log term-frequency adjustment."""

    level: Ints
    more: Floats
    first: Ints
    """The first value of each field."""


@kernel
def home(value: int, mask: int) -> int:
    """Where the search for a value begins."""
    return ((value * 2654435761) >> 13) & mask


@kernel
def cell(near: Near, a: int, b: int) -> int:
    """The place of b among the values similar to a, or -1."""
    base = near.start[a]
    mask = near.start[a + 1] - base - 1
    if mask < 0:
        return -1
    at = home(b, mask)
    while near.value[base + at] >= 0:
        if near.value[base + at] == b:
            return base + at
        at = (at + 1) & mask
    return -1


@kernel
def factor(near: Near, far: float, a: int, b: int) -> float:
    """theta K(a|b) / phi(a) = theta K(b|a) / phi(b) of two different values, before the cap."""
    at = cell(near, a, b)
    return near.factor[at] if at >= 0 else far


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
def insert(near: Near, pairs: Ints, listed: Listed, factors: Floats) -> None:
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
                if near.level.size > 0:
                    near.level[base + at] = listed.level[k]
                    near.times[base + at] = math.exp(listed.more[k])


@entry
def set_factors(near: Near, first: Ints, field: int, scale: Floats) -> None:
    """Give the pairs of a field new factors, where `scale` is theta e^r by level."""
    for at in range(near.start[first[field]], near.start[first[field + 1]]):
        # empty cells have times 0; a test for them would cost more than it spares
        near.factor[at] = scale[near.level[at]] * near.times[at]


def listed_pairs(parts: list[dict[str, Any]]) -> Listed:
    """Similar values of all fields, field by field."""
    more = []
    for part in parts:
        phi, pairs, levels = part["phi"], part["pairs"], part["levels"]
        common = np.log(np.maximum(phi[pairs[:, 0]], phi[pairs[:, 1]]))
        usual = math.log((phi**2).sum()) - common
        rare = part["term_frequency"] * np.clip(usual, -3.0, 3.0)
        if part.get("crowded"):
            rare = np.minimum(rare, np.log(part["prior"].background)[levels] - _crowd(part))
        if part.get("conditional_u") is not None:
            ratio = part["conditional_u"]
            rare = np.where(ratio > 0.0, np.minimum(rare, -ratio), rare)
        # the last level holds for values without agreement: no term-frequency adjustment applies
        more.append(np.where(levels < part["ratios"].size - 1, rare, 0.0))
    levels = np.concatenate([part["levels"] for part in parts])
    first = np.concatenate([[0], np.cumsum([part["phi"].size for part in parts])])
    return Listed(levels, np.concatenate(more), first)


def _crowd(part: dict[str, Any]) -> Floats:
    """Log frequency of all values that are as near to one value of a pair, or to the other."""
    phi, levels, size = part["phi"], part["levels"], part["ratios"].size
    a, b = part["pairs"].T
    near = np.zeros(phi.size * size)
    np.add.at(near, a * size + levels, phi[b])
    np.add.at(near, b * size + levels, phi[a])
    return np.log(np.maximum(near[a * size + levels], near[b * size + levels]))


def near_table(parts: list[dict[str, Any]], listed: Listed, *, changing: bool = False) -> Near:
    """Similar values of all fields, numbered from the first of each field."""
    first = listed.first
    scales = [part["theta"] * np.exp(part["ratios"])[part["levels"]] for part in parts]
    factors = np.concatenate(scales) * np.exp(listed.more)
    pairs = np.concatenate([part["pairs"] + at for part, at in zip(parts, first[:-1], strict=True)])
    start = np.zeros(int(first[-1]) + 1, np.int64)
    count_cells(start, pairs)
    cells = int(start[-1])
    kept = cells if changing else 0
    changes = np.zeros(kept, np.int8), np.zeros(kept)
    near = Near(start, np.full(cells, -1, np.int64), np.zeros(cells), *changes)
    insert(near, pairs, listed, factors)
    return near


def rates(parts: list[dict[str, Any]]) -> Floats:
    """One row of constants per field."""
    return np.array([rate_row(float(part["theta"]), part["ratios"]) for part in parts])


def rate_row(theta: float, ratios: Floats) -> list[float]:
    """The constants of one field."""
    same, far = min(float(ratios[0]), SURE), theta * math.exp(ratios[-1])
    return [theta, theta * math.exp(same), same, theta * math.exp(SURE), far]
