"""One tool on one set: scores, calibration of near pairs, interval, costs; and their summary."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.panel.sets import Task
from benchmarks.peers.running import OURS, Limits, run_tool
from benchmarks.peers.sets import Prepared
from partita.metrics import calibration

__all__ = [
    "BASELINES",
    "calibrate_near_pairs",
    "measure_baseline",
    "measure_ours",
    "measure_tool",
    "request_ours",
    "summarise",
]

OUR_MODULE = "benchmarks.panel.ours"
BASELINES = ("exact", "tf-idf")
"""Naive baselines that need no other tool; the better one is the bar of `below_naive`."""


def measure_ours(task: Task, seed: int, prior: Path | None, limits: Limits) -> dict[str, Any]:
    """Scores of one run of ours with one seed and a prior that has not seen the domain."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.parquet"
        request = request_ours(task, seed, pairs) | {"prior": None if prior is None else str(prior)}
        row = measure_tool(OURS, task, limits, request)
        if row["status"] != "ok":
            return row
        summary = row.pop("notes")["summary"]
        return row | calibrate_near_pairs(pairs, task) | _reported(summary, row["true_entities"])


def request_ours(task: Task, seed: int, pairs: Path) -> dict[str, Any]:
    """The request for a run of ours, which writes its near pairs to the file `pairs`."""
    paths = [str(path) for path in task.paths]
    return {"module": OUR_MODULE, "paths": paths, "pairs": str(pairs), "seed": seed}


def measure_baseline(name: str, task: Task, limits: Limits) -> dict[str, Any]:
    """Scores of a naive baseline."""
    return measure_tool(OURS, task, limits, {"module": "benchmarks.panel.naive", "baseline": name})


def measure_tool(tool: str, task: Task, limits: Limits, more: dict[str, Any]) -> dict[str, Any]:
    """Scores and costs of a tool in a process of its own; `more` is passed on to it."""
    prepared = Prepared(task.name, task.paths[0], task.truth)
    row = run_tool(
        tool, prepared, limits, more=more | {"paths": [str(path) for path in task.paths]}
    )
    if row["status"] == "ok":
        scores = row.pop("pairwise")
        row |= {name: scores[name] for name in ("precision", "recall", "f1")}
        row["b_cubed_f1"] = row.pop("bcubed")["f1"]
    return row


def calibrate_near_pairs(path: Path, task: Task) -> dict[str, Any]:
    """Expected calibration error of near pairs, and of the uncertain ones among them."""
    table = pq.read_table(path)
    left, right = (table.column(name).to_numpy() for name in ("left", "right"))
    p_same = table.column("p_same").to_numpy()
    truth = np.asarray(task.truth.dictionary_encode().indices)
    same = truth[left] == truth[right]
    uncertain = (p_same > 0.05) & (p_same < 0.95)
    return {
        "near_pairs": int(p_same.size),
        "near_ece": calibration(p_same, same).ece_width if p_same.size else None,
        "uncertain_pairs": int(uncertain.sum()),
        "uncertain_ece": (
            calibration(p_same[uncertain], same[uncertain]).ece_width if uncertain.any() else None
        ),
    }


def _reported(summary: dict[str, Any], entities: int) -> dict[str, Any]:
    """Range, convergence, model and warnings that the run reports."""
    interval = summary.get("entities_expected")
    covers = width = None
    if interval is not None:
        covers = interval["low"] <= entities <= interval["high"]
        width = (interval["high"] - interval["low"]) / entities
    return {
        "interval": interval,
        "interval_covers": covers,
        "interval_width": width,
        "converged": summary["converged"],
        "mode": summary["mode"],
        "reading": summary.get("reading"),
        "agreement": summary.get("agreement"),
        "trust": summary["trust"]["level"],
        "identical": summary["identical"],
        "columns": summary["columns_compared"],
        "model": summary["model"],
        "warnings": summary["warnings"],
    }


def summarise(sets: dict[str, Any]) -> dict[str, Any]:
    """Median, lower quartile and worst F1 of the counted sets, in all and by domain."""
    # a set on which every run fails counts as F1 0
    counted = {name: row | {"f1": row["f1"] or 0.0} for name, row in sets.items() if row["counted"]}
    if not counted:
        return {}
    domains: dict[str, list[float]] = {}
    for row in counted.values():
        domains.setdefault(row["domain"], []).append(row["f1"])
    errors = [row["near_ece"] for row in counted.values() if row["near_ece"] is not None]
    covered = [row["interval_covers"] for row in counted.values()]
    widths = [
        row["interval_width"] for row in counted.values() if row["interval_width"] is not None
    ]
    f1 = [row["f1"] for row in counted.values()]
    return {
        "sets": len(counted),
        "f1_median": statistics.median(f1),
        "f1_lower_quartile": float(np.quantile(f1, 0.25)),
        "f1_worst": min(f1),
        "below_naive": sorted(name for name, row in counted.items() if row["f1"] < row["naive_f1"]),
        "near_ece_median": statistics.median(errors) if errors else None,
        "near_ece_worst": max(errors, default=None),
        "intervals_cover": sum(share is not None and share >= 0.5 for share in covered),
        "interval_width_median": statistics.median(widths) if widths else None,
        "by_domain": {name: statistics.median(scores) for name, scores in domains.items()},
    }
