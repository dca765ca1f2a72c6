"""Names that are imported when they are first used, so that `import partita` stays quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazily"]


def lazily(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that takes each name from the module given for it."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(names[name]), name)

    return get
