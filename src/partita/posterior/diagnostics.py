"""Convergence of scalar traces: R-hat, bulk and tail effective sample size."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernel import Floats
from partita.posterior.convergence import bulk_ess, rank_r_hat, tail_ess

__all__ = ["diagnose", "to_datatree"]


DIGITS = 6
"""Decimals of a trace that count: scores of one state can differ by rounding beyond them."""
MIN_DIAGNOSED_DRAWS = 4
"""Draws per chain below which a trace has no diagnostics."""


def diagnose(traces: dict[str, Floats]) -> dict[str, dict[str, float]]:
    """Mean, deviation, R-hat and effective sample sizes of each trace (chains by draws).

    R-hat compares the halves of all chains, so that a single chain has one. A trace that never
    changes has no R-hat and no effective sample size; both are NaN then.
    """
    result = {}
    for name, trace in traces.items():
        values = np.round(trace, DIGITS)
        moving = np.ptp(values) > 0 and values.shape[1] >= MIN_DIAGNOSED_DRAWS
        result[name] = {
            "mean": float(trace.mean()),
            "sd": float(trace.std()),
            "r_hat": rank_r_hat(values) if moving else np.nan,
            "ess_bulk": bulk_ess(values) if moving else np.nan,
            "ess_tail": tail_ess(values) if moving else np.nan,
        }
    return result


def to_datatree(traces: dict[str, Floats], stats: dict[str, Floats]) -> Any:
    """Return the traces as ArviZ's DataTree with groups `posterior` and `sample_stats`."""
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise ImportError(
            "to_arviz() needs the package arviz-base; install it with: pip install partita[arviz]"
        ) from error
    return from_dict({"posterior": traces, "sample_stats": stats})
