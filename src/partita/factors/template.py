"""Template: a family of factors, as counted and scored by the estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.parameters import ParameterBlock
from partita.kernel import Floats, kernel
from partita.states.checks import positive

__all__ = [
    "Cache",
    "FastPaths",
    "Template",
    "checked_bound",
    "count_one",
    "feature_weights",
    "finite",
]


@kernel
def count_one(table: Any, state: Any, move: Any) -> int:
    """Count one aggregated factor per move."""
    return 1


class Cache(NamedTuple):
    """Aggregates of the state that a template keeps in its table; None where it keeps none."""

    prepare: Callable[[Any, Any], Any] | None = None
    """`prepare(table, state)` returns a table with the aggregates of a state, for one chain."""
    commit: Any = None
    """Kernel `commit(table, state, move)`: updates the aggregates after a move was applied."""
    room: Any = None
    """Kernel `room(table)`: whether the pools of the table hold the blocks of one step."""
    grow: Callable[[Any], Any] | None = None
    """`grow(table)` returns the same table with longer pools."""


class FastPaths(NamedTuple):
    """Kernels that score several moves at once, for proposals that use them.

    Without `split_scores` and `gibbs_weights` the walk is the same, but slower.
    """

    clusters: Any = None
    """Kernels on statistics of whole clusters (see `factors/conjugate.py`)."""
    split_scores: Any = None
    """Kernels on two groups that are formed beside the state (see `factors/split_scores.py`)."""
    gibbs_weights: Any = None
    """A kernel that scores one mention against all entities (see `factors/gibbs_weights.py`)."""


@dataclass(frozen=True)
class Template:
    """A family of factors over one type of state.

    The kernel `count(table, state, move)` returns how many factors a move touches. The kernel
    `emit(table, state, move, k, delta)` pushes the change of the k-th factor's features and
    returns the change of its score (the sum of the values of `push`). Both read the state before
    the move.
    """

    name: str
    state: type
    features: tuple[str, ...]
    weights: Floats
    count: Any
    emit: Any
    table: Any
    cache: Cache = field(default_factory=Cache)
    fast: FastPaths = field(default_factory=FastPaths)
    parameters: tuple[ParameterBlock, ...] = ()
    """Unknown parameters in the table, which the walk samples along with the state."""
    bound: Callable[[Floats], float] | None = None
    """`bound(weights)`: the largest change of score that one factor can cause."""
    check: Callable[[Any], None] = field(default=lambda state: None)
    """Called with the start state; raises InputError if the state does not fit the table."""
    map_only: bool = False
    """Whether its score changes are approximate, so that only a search can use the template."""


def feature_weights(
    name: str, features: Iterable[str], weights: float | ArrayLike
) -> tuple[tuple[str, ...], Floats]:
    """Check and return the names and start weights of a template's features."""
    names = tuple(features)
    if not names:
        raise InputError(f"template {name!r} has no features; name at least one")
    if len(set(names)) < len(names):
        repeated = next(f for f in names if names.count(f) > 1)
        raise InputError(
            f"template {name!r} names the feature {repeated!r} twice; give each its own"
        )
    values = finite(weights, f"weights of template {name!r}")
    if values.shape not in ((), (1,), (len(names),)):
        raise InputError(
            f"template {name!r} has {len(names)} features and weights of shape {values.shape}; "
            "give one weight for each, or one for all"
        )
    return names, np.array(np.broadcast_to(values, len(names)))


def finite(values: ArrayLike, noun: str) -> Floats:
    """Return the values as float64; raise an InputError that names the first non-finite one."""
    try:
        array = np.asarray(values, np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            f"{noun} are not numbers in rows of one length; give finite numbers"
        ) from None
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        at = tuple(int(k) for k in wrong[0])
        place = at[0] if len(at) == 1 else at
        where = f": entry {place} is" if at else " is"
        raise InputError(f"{noun}{where} {array[at]}; give finite numbers")
    return array


def checked_bound(bound: float | None, name: str) -> float | None:
    """Check a bound on the score of one factor: a positive number, or None."""
    return None if bound is None else positive(bound, f"{name}: the bound")
