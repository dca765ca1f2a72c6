"""Ours on several sets in one process, which imports the package and loads its kernels once."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.panel.ours import load
from benchmarks.peers.links import Found
from benchmarks.sensitivity.reach import trace_functions

__all__ = ["load", "run"]


def run(request: dict[str, Any]) -> Found:
    """Write the clusters of each set to the file that its request names; notes hold the status.

    The request may name a file for the functions that each set executes.
    """
    notes, functions = {}, {}
    for name, task in request["tasks"].items():
        try:
            outcome, functions[name] = _run(task, "functions" in request)
        except Exception as error:
            # a variant may break one set, which is a result
            notes[name] = f"crashed: {type(error).__name__}: {error}"
            continue
        answer = {"record": outcome.records, "cluster": outcome.clusters}
        pq.write_table(pa.table(answer), task["answer"])
        notes[name] = "ok"
    if "functions" in request:
        Path(request["functions"]).write_text(json.dumps(functions))
    empty = np.empty(0, dtype=np.int64)
    return Found(empty, empty, notes)


def _run(task: dict[str, Any], is_traced: bool) -> tuple[Found, list[str]]:
    """Resolve one set; return its clusters and, if they are traced, the executed functions."""
    import partita

    module = importlib.import_module(task["module"])
    if not is_traced:
        return module.run(task), []
    return trace_functions(lambda: module.run(task), Path(partita.__file__).parent)
