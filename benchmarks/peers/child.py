"""One tool on one file, in a process of its own: `python -m benchmarks.peers.child request.json`.

Runs in any Python that has the tool, so it needs nothing of this project but this folder, and of
others only PyArrow and NumPy.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["MISSING", "TOOLS", "main"]

MISSING = 77
"""Exit code if the tool is not installed."""
TOOLS = {
    "partita": "with_partita",
    "splink": "with_splink",
    "goldenmatch": "with_goldenmatch",
    "recordlinkage": "with_recordlinkage",
}


def _cpu() -> float:
    """User and system seconds of this process and of its children so far."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def _peak() -> float:
    """Peak resident memory in MiB, of this process or of its largest child."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
    status = Path("/proc/self/status")
    if not status.exists():
        return max(children, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
    # Linux hands ru_maxrss of the process that started this one down to it; this line is its own
    line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
    return max(children, int(line.split()[1]) / 2**10)


def main(arguments: Sequence[str]) -> int:
    """Run the request; write the result and its costs to the files that the request names."""
    request = json.loads(Path(arguments[0]).read_text())
    usual = f"benchmarks.peers.{TOOLS.get(request['tool'])}"
    module = importlib.import_module(request.get("module", usual))
    started = time.perf_counter()
    try:
        version = module.load()
    except ModuleNotFoundError as error:
        if error.name != request["tool"]:
            raise
        return MISSING
    imported, wall = _cpu(), time.perf_counter()
    answer = module.run(request)
    end = time.perf_counter()
    cost = {
        "cpu_seconds": _cpu(),
        "cpu_seconds_after_import": _cpu() - imported,
        "wall_seconds": end - started,
        "wall_seconds_after_import": end - wall,
        "peak_megabytes": _peak(),
    }
    answer.write(request["answer"])
    costs = {**cost, "version": version, "notes": answer.notes}
    Path(request["cost"]).write_text(json.dumps(costs))
    for threshold, path in request["others"].items():
        if answer.at is not None:
            records, clusters = answer.at(float(threshold))
            answer._replace(records=records, clusters=clusters).write(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
