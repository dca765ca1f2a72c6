"""Ours, without configuration and without labels."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.links import Found

__all__ = ["load", "run"]


def load() -> str:
    """Import the library and what it reads files with; returns its version."""
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401

    import partita

    return partita.__version__


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import partita

    asked: dict[str, Any] = {"model": request.get("model", "auto")}
    if request["source"] is not None:
        asked |= {"source": request["source"], "mode": "link", "one_to_one": True}
    found = partita.resolve(
        request["path"], seed=request["seed"], threads=request["threads"], progress=False, **asked
    )
    notes = {
        "model": found.chosen_model,
        "seconds": {name: round(spent, 3) for name, spent in found.seconds.items()},
        "warnings": list(found.warnings),
    }
    return Found(found.records.ids, found.labels, notes)
