"""Input files of commands, read ahead where --map or --header changes their columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["open_inputs"]

READ_ONLY = ("map", "header")
"""Options of reading that are no settings of a resolution."""


def open_inputs(data: Any, settings: dict[str, Any], config: Path | None = None) -> Any:
    """Return files, or their records where the settings hold `map` or `header`.

    Both are taken out of the settings.
    """
    options = {name: settings.pop(name) for name in READ_ONLY if name in settings}
    if isinstance(data, list):
        # a list of strings may be a column of texts, a list of paths is never one
        data = [Path(file) for file in data]
    if not options:
        return data
    from partita.data import read
    from partita.linkage.resolve import read_settings

    merged, _ = read_settings(config, {**settings, "model": None})
    return read(
        data,
        id=merged.id,
        source=merged.source,
        ignore=merged.ignore,
        memory=merged.memory,
        **options,
    )
