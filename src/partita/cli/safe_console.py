"""The console of all commands."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from partita.cli.shell import CONTROLS, escape_controls

__all__ = ["SafeConsole"]


class SafeConsole(Console):
    """A console that prints control characters of data in a visible form."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable; those of rich itself keep their controls."""
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or not CONTROLS.search(text):
                yield segment
            else:
                yield Segment(escape_controls(text), segment.style)
