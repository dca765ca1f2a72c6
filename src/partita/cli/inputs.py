"""Input files of commands, read ahead where --map or --header changes their columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["open_inputs"]

READ_ONLY = ("map", "header")
"""Options of reading that are no settings of a resolution."""


def open_inputs(files: Sequence[str], settings: dict[str, Any], config: Path | None = None) -> Any:
    """Return the files, or their records where the settings hold `map` or `header`.

    Both are taken out of the settings.
    """
    options = {name: settings.pop(name) for name in READ_ONLY if name in settings}
    if not options:
        return list(files)
    from partita.data import read
    from partita.linkage.resolve import read_settings

    merged, _ = read_settings(config, {**settings, "model": None})
    return read(
        list(files),
        id=merged.id,
        source=merged.source,
        ignore=merged.ignore,
        memory=merged.memory,
        **options,
    )
