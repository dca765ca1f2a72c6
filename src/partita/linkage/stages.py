"""Stages of a run: their CPU seconds, and a progress bar."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from partita.progress import Bars

__all__ = ["Clock"]

Report = Callable[[float], None]


class Clock:
    """CPU seconds by stage, in order; with `progress` each shows a bar until it ends."""

    def __init__(self, progress: bool = False) -> None:
        self.seconds: dict[str, float] = {}
        self.progress = progress

    @contextmanager
    def stage(self, name: str, title: str = "") -> Iterator[Report]:
        """Measure the CPU seconds of a stage; yield a function that reports the share done.

        A stage without a title has no bar: it shows its own.
        """
        began = time.process_time()
        with Bars([title], self.progress and bool(title)) as bars:
            yield lambda share: bars.show(0, share)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began
