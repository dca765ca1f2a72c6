"""Compiled building blocks without a word of the domain: decorators, draws, delta, pools."""

from partita.kernel.arrays import Bytes, Floats, Ints, Rng, dump, load
from partita.kernel.compile import compile_sooner, entry, fingerprint, interpreted, kernel
from partita.kernel.delta import (
    BAD_BOUND,
    BAD_FEATURE,
    BAD_SCORE,
    EXAMINED,
    NO_ROOM,
    STATUS,
    WELL,
    WHERE,
    WHICH,
    Delta,
    World,
    add,
    clear,
    deltas,
    norm,
    push,
    record,
)
from partita.kernel.pool import Pool, enlarged, new_pool, order_for, release, take
from partita.kernel.random import below, chance, generators, poisson
from partita.kernel.rows import linked, symmetric_rows
from partita.kernel.special import gammaln
from partita.kernel.translate import compiles, explain

__all__ = [
    "BAD_BOUND",
    "BAD_FEATURE",
    "BAD_SCORE",
    "EXAMINED",
    "NO_ROOM",
    "STATUS",
    "WELL",
    "WHERE",
    "WHICH",
    "Bytes",
    "Delta",
    "Floats",
    "Ints",
    "Pool",
    "Rng",
    "World",
    "add",
    "below",
    "chance",
    "clear",
    "compile_sooner",
    "compiles",
    "deltas",
    "dump",
    "enlarged",
    "entry",
    "explain",
    "fingerprint",
    "gammaln",
    "generators",
    "interpreted",
    "kernel",
    "linked",
    "load",
    "new_pool",
    "norm",
    "order_for",
    "poisson",
    "push",
    "record",
    "release",
    "symmetric_rows",
    "take",
]
