"""Word lists, grammars, headers, error profiles and idle columns that all kinds may use."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

__all__ = ["COMMON", "FOLDER"]

FOLDER = Path(__file__).parent
COMMON: dict[str, Any] = tomllib.loads((FOLDER / "common.toml").read_text(encoding="utf-8"))
