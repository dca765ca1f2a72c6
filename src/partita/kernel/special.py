"""Log-gamma of arrays; SciPy's own would make every command wait a fifth of a second for it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel.arrays import Floats
from partita.kernel.numba.compile import entry

__all__ = ["gammaln"]


def gammaln(values: ArrayLike) -> Floats:
    """Log of the gamma function of each value, which is above 0."""
    given = np.asarray(values, np.float64, order="C")
    found = np.empty(given.shape)
    _gammaln(given.reshape(-1), found.reshape(-1))
    return found


@entry
def _gammaln(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = math.lgamma(values[i])
