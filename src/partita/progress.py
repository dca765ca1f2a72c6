"""Progress bars on a terminal's standard error, stages with CPU seconds, notice of compilation."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bars", "Clock", "report_compilation", "watch_compilation"]

COMPILING = "compiling (once)"
"""Label of all bars while machine code is made, which later runs load from the disk cache."""
REFRESHES = 2
"""Redraws per second. The drawing thread counts as CPU time of the stage, so redraws are rare."""

_watchers: list[Callable[[bool], None]] = []


@contextmanager
def watch_compilation(watcher: Callable[[bool], None]) -> Iterator[None]:
    """Call a function with True before each compilation and with False after it."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def report_compilation(compiling: bool) -> None:
    """Call every watcher; the compiler calls this before and after its work."""
    for watcher in tuple(_watchers):
        watcher(compiling)


class Bars:
    """One bar for each label; hidden without `shown` or where standard error is no terminal."""

    def __init__(self, labels: Sequence[str], shown: bool) -> None:
        self.labels = labels
        self.shown = shown and sys.stderr.isatty()
        self.progress: Progress | None = None
        self.tasks: list[TaskID] = []
        self.current = list(labels)
        self.stack = ExitStack()

    def __enter__(self) -> Bars:
        if self.shown:
            # imported here: a run without bars does not need the libraries
            from rich import progress as widgets
            from rich.console import Console

            self.progress = widgets.Progress(
                widgets.TextColumn("{task.description}"),
                widgets.BarColumn(),
                widgets.TextColumn("{task.fields[facts]}"),
                widgets.TimeElapsedColumn(),
                widgets.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                refresh_per_second=REFRESHES,
            )
            self.stack.enter_context(self.progress)
            self.stack.enter_context(watch_compilation(self._show_compilation))
            self.tasks = [
                self.progress.add_task(label, total=None, facts="") for label in self.labels
            ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stack.close()

    def _show_compilation(self, compiling: bool) -> None:
        if self.progress is not None:
            for task, label in zip(self.tasks, self.current, strict=True):
                self.progress.update(task, description=COMPILING if compiling else label)

    def show(
        self, bar: int, share: float, facts: Mapping[str, float] | str = "", label: str = ""
    ) -> None:
        """Move one bar to a share of the work, with facts beside it and perhaps a new label."""
        if self.progress is None:
            return
        if not isinstance(facts, str):
            values = "  ".join(f"{name} {value:,.6g}" for name, value in facts.items())
            facts = f"{share:4.0%}  {values}"
        self.current[bar] = label or self.labels[bar]
        self.progress.update(
            self.tasks[bar],
            total=1.0,
            completed=share,
            facts=facts,
            description=self.current[bar],
        )


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
