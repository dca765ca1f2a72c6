"""Compiled building blocks without domain terms: decorators, draws, delta, pools."""

from partita.kernel.arrays import Bytes, Floats, Ints, Rng, distinct_of, dump, load, runs_of
from partita.kernel.delta import (
    BAD_BOUND,
    BAD_FEATURE,
    BAD_SCORE,
    CODE,
    COMPONENT,
    EXAMINED,
    NO_ROOM,
    OK,
    ORIGIN,
    Context,
    Delta,
    NoTable,
    add,
    clear,
    deltas,
    norm,
    push,
    record,
)
from partita.kernel.numba.compile import entry, fingerprint, interpreted, kernel
from partita.kernel.numba.translate import compiles, explain
from partita.kernel.pool import Pool, enlarge, new_pool, order_for, release, take
from partita.kernel.random import below, chance, generators, poisson
from partita.kernel.rows import different_mentions, find_components, symmetric_rows
from partita.kernel.special import gammaln, logistic, logit
from partita.lazy import alias_renamed

__all__ = [
    "BAD_BOUND",
    "BAD_FEATURE",
    "BAD_SCORE",
    "CODE",
    "COMPONENT",
    "EXAMINED",
    "NO_ROOM",
    "OK",
    "ORIGIN",
    "Bytes",
    "Context",
    "Delta",
    "Floats",
    "Ints",
    "NoTable",
    "Pool",
    "Rng",
    "add",
    "below",
    "chance",
    "clear",
    "compiles",
    "deltas",
    "different_mentions",
    "distinct_of",
    "dump",
    "enlarge",
    "entry",
    "explain",
    "find_components",
    "fingerprint",
    "gammaln",
    "generators",
    "interpreted",
    "kernel",
    "load",
    "logistic",
    "logit",
    "new_pool",
    "norm",
    "order_for",
    "poisson",
    "push",
    "record",
    "release",
    "runs_of",
    "symmetric_rows",
    "take",
]

__getattr__ = alias_renamed(
    __name__,
    {"STATUS": "CODE", "WELL": "OK", "WHERE": "ORIGIN", "WHICH": "COMPONENT", "World": "Context"},
)
