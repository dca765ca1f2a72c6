"""The exact estimator: every touched factor is examined."""

from __future__ import annotations

from typing import Any

from partita.estimators.estimator import Estimator, no_parameters
from partita.kernel import EXAMINED, Context, Rng, kernel

__all__ = ["exact", "exact_part"]


def exact_part(number: int, count: Any, emit: Any) -> Any:
    """Compile the sum over all touched factors of one template."""

    @kernel
    def part(rng: Rng, context: Context, state: Any, move: Any) -> float:
        table, delta = context.tables[number], context.deltas[number]
        n = count(table, state, move)
        context.status[EXAMINED] += n
        score = 0.0
        for k in range(n):
            score += emit(table, state, move, k, delta)
        return score

    return part


def exact() -> Estimator:
    """Examine every touched factor; no bias."""
    return Estimator(
        name="exact",
        part=exact_part,
        parameters=no_parameters,
        error=lambda count, spread: 0.0,
        exact=True,
    )
