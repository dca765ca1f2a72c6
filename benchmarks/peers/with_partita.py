"""Ours, without configuration and without labels."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.links import Found

__all__ = ["load", "run"]


def load() -> str:
    """Import the library and its readers; returns its version."""
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401

    import partita

    return partita.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import partita

    options: dict[str, Any] = {"model": request.get("model", "auto")}
    if request["source"] is not None:
        options |= {"source": request["source"], "mode": "link", "one_to_one": True}
    result = partita.resolve(
        request["path"], seed=request["seed"], threads=request["threads"], progress=False, **options
    )
    notes = {
        "model": result.chosen_model,
        "seconds": {name: round(spent, 3) for name, spent in result.seconds.items()},
        "warnings": list(result.warnings),
    }
    return Found(result.records.ids, result.labels, notes)
