"""Input files of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["input_paths"]


def input_paths(data: Any) -> Any:
    """Return names of files as paths; a list of names could be a column of texts."""
    return [Path(file) for file in data] if isinstance(data, list) else data
