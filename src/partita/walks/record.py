"""What a run leaves behind: draws, traces, counters, and the best state."""

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
    seconds: float = 0.0

    def acceptance(self) -> dict[str, float]:
        """Share of proposed moves that were accepted, by proposal."""
        total = np.sum([chain.tally for chain in self.chains], axis=0)
        return {
            name: float(accepted / proposed) if proposed else float("nan")
            for name, (proposed, accepted) in zip(self.parts, total, strict=True)
        }
