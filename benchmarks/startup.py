"""Start-up costs: seconds until the first step, cold and from the disk cache, and of commands.

`python -m benchmarks.startup` prints the CPU seconds of `partita --help` and of a first and a later
`partita resolve` of a CSV. With arguments the module is the child of `startup`: `python -m
benchmarks.startup labels 2000` prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["first_step", "measure_commands", "startup"]

ROOT = Path(__file__).parents[1]
ROWS = 1_000
"""Records of the CSV that `partita resolve` reads."""
REPEATS = 5
"""Runs of a command, of which the one with the least CPU time counts."""


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
    # the case's own modules are no part of the start of a user
    from benchmarks.cases import CASES

    begin = _clocks()
    case = CASES[name](n)
    case.chain(case.compile(), 0).run(1)
    return {"import": imported, "ready": _since(begin)}


def _child(name: str, n: int, cache: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.startup", name, str(n)]
    environment = os.environ | {"PARTITA_CACHE_DIR": cache}
    process = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])


def startup(name: str, n: int, loads: int) -> dict[str, float]:
    """Seconds of a process that compiles, and of the quickest of `loads` that find the code."""
    with tempfile.TemporaryDirectory() as cache:
        cold = _child(name, n, cache)
        warm = [_child(name, n, cache) for _ in range(loads)]
    best = min(warm, key=lambda run: run["ready"]["wall"])
    return {
        "compile_seconds": round(cold["ready"]["wall"], 3),
        "compile_cpu_seconds": round(cold["ready"]["cpu"], 3),
        "load_seconds": round(best["ready"]["wall"], 3),
        "load_cpu_seconds": round(best["ready"]["cpu"], 3),
        "import_seconds": round(best["import"]["wall"], 3),
        "load_and_import_seconds": round(best["ready"]["wall"] + best["import"]["wall"], 3),
    }


def _run_command(words: list[str], environment: dict[str, str]) -> float:
    """Run `partita`; return the CPU seconds of the process, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "partita", *words]
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure_commands(rows: int = ROWS, repeats: int = REPEATS) -> dict[str, float]:
    """CPU seconds of commands: the help, and a first and a later resolve of a CSV."""
    from partita.synthetic import people

    with tempfile.TemporaryDirectory() as folder:
        # an installed package has bytecode; a source tree may lack it
        fresh = {
            "PARTITA_CACHE_DIR": f"{folder}/cache",
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
        }
        environment = {**os.environ, **fresh}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        [path] = people(rows, seed=1, truth=None).write(f"{folder}/people.csv")
        words = ["resolve", str(path), "--out", f"{folder}/out.csv", "--force", "--quiet"]
        first = _run_command(words, environment)
        later = min(_run_command(words, environment) for _ in range(repeats))
        help_page = min(_run_command(["--help"], environment) for _ in range(repeats))
    return {
        "help_cpu_seconds": round(help_page, 2),
        "first_resolve_cpu_seconds": round(first, 2),
        "later_resolve_cpu_seconds": round(later, 2),
    }


if __name__ == "__main__":
    child = len(sys.argv) > 1
    print(json.dumps(first_step(sys.argv[1], int(sys.argv[2])) if child else measure_commands()))
