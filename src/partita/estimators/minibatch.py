"""TunaMH: a minibatch acceptance test whose stationary distribution is exact.

For F touched factors with scores |s_k| <= M (Zhang, Cooper, De Sa 2020):

    B ~ Poisson(chi F^2 M^2 + F M); for each of B factors drawn uniformly
    keep with probability (chi F M^2 + (M - s)/2) / (chi F M^2 + M), u = -s being the energy change,
    log acceptance = sum over the kept of 2 atanh(s / (M (1 + 2 chi F M))).

It pays only for many weak factors (M below about 0.3) and a diffuse posterior: at least F M
factors are examined on average, so with M of 1 or more it costs more than the exact estimator.
Factors of templates without a bound are all examined.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.estimators.estimator import Estimator
from partita.factors import Model
from partita.kernel import (
    BAD_BOUND,
    CODE,
    EXAMINED,
    ORIGIN,
    Context,
    Floats,
    Rng,
    below,
    kernel,
    poisson,
)

__all__ = ["minibatch"]

BOUND_SLACK = 1e-9
"""Share by which bounds are widened: a factor at its bound would make the ratio infinite."""


def minibatch_part(number: int, count: Any, emit: Any) -> Any:
    """Compile the test for one template; templates are tested independently."""

    @kernel
    def part(rng: Rng, context: Context, state: Any, move: Any) -> float:
        table, delta = context.tables[number], context.deltas[number]
        chi, bound = context.parameters[0], context.parameters[1 + number]
        n = count(table, state, move)
        score = 0.0
        if not bound < math.inf:
            context.status[EXAMINED] += n
            for k in range(n):
                score += emit(table, state, move, k, delta)
            return score
        if n == 0 or bound <= 0.0:
            return 0.0
        weight = chi * n * bound * bound
        draws = poisson(rng, n * (weight + bound))
        context.status[EXAMINED] += draws
        for _ in range(draws):
            s = emit(table, state, move, below(rng, n), delta)
            if abs(s) >= bound:
                context.status[CODE] = BAD_BOUND
                context.status[ORIGIN] = number
                return 0.0
            if rng.random() * (weight + bound) < weight + 0.5 * (bound - s):
                score += 2.0 * math.atanh(
                    s / (bound * (1.0 + BOUND_SLACK) * (1.0 + 2.0 * chi * n * bound))
                )
        return score

    return part


def minibatch(chi: float = 0.0) -> Estimator:
    """Accept by a random minibatch of factors, without bias; needs templates with a bound.

    Parameters
    ----------
    chi
        At 0 the fewest factors are examined; a larger chi accepts more nearly as exact MH.
    """
    if not (math.isfinite(chi) and chi >= 0):
        raise InputError(f"chi is {chi}; give a number of at least 0")

    def parameters(model: Model, progress: float) -> Floats:
        bounds = model.bounds()
        if not np.isfinite(bounds).any():
            raise InputError(
                "the minibatch estimator needs a bound on at least one template's factors; "
                "pass bound=... to the template, or use exact()"
            )
        return np.concatenate([[chi], bounds * (1.0 + BOUND_SLACK)])

    return Estimator(
        name=f"minibatch({chi:g})",
        part=minibatch_part,
        parameters=parameters,
        error=lambda count, spread: 0.0,
        exact=True,
        learns=False,
        unit_temperature=True,
    )
