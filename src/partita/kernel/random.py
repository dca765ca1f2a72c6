"""Draws inside kernels, all from one `numpy.random.Generator` per chain.

Every draw is `rng.random()`. The same seed gives the same walk compiled or interpreted, and the law
suite can enumerate all outcomes with a forking generator.
"""

import math

import numpy as np

from partita.errors import InputError
from partita.kernel.arrays import Rng
from partita.kernel.numba.compile import kernel

__all__ = ["below", "chance", "generators", "poisson"]


def generators(seed: int | None, count: int) -> list[np.random.Generator]:
    """Create independent generators for `count` chains; the same seed gives the same generators."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
        raise InputError(f"random_seed is {seed!r}; give a whole number or None")
    if seed is not None and seed < 0:
        raise InputError(f"random_seed is {seed}; give a number of at least 0")
    children = np.random.SeedSequence(seed).spawn(count)
    return [np.random.Generator(np.random.PCG64DXSM(child)) for child in children]


@kernel
def below(rng: Rng, n: int) -> int:
    """Draw a whole number uniform on 0 .. n-1."""
    return int(rng.random() * n)


@kernel
def chance(rng: Rng, p: float) -> bool:
    """Return True with probability p."""
    return rng.random() < p


@kernel
def poisson(rng: Rng, mean: float) -> int:
    """Draw a Poisson count by products of uniforms, in parts of 20 to avoid underflow."""
    total = 0
    while mean > 0.0:
        piece = min(mean, 20.0)
        floor = math.exp(-piece)
        product = rng.random()
        while product > floor:
            total += 1
            product *= rng.random()
        mean -= piece
    return total
