"""Boosted trees as plain arrays: read from JSON, evaluated by one kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, entry

__all__ = ["LEAF", "Trees", "predict", "trees_from_dict"]

LEAF = -1
"""Feature number of a leaf."""


class Trees(NamedTuple):
    """Nodes of all trees in one row of arrays; `start` is the root of each tree."""

    start: Ints
    feature: Ints
    threshold: Floats
    """Values up to the threshold go left; of a leaf, the value it adds."""
    left: Ints
    right: Ints
    missing: Ints
    """The child that missing values go to."""
    base: Floats
    """One cell: log-odds before any tree."""


def trees_from_dict(stored: Mapping[str, Any]) -> Trees:
    """Read trees as the training script writes them."""
    arrays: dict[str, Any] = {
        name: np.array(stored[name], np.int64)
        for name in ("start", "feature", "left", "right", "missing")
    }
    arrays["threshold"] = np.array(stored["threshold"], np.float64)
    arrays["base"] = np.array([stored["base"]], np.float64)
    trees = Trees(**arrays)
    _check_trees(trees)
    return trees


def _check_trees(trees: Trees) -> None:
    """Raise a ValueError unless every path ends in a leaf: the kernel checks no bounds."""
    nodes = len(trees.feature)
    inner = np.flatnonzero(trees.feature != LEAF)
    children = [side[inner] for side in (trees.left, trees.right, trees.missing)]
    if any(side.shape != (nodes,) for side in trees[1:6]) or not np.isfinite(trees.base).all():
        raise ValueError("the nodes of its trees have different numbers of values")
    if (trees.feature < LEAF).any():
        raise ValueError("a tree has an unknown feature")
    # children follow their parent, so that no path is a circle
    if any(((child <= inner) | (child >= nodes)).any() for child in children):
        raise ValueError("a node of a tree has no child")
    if trees.start.ndim != 1 or ((trees.start < 0) | (trees.start >= nodes)).any():
        raise ValueError("a tree has no root")


def predict(trees: Trees, table: Floats) -> Floats:
    """Log-odds of each row of features."""
    total = np.full(len(table), trees.base[0])
    _add_leaves(trees, np.ascontiguousarray(table, np.float64), total)
    return total


@entry
def _add_leaves(trees: Trees, table: Floats, total: Floats) -> None:
    for row in range(len(table)):
        for tree in range(trees.start.size):
            node = trees.start[tree]
            while trees.feature[node] != LEAF:
                value = table[row, trees.feature[node]]
                if value != value:
                    node = trees.missing[node]
                elif value <= trees.threshold[node]:
                    node = trees.left[node]
                else:
                    node = trees.right[node]
            total[row] += trees.threshold[node]
