"""The result of a tool, and clusters from links for tools that return links only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Found", "components", "one_to_one"]


class Found(NamedTuple):
    """The answer of a tool."""

    records: Any
    """Every record once, in any order."""
    clusters: Any
    """The cluster of each of them."""
    notes: dict[str, Any]
    """Further facts about the run."""
    at: Callable[[float], tuple[Any, Any]] | None = None
    """Records and clusters at another threshold, where the tool has one."""

    def write(self, path: str) -> None:
        """Write records and clusters to a Parquet file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"record": self.records, "cluster": self.clusters}), path)


def components(count: int, links: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The smallest record that each record 0..count-1 is linked with, directly or not.

    >>> components(5, [(3, 1), (4, 3)]).tolist()
    [0, 1, 2, 1, 1]
    """
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in links:
        low, high = sorted((root(int(left)), root(int(right))))
        parent[high] = low
    return np.array([root(node) for node in range(count)], dtype=np.int64)


def one_to_one(links: Iterable[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """The links that remain if each record keeps one at most, best first.

    >>> one_to_one([(0, 7, 0.5), (0, 8, 0.9), (1, 8, 0.8), (1, 7, 0.4)])
    [(0, 8), (1, 7)]
    """
    taken: tuple[set[int], set[int]] = (set(), set())
    kept = []
    for left, right, _ in sorted(links, key=lambda link: (-link[2], link[0], link[1])):
        if left not in taken[0] and right not in taken[1]:
            taken[0].add(left)
            taken[1].add(right)
            kept.append((left, right))
    return kept
