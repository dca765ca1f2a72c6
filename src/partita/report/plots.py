"""Charts of a result as Altair charts, for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.errors import InputError
from partita.linkage.result import Resolution
from partita.report import charts

__all__ = ["plot_certainty", "plot_sizes", "plot_traces"]

WIDTH = 420
"""Pixels; a report stretches its charts instead."""


def _to_altair(spec: dict[str, Any]) -> Any:
    try:
        import altair
    except ImportError as error:
        raise InputError(
            "charts need the package altair; install it with: pip install 'partita[plots]'"
        ) from error
    return altair.Chart.from_dict(spec | {"width": WIDTH})


def plot_sizes(resolution: Resolution) -> Any:
    """Entities by their number of records."""
    return _to_altair(charts.sizes(resolution.labels))


def plot_certainty(resolution: Resolution) -> Any:
    """Entities by p_cluster."""
    _, first = np.unique(resolution.labels, return_index=True)
    return _to_altair(charts.certainty(resolution.p_cluster[first], "p_cluster", "entities"))


def plot_traces(resolution: Resolution, trace: str) -> Any:
    """A trace of each chain, draw by draw."""
    if trace not in resolution.trace:
        names = ", ".join(resolution.trace) or "none, because nothing was sampled"
        raise InputError(f"there is no trace {trace!r}; the traces are {names}")
    return _to_altair(charts.traces(resolution.trace[trace], trace.replace("_", " ")))
