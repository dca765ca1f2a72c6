"""Pairs as rows: the symmetric sparse table behind pairwise factors and candidate lists."""

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel.arrays import Ints

__all__ = ["symmetric_rows"]


def symmetric_rows(pairs: ArrayLike, n: int, what: str) -> tuple[Ints, Ints, Ints]:
    """Rows of a symmetric sparse table: where each row starts, the other end, the pair's number."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InputError(f"{what}: the number of mentions is {n!r}; give a whole number above 0")
    try:
        listed = np.asarray(pairs)
    except ValueError:
        raise InputError(
            f"{what}: pairs have rows of different lengths; give two columns"
        ) from None
    if listed.size == 0:
        listed = np.zeros((0, 2), np.int64)
    if listed.ndim != 2 or listed.shape[1] != 2 or listed.dtype.kind not in "iu":
        raise InputError(
            f"{what}: pairs have shape {listed.shape} and type {listed.dtype}; "
            "give whole numbers in two columns"
        )
    listed = listed.astype(np.int64)
    wrong = np.flatnonzero((listed < 0).any(1) | (listed >= n).any(1))
    if wrong.size:
        pair = listed[wrong[0]].tolist()
        raise InputError(f"{what}: the pair {pair} is outside 0..{n - 1}; leave it out or raise n")
    if (listed[:, 0] == listed[:, 1]).any():
        i = int(listed[listed[:, 0] == listed[:, 1]][0, 0])
        raise InputError(f"{what}: {i} is paired with itself; leave such pairs out")
    low, high = np.minimum(*listed.T), np.maximum(*listed.T)
    codes, times = np.unique(low * n + high, return_counts=True)
    if codes.size < listed.shape[0]:
        i, j = divmod(int(codes[times > 1][0]), n)
        raise InputError(
            f"{what}: the pair [{i}, {j}] is listed twice; list each pair once, in either order"
        )
    ends = np.concatenate([listed[:, 0], listed[:, 1]])
    others = np.concatenate([listed[:, 1], listed[:, 0]])
    which = np.concatenate([np.arange(listed.shape[0])] * 2)
    row_order = np.lexsort((others, ends))
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=n), out=start[1:])
    return start, others[row_order], which[row_order]
