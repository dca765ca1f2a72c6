"""Estimators of MCMCMC that examine a sample of the touched factors.

With F the touched factors of a template and S a random subset, psi_S = |F| mean_S(f) replaces
the sum over F (equation 7). The noise biases acceptance: min(1, e^x) changes by at most |dx|, so
the probability of accepting changes by at most the standard deviation of the estimate.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.estimators.estimator import Estimator
from partita.factors import Model
from partita.kernel import EXAMINED, Context, Floats, Ints, Rng, below, kernel

__all__ = ["confidence", "scheduled", "uniform"]

Z_95 = 1.96
"""Standard errors of the 95% interval, as in the paper."""


@kernel
def draw(rng: Rng, deck: Ints, k: int, n: int) -> int:
    """Draw the k-th of a random sequence of factors without repetition.

    If there are more factors than cards in the deck, they are divided into as many equal strata,
    one factor of each: all are equally likely, and one on the border of two strata may be drawn
    twice.
    """
    cards = min(n, deck.shape[1])
    j = k + below(rng, cards - k)
    card = deck[0, j]
    deck[0, j] = deck[0, k]
    deck[0, k] = card
    deck[1, k] = j
    if cards < n:
        card = min(n - 1, int((card + rng.random()) * n / cards))
    deck[2, k] = card
    return card


@kernel
def restore(deck: Ints, drawn: int) -> None:
    """Restore the order of the deck."""
    for k in range(drawn - 1, -1, -1):
        j = deck[1, k]
        card = deck[0, k]
        deck[0, k] = deck[0, j]
        deck[0, j] = card


def uniform_part(number: int, count: Any, emit: Any) -> Any:
    """Compile the estimate from ceil(p |F|) factors (MCMCMC section 3.2)."""

    @kernel
    def part(rng: Rng, context: Context, state: Any, move: Any) -> float:
        table, delta = context.tables[number], context.deltas[number]
        n = count(table, state, move)
        m = math.ceil(context.parameters[0] * n)
        score = 0.0
        if m >= n:
            context.status[EXAMINED] += n
            for k in range(n):
                score += emit(table, state, move, k, delta)
            return score
        m = min(m, context.deck.shape[1])
        context.status[EXAMINED] += m
        scale = n / m
        delta.scale[0] = scale
        for k in range(m):
            score += emit(table, state, move, draw(rng, context.deck, k, n), delta)
        delta.scale[0] = 1.0
        restore(context.deck, m)
        return score * scale

    return part


def confidence_part(number: int, count: Any, emit: Any) -> Any:
    """Compile the estimate that examines factors until the interval is below i (8-9)."""

    @kernel
    def part(rng: Rng, context: Context, state: Any, move: Any) -> float:
        table, delta = context.tables[number], context.deltas[number]
        n = count(table, state, move)
        listening = delta.note[1]
        delta.note[1] = 0
        mean, squares, m = 0.0, 0.0, 0
        most = min(n, context.deck.shape[1])
        while m < most:
            x = emit(table, state, move, draw(rng, context.deck, m, n), delta)
            m += 1
            step = x - mean
            mean += step / m
            squares += step * (x - mean)
            if m >= 2:
                error = math.sqrt(squares / (m - 1) / m * (n - m) / (n - 1))
                if 2.0 * Z_95 * error <= context.parameters[0]:
                    break
        context.status[EXAMINED] += m
        delta.note[1] = listening
        if listening != 0 and m > 0:
            # the number of draws is known only now, so a second pass records their changes
            delta.scale[0] = n / m
            for k in range(m):
                emit(table, state, move, context.deck[2, k], delta)
            delta.scale[0] = 1.0
        restore(context.deck, m)
        return mean * n

    return part


def _noise(count: int, examined: int, spread: float) -> float:
    """Return the standard deviation of |F| mean_S(f), with the finite-population correction."""
    if examined >= count or count < 2:
        return 0.0
    left = (count - examined) / (count - 1)
    return float(count * spread * math.sqrt(left / examined))


def uniform(p: float) -> Estimator:
    """Examine a random share p of the touched factors of each template."""
    _proportion(p, "p")
    return Estimator(
        name=f"uniform({p:g})",
        part=uniform_part,
        parameters=lambda model, progress: np.array([p]),
        error=lambda count, spread: min(1.0, _noise(count, math.ceil(p * count), spread)),
        samples=True,
        exact=p == 1.0,
    )


def confidence(i: float) -> Estimator:
    """Examine factors until the 95% interval of their mean score is narrower than i.

    The declared error is nominal: the interval comes from the examined factors, at least two.
    """
    if not (math.isfinite(i) and i > 0):
        raise InputError(f"the interval i is {i}; give a positive number")
    return Estimator(
        name=f"confidence({i:g})",
        part=confidence_part,
        parameters=lambda model, progress: np.array([i]),
        error=lambda count, spread: min(
            1.0, max(_noise(count, 2, spread), count * i / (2.0 * Z_95))
        ),
        samples=True,
    )


def scheduled(first: float = 0.1, last: float = 1.0, until: float = 0.5) -> Estimator:
    """Examine few factors early and all of them late (future work of MCMCMC).

    The share rises geometrically from `first` to `last` over the fraction `until` of the run and
    remains there; with `last` = 1 the chain is exact from then on, and all earlier draws are
    burn-in.
    """
    _proportion(first, "first")
    _proportion(last, "last")
    _proportion(until, "until")

    def parameters(model: Model, progress: float) -> Floats:
        return np.array([first * (last / first) ** min(1.0, progress / until)])

    return Estimator(
        name=f"scheduled({first:g}..{last:g})",
        part=uniform_part,
        parameters=parameters,
        error=lambda count, spread: min(1.0, _noise(count, math.ceil(last * count), spread)),
        samples=True,
        moving=True,
        exact=last == 1.0,
    )


def _proportion(p: float, name: str) -> None:
    if not (math.isfinite(p) and 0 < p <= 1):
        raise InputError(f"the proportion {name} is {p}; give a number above 0 and at most 1")
