"""Template: a family of factors, as counted and scored by the estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.parameters import ParameterBlock
from partita.kernel import Floats
from partita.states.checks import positive

__all__ = ["Template", "checked_bound", "feature_weights", "finite"]


@dataclass(frozen=True)
class Template:
    """A family of factors over one kind of state.

    `count(table, state, move)` says how many factors a move touches, and
    `emit(table, state, move, k, delta)` pushes the change of the k-th factor's features and
    returns the change of its score (the sum of what `push` returns). Both see the state before
    the move. `commit(table, state, move)` runs after an accepted move was applied and keeps
    cached aggregates in step; `prepare(table, state)` makes a table with such caches for one
    chain. `bound(weights)` is the largest change of score that one factor can cause.
    """

    name: str
    state: type
    features: tuple[str, ...]
    weights: Floats
    count: Any
    emit: Any
    table: Any
    commit: Any = None
    prepare: Callable[[Any, Any], Any] | None = None
    room: Any = None
    grow: Callable[[Any], Any] | None = None
    bound: Callable[[Floats], float] | None = None
    check: Callable[[Any], None] = field(default=lambda state: None)
    """Called with the start state: raises InputError when the two do not fit together."""
    parameters: tuple[ParameterBlock, ...] = ()
    """Unknown parameters in the table, which the walk samples along with the state."""
    clusters: Any = None
    """Kernels on statistics of whole clusters, where it keeps such (see `factors/conjugate.py`)."""
    split_scores: Any = None
    """Kernels on two groups that are formed beside the state (see `factors/split_scores.py`)."""
    gibbs_weights: Any = None
    """A kernel that scores one mention against all entities (see `factors/gibbs_weights.py`)."""
    map_only: bool = False
    """Whether its changes are no differences of any score, so that only a search can use it."""


def feature_weights(
    name: str, features: Iterable[str], weights: float | ArrayLike
) -> tuple[tuple[str, ...], Floats]:
    """Names and start weights of a template's features, checked."""
    names = tuple(features)
    if not names:
        raise InputError(f"template {name!r} has no features; name at least one")
    if len(set(names)) < len(names):
        twice = next(f for f in names if names.count(f) > 1)
        raise InputError(f"template {name!r} names the feature {twice!r} twice; give each one name")
    values = finite(weights, f"weights of template {name!r}")
    if values.shape not in ((), (1,), (len(names),)):
        raise InputError(
            f"template {name!r} has {len(names)} features and weights of shape {values.shape}; "
            "give one weight for each, or one for all"
        )
    return names, np.array(np.broadcast_to(values, len(names)))


def finite(values: ArrayLike, what: str) -> Floats:
    """The values as float64, or an InputError that names the first one that is not finite."""
    try:
        array = np.asarray(values, np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            f"{what} are not numbers in rows of one length; give finite numbers"
        ) from None
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        at = tuple(int(k) for k in wrong[0])
        place = at[0] if len(at) == 1 else at
        where = f": entry {place} is" if at else " is"
        raise InputError(f"{what}{where} {array[at]}; give finite numbers")
    return array


def checked_bound(bound: float | None, name: str) -> float | None:
    """A bound on the score of one factor: a positive number, or none."""
    return None if bound is None else positive(bound, f"{name}: the bound")
