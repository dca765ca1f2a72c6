"""Clocks for shared and noisy machines, and facts about the machine and the run."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

__all__ = ["Stopwatch", "Timing", "cpu_seconds", "interleave", "machine"]

BYTES = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of the peak memory that the system reports."""


def cpu_seconds(work: Callable[[], Any]) -> float:
    """CPU time of this thread that a call takes: other processes do not count."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


@dataclass(frozen=True)
class Timing:
    """Seconds of two contestants that did the same work in turns."""

    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios: a burst of noise spoils a pair, not the result."""
        return statistics.median(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    def nanoseconds(self, steps: int) -> tuple[float, float]:
        """The best time of each for one step."""
        return min(self.ours) / steps * 1e9, min(self.theirs) / steps * 1e9


def interleave(
    prepare: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]],
    repeats: int,
    after: Callable[[], None],
) -> Timing:
    """Time two calls in turns, each first every other time; `after` reads their results."""
    ours: list[float] = []
    theirs: list[float] = []
    for k in range(repeats):
        first, second = prepare()
        pairs = [(first, ours), (second, theirs)]
        for work, seconds in pairs if k % 2 == 0 else reversed(pairs):
            seconds.append(cpu_seconds(work))
        after()
    return Timing(ours, theirs)


@dataclass
class Stopwatch:
    """Costs of a whole run, including child processes."""

    wall: float = field(default_factory=time.perf_counter)

    def facts(self) -> dict[str, float]:
        """CPU and wall seconds, and the peak memory of this process and of the largest child."""
        own = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = sum(use.ru_utime + use.ru_stime for use in (own, children))
        return {
            "cpu_seconds": round(spent, 2),
            "wall_seconds": round(time.perf_counter() - self.wall, 2),
            "peak_megabytes": round(own.ru_maxrss * BYTES / 2**20, 1),
            "peak_megabytes_of_children": round(children.ru_maxrss * BYTES / 2**20, 1),
        }


def machine() -> dict[str, Any]:
    """Facts about the machine that the figures depend on."""
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "processor": platform.processor() or platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }
