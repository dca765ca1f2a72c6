"""A progress bar over all chains, on a terminal only."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

__all__ = ["Bars"]


class Bars:
    """One bar per chain; silent when switched off or when standard error is not a terminal."""

    def __init__(self, chains: int, shown: bool) -> None:
        console = Console(stderr=True)
        self.progress = Progress(
            TextColumn("chain {task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[facts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not (shown and console.is_terminal),
        )
        self.tasks = [self.progress.add_task(str(k), total=1.0, facts="") for k in range(chains)]

    def __enter__(self) -> Bars:
        self.progress.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.progress.__exit__(kind, error, at)

    def show(self, chain: int, done: float, facts: dict[str, float]) -> None:
        """Move one bar; the facts stand beside it."""
        text = "  ".join(f"{name} {value:,.6g}" for name, value in facts.items())
        self.progress.update(self.tasks[chain], completed=done, facts=text)
