"""The client of a warm process, and one run of one presentation."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.laws.tables import Presented, write_files
from benchmarks.peers.running import Limits, child_environment
from benchmarks.peers.sets import ROOT

__all__ = ["SOURCE", "Run", "Worker", "run_presentation"]

SOURCE = ROOT / "src"
"""Where Partita is imported from by default."""


@dataclass(frozen=True)
class Run:
    """The answer of one run: clusters by id, or the reason for their absence."""

    status: str
    ids: NDArray[np.int64]
    labels: NDArray[np.int64]
    p_member: NDArray[np.float64]
    near: NDArray[np.float64]
    """Near pairs: two ids and p_same."""
    facts: dict[str, Any]
    """Costs, range and choices of the run."""


class Worker:
    """A process that resolves one request after another; it starts at the first request.

    `settings` hold for every request, and `source` is the folder from which Partita is imported.
    """

    def __init__(
        self, limits: Limits, settings: Mapping[str, Any] | None = None, source: Path = SOURCE
    ) -> None:
        self.limits = limits
        self.settings = dict(settings or {})
        self.source = source
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request; return the answer, or a status that names the failure."""
        process = self.process = self.process or self._start()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(self.limits.seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timed_out = not timer.is_alive()
            timer.cancel()
        if line:
            return json.loads(line)
        self.close()
        reason = f"timed out after {self.limits.seconds:g} s" if timed_out else "the process ended"
        return {"status": reason}

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.laws.worker"],
            env=child_environment(self.limits.threads, self.source),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def run_presentation(presented: Presented, worker: Worker, prior: Path | None, seed: int) -> Run:
    """Resolve one presentation; its own settings go before the seed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        answer, pairs = place / "answer", place / "pairs"
        request = {
            "paths": [str(path) for path in write_files(presented, place)],
            "prior": None if prior is None else str(prior),
            "threads": worker.limits.threads,
            "seed": seed,
            "settings": {**worker.settings, **presented.settings},
            "answer": str(answer),
            "pairs": str(pairs),
        }
        facts = worker.ask(request)
        status = facts.pop("status")
        if status != "ok":
            none = np.empty(0, np.int64)
            return Run(status, none, none, none.astype(float), np.empty((0, 3)), facts)
        columns, near = pq.read_table(answer), pq.read_table(pairs)
    ids, labels, p_member = (
        columns.column(name).to_numpy() for name in ("id", "cluster", "p_member")
    )
    near_pairs = np.stack([near.column(name).to_numpy() for name in near.column_names], axis=1)
    return Run(status, ids, labels, p_member, near_pairs, facts)
