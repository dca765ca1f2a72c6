"""Temperature over a run: one number, a sequence, or a function of the fraction done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from partita.errors import InputError
from partita.states.checks import positive

__all__ = ["Schedule", "cooling", "schedule"]

Schedule = Callable[[float], float]


def cooling(first: float = 1.0, last: float = 0.01) -> Schedule:
    """Geometric cooling from `first` to `last`."""
    _positive(first)
    _positive(last)
    return lambda progress: float(first * (last / first) ** progress)


def schedule(temperature: float | Sequence[float] | Schedule) -> Schedule:
    """A checked schedule: constant, interpolated between given temperatures, or as it is."""
    if callable(temperature):
        settings = temperature
        return lambda progress: _positive(settings(progress))
    try:
        values = np.atleast_1d(np.asarray(temperature, float))
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or values.size == 0:
        raise InputError(f"temperature is {temperature!r}; give a number or a row of numbers")
    for value in values:
        _positive(float(value))
    places = np.linspace(0.0, 1.0, values.size)
    return lambda progress: float(np.interp(progress, places, values))


def _positive(value: float) -> float:
    return positive(value, "the temperature")
