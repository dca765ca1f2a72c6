"""Skeleton of an estimator: every m-th touched factor, from a random first one.

Copy to src/partita/estimators/, rename, and change `part`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.estimators.estimator import Estimator
from partita.kernel import EXAMINED, Context, Rng, below, kernel

__all__ = ["strided"]


def part(number: int, count: Any, emit: Any) -> Any:
    """Compile the estimate for one template; `number` selects its table and its delta."""

    @kernel
    def estimate(rng: Rng, context: Context, state: Any, move: Any) -> float:
        table, delta = context.tables[number], context.deltas[number]
        n = count(table, state, move)
        stride = min(int(context.parameters[0]), n)
        if n == 0:
            return 0.0
        first = below(rng, stride)
        examined = (n - first + stride - 1) // stride
        context.status[EXAMINED] += examined
        # the recorded change is scaled like the score
        delta.scale[0] = n / examined
        score = 0.0
        for k in range(first, n, stride):
            score += emit(table, state, move, k, delta)
        delta.scale[0] = 1.0
        return score * n / examined

    return estimate


def strided(stride: int) -> Estimator:
    """Examine every `stride`-th factor."""
    if stride < 1:
        raise InputError(f"the stride is {stride}; give a whole number of at least 1")

    def error(count: int, spread: float) -> float:
        """Bound the error: the mean of a stride misses by at most sqrt(2) standard deviations."""
        return min(1.0, count * spread * math.sqrt(2.0)) if stride > 1 else 0.0

    return Estimator(
        name=f"strided({stride})",
        part=part,
        parameters=lambda model, progress: np.array([float(stride)]),
        error=error,
        exact=stride == 1,
        samples=stride > 1,
    )
