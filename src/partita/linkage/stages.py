"""Stages of a resolution: their CPU seconds, and a bar while they run."""

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
    def stage(self, name: str, says: str = "") -> Iterator[Report]:
        """Count what is done inside as one stage; call what is given with the share done.

        Without words the stage has no bar, because it shows its own.
        """
        began = time.process_time()
        with Bars([says], self.progress and bool(says)) as bars:
            yield lambda share: bars.show(0, share)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began
