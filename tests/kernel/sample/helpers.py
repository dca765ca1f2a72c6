"""The half of a small project that the tests edit and run again."""

from typing import NamedTuple

import numpy as np

from partita.kernel.numba.compile import kernel

OFFSET = 3
FACTOR = 10


class State(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@kernel
def helper(x):
    return x + OFFSET


@kernel
def scaled(x):
    return x * 2
