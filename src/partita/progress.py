"""Progress bars on standard error, drawn on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bars"]

REFRESHES = 2
"""Redraws per second. The drawing thread counts as CPU time of the stage, so redraws are rare."""


class Bars:
    """One bar for each label; hidden without `shown` or where standard error is no terminal."""

    def __init__(self, labels: Sequence[str], shown: bool) -> None:
        self.labels = labels
        self.shown = shown and sys.stderr.isatty()
        self.progress: Progress | None = None
        self.tasks: list[TaskID] = []

    def __enter__(self) -> Bars:
        if self.shown:
            # imported here: a run without bars does not need the library
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
            self.progress.__enter__()
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
        if self.progress is not None:
            self.progress.__exit__(kind, error, traceback)

    def show(
        self, bar: int, share: float, facts: Mapping[str, float] | str = "", label: str = ""
    ) -> None:
        """Move one bar to a share of the work, with facts beside it and perhaps a new label."""
        if self.progress is None:
            return
        if not isinstance(facts, str):
            values = "  ".join(f"{name} {value:,.6g}" for name, value in facts.items())
            facts = f"{share:4.0%}  {values}"
        self.progress.update(
            self.tasks[bar],
            total=1.0,
            completed=share,
            facts=facts,
            description=label or self.labels[bar],
        )
