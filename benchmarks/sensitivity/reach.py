"""Functions that a set executes, and functions that read a tuned number.

A set that executes no reader of a number has the same result for each of its values, so the
variants of the number leave the set out. Statements of a module and kernels count as executed:
the first run on import, and the others are compiled.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from benchmarks.sensitivity.constants import Constant

__all__ = ["find_readers", "trace_functions"]

Outcome = TypeVar("Outcome")
COMPILED = frozenset({"entry", "kernel"})
"""Decorators of functions that run as machine code, which a trace does not see."""


def trace_functions(call: Callable[[], Outcome], package: Path) -> tuple[Outcome, list[str]]:
    """Call a function; return its outcome and the functions of the package that it executed."""
    seen = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        outcome = call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    names = set()
    for code in seen:
        path = Path(code.co_filename)
        if path.is_relative_to(package):
            # a comprehension or an inner function belongs to the function around it
            names.add(f"{_name_module(package, path)}:{code.co_qualname.partition('.<locals>')[0]}")
    return outcome, sorted(names)


def find_readers(constants: Sequence[Constant], package: Path) -> dict[str, set[str] | None]:
    """Functions that read each number, by its key; None where code reads it that is no function."""
    readers: dict[str, set[str] | None] = {constant.key: set() for constant in constants}
    owners: dict[str, list[Constant]] = {}
    for constant in constants:
        owners.setdefault(constant.name, []).append(constant)
    for path in sorted(package.rglob("*.py")):
        module = _name_module(package, path)
        tree = ast.parse(path.read_text())
        imported = _list_imports(tree)
        for function, read in _list_reads(tree):
            name = read.removeprefix(".")
            for constant in owners.get(imported.get(name, name), ()):
                is_own = constant.module == module or name in imported or name != read
                known = readers[constant.key]
                if not is_own or known is None:
                    continue
                readers[constant.key] = known | {f"{module}:{function}"} if function else None
    return readers


def _name_module(package: Path, path: Path) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _list_imports(tree: ast.Module) -> dict[str, str]:
    """Names that a module imports, with their names where they are defined."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _list_reads(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str | None, str]]:
    """Yield the function and the name of each read; None for a statement or a kernel."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _list_reads(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            names = (name for mark in node.decorator_list for name in _list_names(mark))
            marks = {name.removeprefix(".") for name in names}
            function = None if marks & COMPILED else prefix + node.name
            yield from ((function, name) for part in node.body for name in _list_names(part))
            # defaults are read on import
            yield from ((None, name) for name in _list_names(node.args))
        else:
            yield from ((None, name) for name in _list_names(node))


def _list_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that are read, and attributes with a dot, which a module may have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}"
