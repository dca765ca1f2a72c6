"""Functions of arrays that SciPy has too; importing SciPy would delay every command by 0.2 s."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel.arrays import Floats
from partita.kernel.numba.compile import entry

__all__ = ["gammaln", "logistic", "logit"]

MAX_LOG_ODDS = 700.0
"""Log-odds at which the logistic function is cut: the exponential overflows at 709."""
MIN_PROBABILITY = 1e-12
"""Distance from 0 and 1 at which `logit` cuts probabilities, so that log-odds are finite."""


def gammaln(values: ArrayLike) -> Floats:
    """Return the log of the gamma function of positive values."""
    array = np.asarray(values, np.float64, order="C")
    result = np.empty(array.shape)
    _gammaln(array.reshape(-1), result.reshape(-1))
    return result


def logistic(log_odds: ArrayLike) -> Floats:
    """Return the probabilities 1 / (1 + exp(-log_odds)), without overflow."""
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)))
    return result


def logit(p: Floats) -> Floats:
    """Return the log-odds of probabilities; 0 and 1 count as a probability beside them."""
    inside = np.clip(p, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    return np.log(inside) - np.log1p(-inside)


@entry
def _gammaln(values: Floats, result: Floats) -> None:
    for i in range(values.size):
        result[i] = math.lgamma(values[i])
