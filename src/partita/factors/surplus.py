"""Surplus of sources: the records of an entity beyond the first one of each source.

With c_es records of source s in entity e the feature of s is sum_e (c_es - 1)+. A weight of
log(r / (1 - r)) makes the number of records of an entity in s geometric: r is the probability of a
further one. A weight that no evidence outweighs forbids a second record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import Template, feature_weights
from partita.kernel import Delta, Ints, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits
from partita.states.partition import leaver, member, stayer

__all__ = ["surplus"]


class Sources(NamedTuple):
    """The source of each mention; -1 is none."""

    source: Ints


@kernel
def count(table: Sources, state: Partition, move: Regroup) -> int:
    """One factor for each mention that leaves."""
    return move.many


@kernel
def emit(table: Sources, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change by the source of the k-th leaver, counted for its first leaver only.

    The total of the records of a source is fixed, so that its surplus falls by one where one more
    entity has the source.
    """
    own = table.source[leaver(state, move, k)]
    if own < 0:
        return 0.0
    for j in range(k):
        if table.source[leaver(state, move, j)] == own:
            return 0.0
    left, joined = 1.0, 1.0
    for j in range(state.size[move.source] - move.many):
        if table.source[stayer(state, move, j)] == own:
            left = 0.0
            break
    for j in range(state.size[move.target]):
        if table.source[member(state, move.target, j)] == own:
            joined = 0.0
            break
    return push(delta, own, left - joined)


def surplus(
    source: ArrayLike, sources: Sequence[str], weights: ArrayLike, *, name: str = "surplus"
) -> Template:
    """Build one feature for each of the `sources`; `source` is the one of each mention, or -1."""
    codes = np.asarray(source, np.int64)
    if codes.ndim != 1 or codes.min(initial=-1) < -1 or codes.max(initial=-1) >= len(sources):
        raise InputError(
            f"{name}: sources run from {codes.min(initial=0)} to {codes.max(initial=0)}; give -1 "
            f"or 0..{len(sources) - 1} for each mention"
        )
    features, start = feature_weights(name, list(sources), weights)
    check = fits(name, codes.size)
    return Template(name, Partition, features, start, count, emit, Sources(codes), check=check)
