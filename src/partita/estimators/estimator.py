"""Estimator: from templates and a move to the change of score, w . (phi(after) - phi(before))."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.factors import Model
from partita.kernel import Context, Floats, Rng, kernel

__all__ = ["Estimator", "build_estimate"]


@dataclass(frozen=True)
class Estimator:
    """An estimator of the change of score from all or some of the touched factors.

    `part(number, count, emit)` compiles the estimate for one template; estimates are made within
    each template, so that many factors of one template do not hide few of another.
    `parameters(model, progress)` are its parameters at a fraction of the run. `error(count,
    spread)` declares its bias: a bound on the change that it causes in the probability of accepting
    a move, for a template of `count` touched factors whose scores have standard deviation `spread`.
    """

    name: str
    part: Callable[[int, Any, Any], Any]
    parameters: Callable[[Model, float], Floats]
    error: Callable[[int, float], float]
    samples: bool = False
    """Whether it draws factors without replacement, which needs a deck."""
    exact: bool = False
    """Whether the chain's stationary distribution is the model's own."""
    learns: bool = True
    """Whether the recorded change of features may train weights."""
    unit_temperature: bool = False
    """Whether it is valid at temperature 1 only."""
    moving: bool = False
    """Whether the parameters change while the chain runs."""

    @property
    def guesses(self) -> bool:
        """Whether the estimate of a move may differ from the change of the score."""
        return self.samples or self.unit_temperature


def no_parameters(model: Model, progress: float) -> Floats:
    """Return no parameters."""
    return np.zeros(1)


@kernel
def nothing(rng: Rng, context: Context, state: Any, move: Any) -> float:
    """The end of the fold."""
    return 0.0


def build_estimate(estimator: Estimator, model: Model, *, batched: bool = True) -> Any:
    """Compile `estimate(rng, context, state, move)` as a flat fold over the templates.

    With `batched` False, templates with batched Gibbs weights are left out.
    """
    estimate = nothing
    for number in reversed(range(len(model.templates))):
        template = model.templates[number]
        if template.fast.gibbs_weights is not None and not batched:
            continue
        estimate = _fold(estimator.part(number, template.count, template.emit), estimate)
    return estimate


def _fold(part: Any, rest: Any) -> Any:
    @kernel
    def estimate(rng: Rng, context: Context, state: Any, move: Any) -> float:
        return part(rng, context, state, move) + rest(rng, context, state, move)

    return estimate
