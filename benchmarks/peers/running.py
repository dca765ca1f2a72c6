"""One tool on one data set, in a process of its own, scored by the one evaluator."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.peers.child import MISSING, TOOLS
from benchmarks.peers.sets import PEOPLE, ROOT, Prepared
from partita.metrics import Evaluation, evaluate

__all__ = [
    "BASELINES",
    "NOT_INSTALLED",
    "OURS",
    "Limits",
    "child_environment",
    "run_child",
    "run_tool",
    "score_answer",
]

OURS = "partita"
BASELINES = tuple(name for name in TOOLS if name != OURS)
THRESHOLDS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
MANY = 200_000
"""Records from which other thresholds are left out: a dozen clusterings outlast the rest."""
NOT_INSTALLED = "not installed (pip install partita[peers])"
THREADED = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)


@dataclass(frozen=True)
class Limits:
    """Threads and time limit of every tool."""

    threads: int = 1
    seconds: float = 600.0
    seed: int = 0


def run_tool(
    tool: str,
    data: Prepared,
    limits: Limits,
    cache: Path | None = None,
    more: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Scores and costs of a tool; `status` is "ok", or the reason for missing scores.

    A tool with a threshold also gets scores at the best threshold. `cache` is a folder for
    Partita's compiled code instead of the user's; `more` adds entries to the request.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        request = _request(tool, data, limits, place) | (more or {})
        (place / "request.json").write_text(json.dumps(request))
        status = run_child(tool, place, limits, cache)
        if status != "ok":
            return {"status": status}
        cost = json.loads(Path(request["cost"]).read_text())
        try:
            scores = score_answer(request["answer"], data)
        except ValueError as error:
            return {"status": f"crashed: {error}"}
        return {"status": "ok", **cost, **scores, **_best(request["others"], data)}


def _best(others: dict[str, str], data: Prepared) -> dict[str, Any]:
    """The threshold with the best pairwise F1 by the truth, which a user does not have."""
    scores = {
        threshold: score_answer(path, data)
        for threshold, path in others.items()
        if Path(path).exists()
    }
    if not scores:
        return {}
    best = max(scores, key=lambda threshold: scores[threshold]["pairwise"]["f1"])
    return {"best_threshold_by_truth": {"threshold": float(best), **scores[best]}}


def _request(tool: str, data: Prepared, limits: Limits, place: Path) -> dict[str, Any]:
    others = {
        str(threshold): str(place / f"answer-{threshold}.parquet") for threshold in THRESHOLDS
    }
    return {
        "tool": tool,
        "set": data.name,
        "path": str(data.path),
        "id": "unique_id" if data.name == PEOPLE else "id",
        "source": data.source,
        "threads": limits.threads,
        "seed": limits.seed,
        "answer": str(place / "answer.parquet"),
        "cost": str(place / "cost.json"),
        "others": {} if data.records > MANY else others,
    }


def run_child(
    tool: str,
    place: Path,
    limits: Limits,
    cache: Path | None = None,
    source: Path = ROOT / "src",
) -> str:
    """Run `request.json` of a folder until its end or the limit; returns "ok" or the failure.

    `source` is the folder from which Partita is imported.
    """
    python = sys.executable
    environment = child_environment(limits.threads, source)
    if tool != OURS:
        python = os.environ.get("PARTITA_PEERS_PYTHON", sys.executable)
        # some tools remember earlier runs in the home folder; every run is the first
        environment["HOME"] = str(place)
    if cache is not None:
        environment["PARTITA_CACHE_DIR"] = str(cache)
    errors = place / "errors.txt"
    with errors.open("w") as log:
        child = subprocess.Popen(
            [python, "-m", "benchmarks.peers.child", str(place / "request.json")],
            **{"cwd": place, "env": environment, "stdout": subprocess.DEVNULL, "stderr": log},
            start_new_session=True,
        )
        try:
            code = child.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            return f"timed out after {limits.seconds:g} s"
        finally:
            _end(child)
    return "ok" if code == 0 else _failure(code, errors.read_text(errors="replace"))


def child_environment(threads: int, source: Path = ROOT / "src") -> dict[str, str]:
    """The environment of a child process: threads of all libraries, and where Partita is."""
    path = os.pathsep.join((str(ROOT), str(source)))
    return os.environ | dict.fromkeys(THREADED, str(threads)) | {"PYTHONPATH": path}


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child that still runs, and everything that it started."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _failure(code: int, output: str) -> str:
    if code == MISSING:
        return NOT_INSTALLED
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1] if lines else "no message"
    if code < 0:
        last = f"killed by {signal.Signals(-code).name}; {last}"
    return f"crashed: {last}"


def score_answer(path: str, data: Prepared) -> dict[str, Any]:
    """Pairwise and B-cubed scores; every record must be in the answer once."""
    answer = pq.read_table(path)
    records = answer.column("record").cast(pa.int64()).to_numpy()
    order = records.argsort()
    if not np.array_equal(records[order], np.arange(data.records)):
        raise ValueError(f"{len(records)} answers are not one for each of {data.records} records")
    clusters = answer.column("cluster").take(pa.array(order)).to_numpy(zero_copy_only=False)
    return _figures(evaluate(clusters, data.truth.to_numpy(zero_copy_only=False), ceaf=False))


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    kept = evaluation.as_dict()
    return {
        name: kept[name]
        for name in ("pairwise", "bcubed", "records", "found_entities", "true_entities")
    }
