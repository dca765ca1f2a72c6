"""Names of a package that are imported on first use, and old names that warn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["alias_attributes", "alias_renamed", "load_lazily"]


def load_lazily(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a package's `__getattr__` and `__dir__` for names that are imported on first use.

    Parameters
    ----------
    names
        The place of each name: "package.module:name", or "package.module" for a module itself.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = names[name].partition(":")
        value = import_module(module)
        return getattr(value, attribute) if attribute else value

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return get, list_names


def alias_renamed(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Make a package's `__getattr__` that returns the new object for an old name and warns."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        _warn(f"{package}.{name}", names[name])
        return getattr(sys.modules[package], names[name])

    return get


def alias_attributes(names: Mapping[str, str]) -> Callable[[Any, str], Any]:
    """Make a class's `__getattr__` that returns the new attribute for an old name and warns."""

    def get(self: Any, name: str) -> Any:
        if name not in names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        _warn(name, names[name])
        return getattr(self, names[name])

    return get


def _warn(old: str, new: str) -> None:
    message = f"{old} is now {new}; the old name will be removed in version 0.3"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
