"""Input files of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["input_path", "input_paths"]


def input_paths(data: Any) -> Any:
    """Return names of files as paths; a list of names could be a column of texts."""
    return [input_path(file) for file in data] if isinstance(data, list) else data


def input_path(name: Any) -> Any:
    """Return the name of a file as a path; None and the address of a database stay as they are."""
    from partita.data.postgres import is_postgres

    return name if name is None or is_postgres(name) else Path(name)
