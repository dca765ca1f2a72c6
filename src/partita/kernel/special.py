"""Log-gamma of arrays; importing SciPy's would delay every command by 0.2 s."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel.arrays import Floats
from partita.kernel.numba.compile import entry

__all__ = ["gammaln"]


def gammaln(values: ArrayLike) -> Floats:
    """Return the log of the gamma function of positive values."""
    array = np.asarray(values, np.float64, order="C")
    result = np.empty(array.shape)
    _gammaln(array.reshape(-1), result.reshape(-1))
    return result


@entry
def _gammaln(values: Floats, result: Floats) -> None:
    for i in range(values.size):
        result[i] = math.lgamma(values[i])
