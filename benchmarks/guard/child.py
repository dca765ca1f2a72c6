"""One resolution in a process of its own: `python -m benchmarks.guard.child FILE ...`.

Prints one JSON object with counts of work, the peak memory and the ratio of CPU seconds to those of
a reference kernel that runs before and after, so that a slow or busy machine slows both down.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.measure import BYTES
from partita import resolve
from partita.comparison.comparisons import ComparedColumn
from partita.linkage import Resolution
from partita.linkage.readings.features import FeatureTables

__all__ = ["count_rows", "main", "measure", "run_reference"]

SEED = 1
REFERENCE_NUMBERS, REFERENCE_WORDS, REFERENCE_ROUNDS = 400_000, 60_000, 4
"""Size of the reference kernel: about a second, and less memory than a resolution."""


def run_reference() -> float:
    """CPU seconds of a fixed mix of the work of a resolution: sorting, products, words."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 2**40, REFERENCE_NUMBERS)
    square = rng.random((300, 300))
    begin = time.thread_time()
    for turn in range(REFERENCE_ROUNDS):
        order = np.argsort(numbers ^ turn, kind="stable")
        np.unique(numbers[order] >> 20)
        for _ in range(30):
            # without BLAS, whose threads would not count
            np.einsum("ij,ij->i", square, square[::-1])
        counts: Counter[str] = Counter()
        for number in numbers[:REFERENCE_WORDS].tolist():
            counts.update(f"{number:x}")
    return time.thread_time() - begin


def count_rows(owner: type, name: str, counts: Counter[str], key: str) -> Callable[[], None]:
    """Let a method that takes pairs first add their number to a count; return how to undo it."""
    inner = getattr(owner, name)

    def counted(self: Any, pairs: Any, *rest: Any, **named: Any) -> Any:
        counts[key] += len(pairs)
        return inner(self, pairs, *rest, **named)

    setattr(owner, name, counted)
    return lambda: setattr(owner, name, inner)


def count_work(resolution: Resolution, counts: Counter[str]) -> dict[str, int]:
    """Counts of work of a resolution, beside those of the compared and described pairs."""
    posterior = resolution.posterior
    chains = [] if posterior is None else posterior.run.chains
    return {
        "candidates": len(resolution.blocking.pairs),
        "pairs compared": counts["pairs compared"],
        "feature rows": counts["feature rows"],
        "draws": sum(len(chain.draws) for chain in chains),
        "steps": sum(chain.steps for chain in chains),
    }


def measure(paths: Sequence[str]) -> dict[str, Any]:
    """Resolve the files once: counts of work, memory and the CPU ratio."""
    counts: Counter[str] = Counter()
    undo = [
        # one row for each pair and column
        count_rows(ComparedColumn, "levels", counts, "pairs compared"),
        count_rows(FeatureTables, "features", counts, "feature rows"),
    ]
    before = run_reference()
    begin = time.process_time()
    resolution = resolve([*paths], seed=SEED, threads=1)
    spent = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES / 2**20
    reference = (before + run_reference()) / 2
    for restore in undo:
        restore()
    return {
        **count_work(resolution, counts),
        "peak megabytes": round(peak),
        "CPU ratio": round(spent / reference, 2),
    }


def main(arguments: Sequence[str]) -> None:
    """Resolve the files and print the measures."""
    print(json.dumps(measure(arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
