"""Predictive densities of rows under the clusters of a partition, by the components' kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.factors.components import SLOTS, Component, Rows
from partita.kernel import Floats, Ints, entry

__all__ = ["log_densities", "predictive"]


def predictive(component: Component) -> Any:
    """Compile log p(x | cluster) for rows from `first` on, given the labels of those before."""
    add, derive, gain = component.add, component.derive, component.gain

    @entry
    def fill(data: Any, rows: Rows, labels: Ints, first: int, out: Floats) -> None:
        for i in range(first):
            add(data, rows, labels[i], i, 1.0)
        clusters = out.shape[1]
        for row in range(clusters):
            derive(data, rows, row)
        for i in range(out.shape[0]):
            for row in range(clusters):
                out[i, row] = gain(data, rows, row, first + i)

    return fill


def log_densities(component: Component, fill: Any, labels: Ints) -> Floats:
    """Return log p(x | cluster) of the component's last rows; the last column is a new cluster."""
    clusters = int(labels.max()) + 1
    size = clusters + 1 + SLOTS
    sums, derived = np.zeros((size, component.width)), np.zeros((size, component.extra))
    out = np.zeros((component.n - labels.size, clusters + 1))
    fill(component.data, Rows(sums, derived, np.zeros(size)), labels, labels.size, out)
    return out
