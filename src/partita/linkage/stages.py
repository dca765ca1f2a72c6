"""Stages of a resolution: their CPU seconds, and a bar while they run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

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
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        # drawn twice a second: a thread that draws more often would be counted as work
        console = Console(stderr=True)
        shown = self.progress and bool(says) and console.is_terminal
        with Progress(
            *columns, console=console, transient=True, refresh_per_second=2, disable=not shown
        ) as bar:
            task = bar.add_task(says, total=None)
            yield lambda share: bar.update(task, total=1.0, completed=share)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began
