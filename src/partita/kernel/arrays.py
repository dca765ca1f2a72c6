"""Names of array types, and nested NamedTuples of arrays to and from flat dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from partita.errors import CheckpointError

__all__ = ["Bytes", "Floats", "Ints", "Rng", "distinct_of", "dump", "load", "runs_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Rng = np.random.Generator
Numbers = TypeVar("Numbers", bound=np.generic)


def distinct_of(values: NDArray[Numbers]) -> NDArray[Numbers]:
    """The distinct values in order; NumPy's `unique` hashes them, for up to 70 times as long."""
    ordered = np.sort(values, axis=None)
    return ordered[runs_of(ordered)]


def runs_of(ordered: NDArray[Any]) -> Ints:
    """Where each run of equal values begins in values that are in order."""
    fresh = np.ones(ordered.size, bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(fresh)


def _parts(value: Any, prefix: str) -> Iterator[tuple[str, str, Any]]:
    names = getattr(value, "_fields", None) or [str(k) for k in range(len(value))]
    for name, part in zip(names, value, strict=True):
        yield name, f"{prefix}.{name}" if prefix else name, part


def dump(value: Any, prefix: str = "") -> dict[str, NDArray[Any]]:
    """All arrays of a nested tuple by dotted name.

    A NamedTuple with a `pool` and a class attribute `pooled` keeps only the cells cut so far of
    the arrays named there.
    """
    if isinstance(value, np.ndarray):
        return {prefix: value}
    if not isinstance(value, tuple):
        return {}
    pooled = getattr(value, "pooled", ())
    found: dict[str, NDArray[Any]] = {}
    for name, path, part in _parts(value, prefix):
        if name in pooled:
            found[path] = part[: int(value.pool.top[0])]  # type: ignore[attr-defined]
        else:
            found.update(dump(part, path))
    return found


def load(value: Any, saved: Mapping[str, NDArray[Any]], prefix: str = "") -> Any:
    """The same nested tuple with saved arrays in place of its own; those not saved are kept."""
    if isinstance(value, np.ndarray):
        return _like(value, saved[prefix], prefix).copy() if prefix in saved else value
    if not isinstance(value, tuple):
        return value
    pooled = getattr(value, "pooled", ())
    made: list[Any] = []
    for name, path, part in _parts(value, prefix):
        if name in pooled and path in saved:
            cells = saved[path]
            longer = np.empty(max(part.size, 2 * cells.size), part.dtype)
            longer[: cells.size] = cells
            made.append(longer)
        else:
            made.append(load(part, saved, path))
    return type(value)(*made) if hasattr(value, "_fields") else tuple(made)


def _like(value: NDArray[Any], found: NDArray[Any], path: str) -> NDArray[Any]:
    if found.shape != value.shape or found.dtype != value.dtype:
        raise CheckpointError(
            f"the saved array {path!r} is {found.dtype}{found.shape}, expected "
            f"{value.dtype}{value.shape}"
        )
    return found
