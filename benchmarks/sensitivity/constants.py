"""Tuned numbers of the application half: their discovery, their variants and an overlay tree.

A tuned number is an upper-case numeric constant of a module whose docstring has an `Origin:` mark.
"""

from __future__ import annotations

import ast
import contextlib
import fnmatch
import importlib
import itertools
import math
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import partita

__all__ = [
    "CHANGES",
    "PACKAGE",
    "Constant",
    "change",
    "copy_package",
    "find_constants",
    "overlay",
    "reason_excluded",
]

PACKAGE = Path(partita.__file__).parent
STAGES = ("data", "blocking", "comparison", "linkage")
"""Packages that are searched for tuned numbers."""
MARK = "Origin:"
"""Part of a docstring by which a number counts as tuned."""
CHANGES = {"-30 %": 0.7, "+30 %": 1.3}
"""Factors of the variants by label."""
DIGITS = 12
"""Significant digits of a variant, so that 0.7 * 3.0 is 2.1."""

EXCLUDED = {
    "linkage.supervision.*": "needs labels, which zero configuration does not have",
    "linkage.entity.full_posterior.*": "needs the setting posterior='full'",
    "linkage.entity.conditional_u.*": "needs the setting posterior='full'",
    "linkage.output.golden.*": "golden records have no F1",
    "linkage.readings.trust.*": "decides the range and warnings, which the panel measures",
    "linkage.readings.relatives.*": "decides the range and warnings, which the panel measures",
    "linkage.routing.MANY": "a number of records above the subsamples",
    "blocking.nearest.SAMPLE_ABOVE": "a number of records above the subsamples",
    "blocking.nearest.COMMON_SHARE": "used above a thousand records alone",
    "blocking.nearest.NEAR_COSINE": "used above SAMPLE_ABOVE records alone",
    "blocking.nearest.MIN_NEAR_PAIRS": "used above SAMPLE_ABOVE records alone",
    "blocking.nearest.MAX_MISSED": "used above SAMPLE_ABOVE records alone",
}
"""Tuned numbers that subsamples with zero configuration cannot measure, and the reason."""

Value = int | float | tuple[Any, ...] | dict[str, Any]


@dataclass(frozen=True)
class Constant:
    """One tuned number, or a tuple or dictionary of numbers that vary together."""

    module: str
    """Module name within the package."""
    name: str
    value: Value

    @property
    def key(self) -> str:
        """Module and name."""
        return f"{self.module}.{self.name}"


def find_constants() -> list[Constant]:
    """Find the tuned numbers of all stages, in the order of files and lines."""
    constants = []
    for path in sorted(path for stage in STAGES for path in (PACKAGE / stage).rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        names = [name for name, _ in _marked(path.read_text())]
        # the value of an expression such as 1 << 18 is known after import
        held = vars(importlib.import_module(f"partita.{module}")) if names else {}
        constants += [
            Constant(module, name, held[name]) for name in names if _is_numeric(held[name])
        ]
    return constants


def reason_excluded(constant: Constant) -> str | None:
    """Return why a tuned number is not measured, or None."""
    reasons = (why for pattern, why in EXCLUDED.items() if fnmatch.fnmatch(constant.key, pattern))
    return next(reasons, None)


def change(value: Value, factor: float) -> Value:
    """Return a value that is changed by a factor of about 1.

    Integers are rounded and change by at least 1. A fraction between 0 and 1 stays between them:
    above one half, its distance from 1 changes instead. Numbers of one container change together.

    >>> change(10, 0.7), change(1, 1.3), change(-6.0, 1.3), change((0.2, 0.9), 1.3)
    (7, 2, -7.8, (0.26, 0.93))
    """
    if isinstance(value, tuple):
        return tuple(change(part, factor) for part in value)
    if isinstance(value, dict):
        return {name: change(part, factor) for name, part in value.items()}
    if isinstance(value, int):
        rounded = round(value * factor)
        step = int(math.copysign(1, value)) * (1 if factor > 1 else -1)
        return rounded if rounded != value else value + step
    if 0.5 < value < 1:
        return _shorten(1 - (1 - value) * (2 - factor))
    return _shorten(value * factor)


def copy_package(source: Path, target: Path) -> Path:
    """Copy the package from one folder to another; returns the copy."""
    # copies of compiled modules stay valid, because the times of files are copied too
    return Path(shutil.copytree(source / PACKAGE.name, target / PACKAGE.name))


@contextlib.contextmanager
def overlay(source: Path, constant: Constant, value: Value) -> Iterator[Path]:
    """Yield a folder with a copy of the package of `source`, with another value of one constant.

    A copy changes the constant for every importing module and every compiled kernel. The cache of
    machine code is keyed by the values that a kernel captures, so other kernels are not compiled.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = copy_package(source, Path(folder)).joinpath(*constant.module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.write_text(_rewrite(path.read_text(), constant.name, value))
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        yield Path(folder)


def _marked(source: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield name and expression of the upper-case assignments with a marked docstring."""
    body = ast.parse(source).body
    for node, after in itertools.pairwise(body):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        text = after.value if isinstance(after, ast.Expr) else None
        is_marked = isinstance(text, ast.Constant) and MARK in str(text.value)
        if is_marked and isinstance(target, ast.Name) and target.id.isupper():
            yield target.id, node.value


def _rewrite(source: str, name: str, value: Value) -> str:
    """Replace the expression of a marked constant by a value."""
    node = dict(_marked(source))[name]
    lines = source.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    lines[first : last + 1] = [head + repr(value).encode() + tail]
    return b"".join(lines).decode()


def _is_numeric(value: Any) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return bool(value) and all(_is_numeric(part) for part in value)
    return type(value) in (int, float) and math.isfinite(value)


def _shorten(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
