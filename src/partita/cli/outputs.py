"""Output files of commands: checked before any work, kept unless --force, "-" for a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from partita.cli.shell import mark_written
from partita.errors import InputError
from partita.io import resolve_path, temporary_folder

__all__ = ["TABLES", "check_outputs", "is_stdout", "open_output", "write_outputs"]

TABLES = (".csv", ".parquet", ".jsonl")
"""Endings of tables; `partita.data.write` has the same, and would load the database here."""


def is_stdout(path: Path | None) -> bool:
    """Whether a path names standard output."""
    return path is not None and str(path) in ("-", "/dev/stdout")


def check_outputs(
    outputs: Mapping[str, tuple[Path | None, tuple[str, ...]]],
    inputs: Iterable[str | Path | None],
    *,
    force: bool,
    json: bool = False,
    safe_cells: bool = False,
) -> None:
    """Raise if an output cannot be written or would replace a file.

    Parameters
    ----------
    outputs
        The path of each option, and the file name endings that it accepts.
    force
        Whether existing files may be overwritten; inputs and other outputs never are.
    json
        Whether the command prints JSON on standard output.
    safe_cells
        Whether cells that may be formulas are marked; this needs a CSV output.
    """
    from partita.data.postgres import is_postgres
    from partita.data.write import check_path

    taken = {
        resolve_path(str(path).partition("::")[0]): "an input"
        for path in inputs
        if path is not None and str(path) != "-"
    }
    pipes = [option for option, (path, _) in outputs.items() if is_stdout(path)]
    if len(pipes) > 1 or (pipes and json):
        other = "--json" if json else f"--{pipes[1]}"
        raise InputError(f"--{pipes[0]} and {other} both write to standard output; name a file")
    tables = [path for path, endings in outputs.values() if path and ".csv" in endings]
    if safe_cells and not any(is_stdout(path) or path.suffix == ".csv" for path in tables):
        raise InputError("--safe-cells has no effect without a CSV output; leave --safe-cells out")
    existing = []
    for path, endings in outputs.values():
        if path is None or is_stdout(path):
            continue
        if is_postgres(path):
            raise InputError(
                "this output is a file, no database; `partita export STORE --to` writes to "
                "PostgreSQL"
            )
        target = resolve_path(path)
        if target in taken:
            raise InputError(f"{path} is {taken[target]} already; give another file")
        taken[target] = "another output"
        check_path(path, endings)
        if path.exists() and not path.is_fifo() and not path.is_char_device():
            existing.append(str(path))
    if existing and not force:
        verb, pronoun = ("exist", "them") if len(existing) > 1 else ("exists", "it")
        raise InputError(f"{' and '.join(existing)} {verb}; add --force to overwrite {pronoun}")


@contextmanager
def open_output(path: Path, ending: str = ".csv") -> Iterator[Path]:
    """Yield the path to write; a temporary file whose content then goes to standard output."""
    if not is_stdout(path):
        yield path
        return
    with temporary_folder() as folder:
        copy = folder / f"output{ending}"
        yield copy
        with copy.open("rb") as file:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.flush()


def write_outputs(
    writers: Mapping[str, tuple[Path | None, Callable[[Path], object]]],
    *,
    safe_cells: bool = False,
) -> dict[str, Path]:
    """Write the outputs that have a path, in order; return the path of each by its name."""
    from partita.data.safe_cells import safe_cells as protect_cells

    written = {}
    for name, (path, write) in writers.items():
        if path is not None:
            with (
                open_output(path, ".html" if name == "report" else ".csv") as target,
                protect_cells(safe_cells),
            ):
                write(target)
            written[name] = path
            mark_written([path])
    return written
