"""Ours: `train` on the labelled pairs, then `resolve` with the trained model."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.links import Found
from benchmarks.peers.with_partita import load

__all__ = ["load", "run"]


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import partita

    settings = {"seed": request["seed"], "threads": request["threads"]}
    names = ("unique_id_l", "unique_id_r", "label")
    labels = [dict(zip(names, (*map(str, label),), strict=True)) for label in request["labels"]]
    trained = partita.train(request["path"], labels, **settings)
    result = partita.resolve(request["path"], model=trained, **settings)
    notes = {"held_out": trained.held_out._asdict(), "model": result.chosen_model}
    notes["held_out"]["strength"] = str(trained.held_out.strength)
    return Found(result.records.ids, result.labels, notes)
