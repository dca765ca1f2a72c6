"""The exact estimator: every touched factor is examined."""

from __future__ import annotations

from typing import Any

from partita.estimators.estimator import Estimator, no_knobs
from partita.kernel import EXAMINED, Rng, World, kernel

__all__ = ["exact", "exact_part"]


def exact_part(number: int, count: Any, emit: Any) -> Any:
    """Sum over all touched factors of one template."""

    @kernel
    def part(rng: Rng, world: World, state: Any, move: Any) -> float:
        table, delta = world.tables[number], world.deltas[number]
        n = count(table, state, move)
        world.alarm[EXAMINED] += n
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
        knobs=no_knobs,
        error=lambda count, spread: 0.0,
        exact=True,
    )
