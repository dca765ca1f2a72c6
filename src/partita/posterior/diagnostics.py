"""Convergence of scalar traces, by ArviZ: R-hat, bulk and tail effective sample size."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from partita.kernel import Floats

__all__ = ["diagnose", "to_datatree"]


DIGITS = 6
"""Decimals of a trace that are looked at."""


def diagnose(traces: dict[str, Floats]) -> dict[str, dict[str, float]]:
    """Mean, deviation, R-hat and effective sample sizes of each trace (chains by draws).

    A trace that never changes has no R-hat or ESS; both are NaN then.
    """
    # imported here because it takes longer than many runs
    array_stats: Any = importlib.import_module("arviz_stats.base").array_stats
    found = {}
    for name, given in traces.items():
        # the same state may score differently in the last digits, which ranks would take for moves
        values = np.round(given, DIGITS)
        row = {"mean": float(given.mean()), "sd": float(given.std())}
        moving = np.ptp(values) > 0 and values.shape[1] >= 4
        axes = {"chain_axis": 0, "draw_axis": 1}
        row["r_hat"] = _one(array_stats.rhat(values, **axes)) if moving else np.nan
        row["ess_bulk"] = _one(array_stats.ess(values, method="bulk", **axes)) if moving else np.nan
        tail = {"method": "tail", "prob": (0.05, 0.95), **axes}
        row["ess_tail"] = _one(array_stats.ess(values, **tail)) if moving else np.nan
        found[name] = row
    return found


def _one(value: Any) -> float:
    return float(np.asarray(value))


def to_datatree(traces: dict[str, Floats], stats: dict[str, Floats]) -> Any:
    """The traces as ArviZ's DataTree with groups `posterior` and `sample_stats`."""
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise ImportError(
            "to_arviz() needs the package arviz-base; install it with: pip install partita[arviz]"
        ) from error
    return from_dict({"posterior": traces, "sample_stats": stats})
