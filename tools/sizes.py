"""Size table of the package: files, functions, docstrings and return types, by revision.

    python -m tools.sizes [REVISION ...]      default: the working tree

Each row covers `src/partita`. A function's length includes its docstring. Public functions are
those, and methods of public classes, without a leading underscore.
"""

from __future__ import annotations

import argparse
import ast
import io
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Sizes", "main", "measure"]

ROOT = Path(__file__).parents[1]
PACKAGE = "src/partita"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HEADER = (
    "| revision | files / lines | median, max file | median, p90, max function "
    "| public functions with docstring / return type |\n|---|---|---|---|---|"
)


class Sizes(NamedTuple):
    """Sizes of one source tree; lengths in lines, coverage in shares of public functions."""

    files: int
    lines: int
    median_file: int
    max_file: int
    median_function: int
    p90_function: int
    max_function: int
    documented: float
    typed: float


def public_functions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Public functions of a module and public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from public_functions(node)
            elif isinstance(node, ast.FunctionDef):
                yield node


def measure(sources: list[str]) -> Sizes:
    """Sizes of a tree given as the texts of its modules."""
    trees = [ast.parse(source) for source in sources]
    lines = [source.count("\n") for source in sources]
    lengths = sorted(
        node.end_lineno - node.lineno + 1
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and node.end_lineno is not None
    )
    public = [node for tree in trees for node in public_functions(tree)]
    return Sizes(
        files=len(sources),
        lines=sum(lines),
        median_file=int(statistics.median(lines)),
        max_file=max(lines),
        median_function=int(statistics.median(lengths)),
        p90_function=lengths[int(0.9 * (len(lengths) - 1))],
        max_function=lengths[-1],
        documented=sum(ast.get_docstring(node) is not None for node in public) / len(public),
        typed=sum(node.returns is not None for node in public) / len(public),
    )


def read_tree() -> list[str]:
    """Texts of the modules in the working tree."""
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / PACKAGE).rglob("*.py"))]


def read_revision(revision: str) -> list[str]:
    """Texts of the modules at one Git revision."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", revision, PACKAGE]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        names = sorted(name for name in members.getnames() if name.endswith(".py"))
        files = [members.extractfile(name) for name in names]
        return [file.read().decode() for file in files if file is not None]


def format_row(name: str, sizes: Sizes) -> str:
    """One row of the Markdown table."""
    return (
        f"| {name} | {sizes.files} / {sizes.lines:,} | {sizes.median_file}, {sizes.max_file} "
        f"| {sizes.median_function}, {sizes.p90_function}, {sizes.max_function} "
        f"| {sizes.documented:.0%} / {sizes.typed:.0%} |"
    )


def main() -> int:
    """Print the table: one row for each revision, and one for the working tree."""
    parser = argparse.ArgumentParser(description="Print the sizes of the package.")
    parser.add_argument("revisions", nargs="*", help="Git revisions to list above the working tree")
    revisions = parser.parse_args().revisions
    print(HEADER)
    for revision in revisions:
        print(format_row(revision, measure(read_revision(revision))))
    print(format_row("working tree", measure(read_tree())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
