"""Parameter blocks: unknown parameters of a template, sampled by the walk along with the state.

A template whose score depends on unknown parameters declares one block for each group of them. A
block reads and writes the current value, which the chain's table holds, and lists updates that
leave the joint density of value and state invariant. The updates of a `Conditional` share their
conditioning values: sufficient statistics of the state, or auxiliary variables drawn for them.

    Gibbs        draws from the exact conditional distribution
    Metropolis   proposes a value, which the walk accepts or rejects
    Slice        gives a density along one coordinate, which the walk samples by slices

`walks/parameters.py` runs the updates. This module contains no acceptance test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Rng

__all__ = ["Conditional", "Gibbs", "Metropolis", "ParameterBlock", "Slice", "draw_index"]


class Gibbs(NamedTuple):
    """An exact draw from a conditional distribution."""

    draw: Callable[[Rng, Any, Any], Any]
    """`draw(rng, value, condition)` returns the new value, or None if the table lacks room for it:
    the walk then enlarges the table and calls again."""


class Metropolis(NamedTuple):
    """A proposal that the walk accepts or rejects."""

    propose: Callable[[Rng, Any, Any], tuple[Any, float]]
    """`propose(rng, value, condition)` returns a value and log q(back) - log q(forth), with the log
    Jacobian of a deterministic map; -inf marks a value outside the support."""
    log_density: Callable[[Any, Any], float]
    """`log_density(value, condition)`, up to a constant. It may leave the value in the table: the
    walk writes the accepted value after the last update."""
    repeats: int = 1
    """Proposals of one update."""


class Slice(NamedTuple):
    """A density along one real coordinate of the value."""

    read: Callable[[Any], float]
    write: Callable[[Any, float], Any]
    """`write(value, x)` returns the value with another coordinate."""
    log_density: Callable[[Any, Any], float]
    """`log_density(value, condition)` as a density of the coordinate, up to a constant."""
    width: float
    """First width of the slice, in units of the coordinate."""


class Conditional(NamedTuple):
    """Updates that condition on the same statistics or auxiliary variables."""

    condition: Callable[[Rng, Any, Any], Any]
    """`condition(rng, table, state)` computes or draws the values that the updates condition on."""
    updates: tuple[Gibbs | Metropolis | Slice, ...]


@dataclass(frozen=True)
class ParameterBlock:
    """Parameters of a template with one value, which the walk samples along with the state."""

    name: str
    components: tuple[str, ...]
    """Names of the entries of a value."""
    read: Callable[[Any], NDArray[Any]]
    """`read(table)` returns a copy of the current value, one row of numbers."""
    write: Callable[[Any, Any, NDArray[Any]], None]
    """`write(table, state, value)` makes a value the current one, caches included."""
    log_density: Callable[[Any, Any], float]
    """`log_density(table, state)`: log prior of the value and the score of the state that depends
    on it, up to a constant."""
    conditionals: tuple[Conditional, ...]
    """Updates in the order in which the walk runs them."""
    summary: Callable[[Any], dict[str, float]]
    """`summary(table)`: scalars by name, traced at every draw."""


def draw_index(rng: Rng, log_weights: Floats) -> int:
    """Draw a number by weights that are given as logarithms."""
    share = np.exp(log_weights - log_weights.max())
    uniform, total = rng.random(), 0.0
    *others, last = np.flatnonzero(share).tolist()
    for k in others:
        total += float(share[k] / share.sum())
        if uniform < total:
            return int(k)
    return int(last)
