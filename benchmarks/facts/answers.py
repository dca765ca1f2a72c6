"""The answers of a tool: scores of every entity as the tail and as the head of each query.

Needs NumPy only, because the Python of another tool imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIDES", "Answers", "Graph"]

SIDES = ("tail", "head")


class Graph(NamedTuple):
    """Facts to learn from, and facts whose heads and tails are queries, by numbers."""

    train: NDArray[np.int64]
    queries: NDArray[np.int64]
    entities: int
    relations: int

    def write(self, path: str | Path) -> None:
        """Write the graph to a file of NumPy."""
        np.savez(path, **self._asdict())

    @classmethod
    def read(cls, path: str | Path) -> Graph:
        """Read the graph from a file of NumPy."""
        with np.load(path) as data:
            sizes = (int(data[name]) for name in ("entities", "relations"))
            return cls(data["train"], data["queries"], *sizes)


class Answers(NamedTuple):
    """Scores by side, query and entity, and further facts about the run."""

    scores: NDArray[np.float32]
    notes: dict[str, Any]

    def write(self, path: str) -> None:
        """Write the scores to a file of NumPy."""
        with Path(path).open("wb") as file:
            np.save(file, self.scores)
