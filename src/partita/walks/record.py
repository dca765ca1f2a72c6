"""Records of a run: draws, parameters, traces, counters, and the best state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints

__all__ = ["ChainRecord", "Run"]


@dataclass
class ChainRecord:
    """The record of one chain, in the order in which it was made."""

    draws: list[NDArray[Any]] = field(default_factory=list)
    parameters: dict[str, list[NDArray[Any]]] = field(default_factory=dict)
    """Values of the parameter blocks at each recorded draw, by name."""
    traces: dict[str, list[float]] = field(default_factory=dict)
    best: Any = None
    best_score: float = -np.inf
    steps: int = 0
    examined: int = 0
    settled: int = 0
    tally: Ints = field(default_factory=lambda: np.zeros((1, 2), np.int64))
    state: Any = None
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    stopped: str = ""
    """Why the chain ended before its last draw, if it did."""

    def add_draw(self, state: NDArray[Any], parameters: dict[str, NDArray[Any]]) -> None:
        """Record one draw: the observed state, and the values of the parameter blocks."""
        self.draws.append(state)
        for name, value in parameters.items():
            self.parameters.setdefault(name, []).append(value)

    def row_type(self, width: int, parameters: dict[str, NDArray[Any]]) -> np.dtype[Any]:
        """How one draw is stored on disk, for states and parameters like these."""
        values = [(name, value.dtype, value.shape) for name, value in parameters.items()]
        return np.dtype([("state", np.int32, (width,)), *values])

    def rows(self, first: int, row_type: np.dtype[Any]) -> NDArray[Any]:
        """The draws from `first` on, as rows on disk."""
        rows = np.zeros(len(self.draws) - first, row_type)
        for k, state in enumerate(self.draws[first:]):
            rows["state"][k] = state
            for name, values in self.parameters.items():
                rows[name][k] = values[first + k]
        return rows

    def restore(self, rows: NDArray[Any]) -> None:
        """Take the draws of a saved run."""
        self.draws = list(rows["state"])
        names = [name for name in rows.dtype.names or () if name != "state"]
        self.parameters = {name: list(rows[name]) for name in names}

    def note(self, facts: dict[str, float]) -> None:
        """Add one value to each trace."""
        for name, value in facts.items():
            self.traces.setdefault(name, []).append(value)


@dataclass(frozen=True)
class Run:
    """All chains of a run, and how they were made."""

    chains: list[ChainRecord]
    mode: str
    tune: int
    parts: tuple[str, ...]
    estimator: str
    exact: bool
    proposal: str
    start: Any
    recorded: bool
    components: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the entries of each parameter block."""
    seconds: float = 0.0

    def acceptance(self) -> dict[str, float]:
        """Share of proposed moves that were accepted, by proposal."""
        total = np.sum([chain.tally for chain in self.chains], axis=0)
        return {
            name: float(accepted / proposed) if proposed else float("nan")
            for name, (proposed, accepted) in zip(self.parts, total, strict=True)
        }
