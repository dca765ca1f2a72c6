"""Swapped names, detection: given name and surname stand in each other's field in some records.

Most records show (a, b) with probability f(a) s(b); a share rho shows swapped values, with
f(b) s(a). EM estimates f, s and rho from single records; it needs no pairs. A record whose values
are likelier swapped than not is compared in the corrected order; the output keeps its values.

`swapped_fields` samples swaps together with the partition, for the full posterior.
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
from partita.linkage.pairwise.em import iterate_em

__all__ = ["NAMES", "SwappedNames", "correct_swapped_names", "encode_together"]

NAMES = ("given name", "surname")
"""Column types that can be swapped."""
INITIAL_SHARE = 0.02
"""Share of swapped records at which EM begins. Origin: 0.1."""
MAX_STEPS = 100
"""Steps of EM at most. A limit of CPU seconds."""
TOLERANCE = 1e-3
"""Change of P(swapped), as a share of the swapped records, at which EM has converged. A
numerical limit."""
COUNT_ADDED = 0.01
"""Added to the count of every value, so that no frequency is 0. Origin: 0.1."""


class SwappedNames(NamedTuple):
    """Two columns, and the probability that each record has their values swapped."""

    left: str
    right: str
    p_swapped: Floats
    """P(swapped) of each record."""

    @property
    def rows(self) -> NDArray[np.bool_]:
        """The records that are compared in the corrected order."""
        return np.asarray(self.p_swapped > 0.5)


def correct_swapped_names(
    columns: Mapping[str, Column], column_types: Mapping[str, str]
) -> tuple[dict[str, Column], list[SwappedNames]]:
    """Detect swapped names and return the columns in the corrected order, with the swaps."""
    corrected, swaps = dict(columns), []
    names = [name for name, column_type in column_types.items() if column_type in NAMES]
    for left, right in combinations(names, 2):
        swap = _detect(corrected[left], corrected[right])
        if swap is not None:
            corrected[left], corrected[right] = _swap(corrected[left], corrected[right], swap.rows)
            swaps.append(swap)
    return corrected, swaps


def encode_together(left: Column, right: Column) -> tuple[pa.StringArray, Ints, Ints]:
    """Encode two columns by one list of values; the code of a missing value is -1."""
    values = pc.unique(pa.concat_arrays([left.values, right.values]))
    codes = []
    for column in (left, right):
        place = to_numpy(pc.index_in(column.values, values))
        codes.append(np.append(place.astype(np.int64), -1)[column.codes])
    return values, codes[0], codes[1]


def _estimate_frequencies(a: Ints, b: Ints, p_swapped: Floats, size: int) -> tuple[Floats, Floats]:
    """f and s; the last place holds 1 for missing values, which carry no weight."""
    frequencies = []
    for own, other in ((a, b), (b, a)):
        own_counts = np.bincount(own + 1, 1.0 - p_swapped, size + 1)
        swapped_counts = np.bincount(other + 1, p_swapped, size + 1)
        count = (own_counts + swapped_counts)[1:] + COUNT_ADDED
        frequencies.append(np.append(count / count.sum(), 1.0))
    return frequencies[0], frequencies[1]


class _Estimate(NamedTuple):
    """The state of EM: P(swapped) of each record, its mean, and the frequencies of values."""

    p_swapped: Floats
    rho: float
    f: Floats
    s: Floats


def _detect(left: Column, right: Column) -> SwappedNames | None:
    """Detect swaps of two columns; None where they do not improve the likelihood enough."""
    values, a, b = encode_together(left, right)
    n, size = a.size, len(values)

    def likelihoods(now: _Estimate) -> tuple[Floats, Floats]:
        return (1.0 - now.rho) * now.f[a] * now.s[b], now.rho * now.f[b] * now.s[a]

    def update(now: _Estimate) -> _Estimate:
        unswapped, swapped = likelihoods(now)
        p = swapped / (unswapped + swapped)
        return _Estimate(p, float(p.mean()), *_estimate_frequencies(a, b, p, size))

    def has_converged(before: _Estimate, after: _Estimate) -> bool:
        change = np.abs(after.p_swapped - before.p_swapped).sum()
        return bool(change < TOLERANCE * max(1.0, float(after.p_swapped.sum())))

    none = np.zeros(n)
    start = _Estimate(none, INITIAL_SHARE, *_estimate_frequencies(a, b, none, size))
    estimate, _, _ = iterate_em(update, start, has_converged, MAX_STEPS)
    unswapped, swapped = likelihoods(estimate)
    gain = float(np.log(unswapped + swapped).sum()) - float(np.log(start.f[a] * start.s[b]).sum())
    # rho is one more parameter (Schwarz 1978)
    if gain <= 0.5 * math.log(max(n, 2)) or not (estimate.p_swapped > 0.5).any():
        return None
    return SwappedNames(left.name, right.name, estimate.p_swapped)


def _swap(left: Column, right: Column, rows: NDArray[np.bool_]) -> tuple[Column, Column]:
    """Both columns, with the values of some records swapped."""
    values, a, b = encode_together(left, right)
    first, second = np.where(rows, b, a), np.where(rows, a, b)
    return _column(left.name, first, values), _column(right.name, second, values)


def _column(name: str, codes: Ints, values: pa.StringArray) -> Column:
    """A column without values that no record has."""
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.int64)
    used = np.flatnonzero(counts)
    place = np.full(len(values) + 1, -1, np.int32)
    place[used] = np.arange(used.size)
    return Column(name, place[codes], values.take(from_numpy(used)), counts[used])
