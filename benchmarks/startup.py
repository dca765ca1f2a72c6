"""Seconds until the first step: compiled cold, and loaded from the disk cache by a second process.

As a module it is the child: `python -m benchmarks.startup labels 2000` prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["first_step", "startup"]

ROOT = Path(__file__).parents[1]


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(begin: tuple[float, float]) -> dict[str, float]:
    wall, cpu = _clocks()
    return {"wall": wall - begin[0], "cpu": cpu - begin[1]}


def first_step(name: str, n: int) -> dict[str, dict[str, float]]:
    """In this process: seconds to import the package, and to build a case and take one step."""
    begin = _clocks()
    import partita  # noqa: F401

    imported = _since(begin)
    # the case's own modules are no part of what a user waits for
    from benchmarks.cases import CASES

    begin = _clocks()
    case = CASES[name](n)
    case.chain(case.compile(), 0).run(1)
    return {"import": imported, "ready": _since(begin)}


def _child(name: str, n: int, cache: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.startup", name, str(n)]
    environment = os.environ | {"PARTITA_CACHE_DIR": cache}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def startup(name: str, n: int, loads: int) -> dict[str, float]:
    """Seconds of a process that compiles, and of the quickest of `loads` that find the code."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _child(name, n, cache)
        warm = [_child(name, n, cache) for _ in range(loads)]
    best = min(warm, key=lambda one: one["ready"]["wall"])
    return {
        "compile_seconds": round(cold["ready"]["wall"], 3),
        "compile_cpu_seconds": round(cold["ready"]["cpu"], 3),
        "load_seconds": round(best["ready"]["wall"], 3),
        "load_cpu_seconds": round(best["ready"]["cpu"], 3),
        "import_seconds": round(best["import"]["wall"], 3),
        "load_and_import_seconds": round(best["ready"]["wall"] + best["import"]["wall"], 3),
    }


if __name__ == "__main__":
    print(json.dumps(first_step(sys.argv[1], int(sys.argv[2]))))
