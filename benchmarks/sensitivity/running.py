"""One variant on all sets: a child process, the scores of its answers, and their changes."""

from __future__ import annotations

import hashlib
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.panel.scoring import calibrate_near_pairs, request_ours
from benchmarks.panel.sets import PANEL, Task, prepare_task
from benchmarks.peers.running import OURS, Limits, run_child, score_answer
from benchmarks.peers.sets import SHUFFLE, TRUTH, Prepared
from benchmarks.sensitivity.constants import CHANGES, Constant, change, overlay
from partita import synthetic

__all__ = ["FIGURES", "GENERATED", "compare", "measure_constant", "measure_variant", "prepare"]

GENERATED: dict[str, Callable[..., Any]] = {
    "generated_people": synthetic.people,
    "generated_products": synthetic.products,
    "generated_companies": synthetic.companies,
    "generated_places": synthetic.places,
}
"""Generators of the sets that need no file."""
FIGURES = ("f1", "near_ece")
"""Figures whose changes are reported."""


def prepare(name: str, folder: Path, limit: int) -> Task:
    """Write a subsample of a set of the panel, or generated records."""
    if name in PANEL:
        return prepare_task(PANEL[name], folder, limit)
    source = GENERATED[name](limit, SHUFFLE, truth=None)
    table = source.table()
    path = folder / f"{name}.parquet"
    pq.write_table(table.rename_columns(["id", *table.column_names[1:]]), path)
    return Task(name, "generated", (path,), source.truths().column(TRUTH).combine_chunks())


def measure_variant(
    source: Path, tasks: Sequence[Task], seed: int, limits: Limits, is_traced: bool = False
) -> dict[str, Any]:
    """Scores of all sets with the package in the folder `source`, and CPU seconds.

    A traced run adds the functions that each set executes, and takes longer.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        requests = {
            task.name: request_ours(task, seed, place / f"{task.name}-pairs.parquet")
            | {"answer": str(place / f"{task.name}.parquet"), "threads": limits.threads}
            for task in tasks
        }
        names = ("answer", "cost", "functions") if is_traced else ("answer", "cost")
        own = {name: str(place / name) for name in names}
        request = {"tool": OURS, "module": "benchmarks.sensitivity.child", "tasks": requests}
        (place / "request.json").write_text(json.dumps(request | own | {"others": {}}))
        status = run_child(OURS, place, limits, source=source)
        if status != "ok":
            return {"sets": {task.name: {"status": status} for task in tasks}, "cpu_seconds": None}
        cost = json.loads((place / "cost").read_text())
        states = cost["notes"]
        scores = {
            task.name: _score(task, requests[task.name])
            if states[task.name] == "ok"
            else {"status": states[task.name]}
            for task in tasks
        }
        variant = {"sets": scores, "cpu_seconds": cost["cpu_seconds"]}
        if is_traced:
            variant["functions"] = json.loads((place / "functions").read_text())
        return variant


def measure_constant(
    constant: Constant, source: Path, tasks: Sequence[Task], seed: int, limits: Limits
) -> dict[str, Any]:
    """Scores of all variants of a constant, by the label of the change."""
    variants = {}
    for label, factor in CHANGES.items():
        value = change(constant.value, factor)
        with overlay(source, constant, value) as variant:
            variants[label] = {"value": value} | measure_variant(variant, tasks, seed, limits)
    return variants


@dataclass(frozen=True)
class Change:
    """Change of a figure on one set."""

    change: float = 0.0
    set: str | None = None
    variant: str | None = None


def compare(baseline: dict[str, Any], variants: dict[str, Any]) -> dict[str, Any]:
    """Largest change of each figure, its mean over sets by variant, failures, and CPU seconds."""
    row: dict[str, Any] = {}
    for figure in FIGURES:
        changes = {
            label: _changes(baseline["sets"], variant["sets"], figure, label)
            for label, variant in variants.items()
        }
        every = [change for some in changes.values() for change in some]
        row[figure] = vars(max(every, key=lambda change: abs(change.change), default=Change()))
        row[f"{figure}_mean"] = {
            label: statistics.fmean(change.change for change in some) if some else None
            for label, some in changes.items()
        }
    row["identical"] = all(variant["sets"] == baseline["sets"] for variant in variants.values())
    row["failures"] = [
        f"{name} at {label}: {score['status']}"
        for label, variant in variants.items()
        for name, score in variant["sets"].items()
        if score["status"] != "ok"
    ]
    row["cpu_seconds"] = {label: variant["cpu_seconds"] for label, variant in variants.items()}
    return row


def _changes(
    before: dict[str, Any], after: dict[str, Any], figure: str, label: str
) -> list[Change]:
    """Changes of a figure on the sets that have it in both runs."""
    # a failed run has no figure, and a set without near pairs has no calibration error
    pairs = {name: (score.get(figure), before[name].get(figure)) for name, score in after.items()}
    return [
        Change(new - old, name, label)
        for name, (new, old) in pairs.items()
        if new is not None and old is not None
    ]


def _score(task: Task, request: dict[str, Any]) -> dict[str, Any]:
    """F1, calibration error of near pairs, and a digest of clusters and probabilities."""
    scores = score_answer(request["answer"], Prepared(task.name, task.paths[0], task.truth))
    calibration = calibrate_near_pairs(Path(request["pairs"]), task)
    return {
        "status": "ok",
        "f1": scores["pairwise"]["f1"],
        "near_ece": calibration["near_ece"],
        "digest": _digest(request["answer"], request["pairs"]),
    }


def _digest(*paths: str) -> str:
    total = hashlib.sha256()
    for path in paths:
        sink = pa.BufferOutputStream()
        table = pq.read_table(path).combine_chunks()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        total.update(sink.getvalue())
    return total.hexdigest()
