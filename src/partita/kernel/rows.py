"""Sparse rows of pairs, for pairwise factors and candidates; connected components of pairs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel.arrays import Ints
from partita.kernel.numba.compile import entry

__all__ = ["different_mentions", "find_components", "symmetric_rows"]


def different_mentions(pairs: ArrayLike, n: int, noun: str) -> Ints:
    """Check pairs of different mentions below n, in two columns."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(f"{noun}: the number of mentions is {n!r}; give a whole number above 0")
    try:
        listed = np.asarray(pairs)
    except ValueError:
        raise InputError(
            f"{noun}: pairs have rows of different lengths; give two columns"
        ) from None
    if listed.size == 0:
        listed = np.zeros((0, 2), np.int64)
    if listed.ndim != 2 or listed.shape[1] != 2 or listed.dtype.kind not in "iu":
        raise InputError(
            f"{noun}: pairs have shape {listed.shape} and type {listed.dtype}; "
            "give whole numbers in two columns"
        )
    listed = listed.astype(np.int64, copy=False)
    if listed.size and (listed.min() < 0 or listed.max() >= n):
        pair = listed[((listed < 0) | (listed >= n)).any(1)][0].tolist()
        raise InputError(f"{noun}: the pair {pair} is outside 0..{n - 1}; leave it out or raise n")
    if (listed[:, 0] == listed[:, 1]).any():
        i = int(listed[listed[:, 0] == listed[:, 1]][0, 0])
        raise InputError(f"{noun}: {i} is paired with itself; leave such pairs out")
    return listed


def symmetric_rows(pairs: ArrayLike, n: int, noun: str) -> tuple[Ints, Ints, Ints]:
    """Build rows of a symmetric sparse table: row starts, the other end, the pair's number."""
    listed = different_mentions(pairs, n, noun)
    ends = np.concatenate([listed[:, 0], listed[:, 1]])
    others = np.concatenate([listed[:, 1], listed[:, 0]])
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=n), out=start[1:])
    # every mention is equally often at either end, so one count serves both passes
    by_other, order = np.empty_like(ends), np.empty_like(ends)
    _sort_by_count(others, np.arange(ends.size), start[:-1].copy(), by_other)
    _sort_by_count(ends, by_other, start[:-1].copy(), order)
    ends, others = ends[order], others[order]
    twice = np.flatnonzero((ends[1:] == ends[:-1]) & (others[1:] == others[:-1]))
    if twice.size:
        i, j = int(ends[twice[0]]), int(others[twice[0]])
        raise InputError(
            f"{noun}: the pair [{i}, {j}] is listed twice; list each pair once, in either order"
        )
    return start, others, order % max(1, listed.shape[0])


@entry
def _sort_by_count(key: Ints, order: Ints, free: Ints, order_by_key: Ints) -> None:
    """Sort by a key with known counts: each item goes to the next free position of its key."""
    for k in order:
        order_by_key[free[key[k]]] = k
        free[key[k]] += 1


def find_components(pairs: NDArray[np.signedinteger], n: int) -> Ints:
    """Return the connected component of each of n nodes, numbered by first appearance."""
    component = np.arange(n)
    if len(pairs):
        _join_components(np.ascontiguousarray(pairs, np.int64), component)
    return component


@entry
def _join_components(pairs: Ints, component: Ints) -> None:
    """Join the trees of both ends of each pair, then number the trees.

    SciPy has the same function, but loading it takes longer than the rest of a small run.
    """
    for k in range(len(pairs)):
        low, high = pairs[k, 0], pairs[k, 1]
        while component[low] != low:
            component[low] = component[component[low]]
            low = component[low]
        while component[high] != high:
            component[high] = component[component[high]]
            high = component[high]
        component[max(low, high)] = min(low, high)
    count = 0
    for node in range(component.size):
        # a parent has a smaller number than its child, and is numbered already
        if component[node] == node:
            component[node] = count
            count += 1
        else:
            component[node] = component[component[node]]
