"""dedupe by its guide: fields, the labelled pairs as training file, `train`, `partition` at 0.5.

Its own active learning is not used: all tools learn from the same labels. It compares the columns
of the recipe for recordlinkage: strings by its String, others by its ShortString, and every column
may be missing.
"""

from __future__ import annotations

from typing import Any

from benchmarks.peers.links import Found
from benchmarks.peers.with_recordlinkage import RECIPES

__all__ = ["load", "run"]

THRESHOLD = 0.5


def load() -> str:
    """Import the tool; returns its version."""
    from importlib.metadata import version

    import dedupe  # noqa: F401

    return version("dedupe")


def run(request: dict[str, Any]) -> Found:
    """Records and their clusters."""
    import io
    import random

    import dedupe
    import numpy as np
    import pyarrow.parquet as pq

    random.seed(request["seed"])
    np.random.seed(request["seed"])
    rows = pq.read_table(request["path"]).to_pylist()
    records = {
        row.pop(request["id"]): {name: _text(value) for name, value in row.items()} for row in rows
    }
    examples: dict[str, list[Any]] = {"match": [], "distinct": []}
    for left, right, match in request["labels"]:
        examples["match" if match else "distinct"].append((records[left], records[right]))
    training = io.StringIO()
    dedupe.write_training(examples, training)
    training.seek(0)
    tool = dedupe.Dedupe(_fields(dedupe, request["set"]), num_cores=0)
    tool.prepare_training(records, training_file=training)
    tool.train()
    clusters: dict[int, int] = {}
    for cluster, (members, _) in enumerate(tool.partition(records, THRESHOLD)):
        clusters |= dict.fromkeys((int(record) for record in members), cluster)
    return Found(list(clusters), list(clusters.values()), {})


def _text(value: Any) -> str | None:
    """A value, prepared as in its guide."""
    return " ".join(str(value).lower().split()) or None if value is not None else None


def _fields(dedupe: Any, name: str) -> list[Any]:
    recipe, kinds = RECIPES[name], dedupe.variables
    strings = [kinds.String(column, has_missing=True) for column in recipe.strings]
    return strings + [kinds.ShortString(column, has_missing=True) for column in recipe.exact]
