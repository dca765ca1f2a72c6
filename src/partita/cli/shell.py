"""What all commands share: errors as one sentence, exit codes, warnings, JSON, consoles.

Exit codes: 0 for success; 2 for refused input, with one sentence on standard error; 130 when the
user stops the command. Any other code is a fault of Partita and comes with a traceback.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from partita.errors import PartitaError, PartitaWarning
from partita.progress import watch_compilation

__all__ = [
    "REFUSED",
    "STOPPED",
    "CommandGroup",
    "command_line",
    "console",
    "mark_written",
    "print_json",
    "print_warnings",
    "to_json",
]

REFUSED, STOPPED = 2, 130
WIDTH = 120
"""Characters per line where the output is no terminal."""

_written: list[Path] = []
"""Files that the running command has completed; the message of a stop names them."""
_words: list[str] = []
"""The words of the running command."""


def console(*, stderr: bool = False) -> Console:
    """Make the console for results; a file or a pipe gets a fixed width."""
    screen = Console(highlight=False, stderr=stderr)
    return screen if screen.is_terminal else Console(highlight=False, stderr=stderr, width=WIDTH)


def command_line() -> str:
    """Return the running command as one types it."""
    return shlex.join(("partita", *_words))


def mark_written(paths: Iterable[Path]) -> None:
    """Record files that are complete."""
    _written.extend(paths)


class CommandGroup(TyperGroup):
    """Commands that end with a sentence and an exit code instead of a traceback."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the words of a command and record them."""
        _words[:] = args
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors that a user can act on go to standard error."""
        _written.clear()
        try:
            with watch_compilation(_announce_compilation()), warnings.catch_warnings():
                # commands print the warnings of a result themselves
                warnings.simplefilter("ignore", PartitaWarning)
                return super().invoke(ctx)
        except PartitaError as error:
            code, text = REFUSED, _one_line(error)
        except MemoryError:
            code, text = REFUSED, "memory is exhausted; give fewer records, or add --memory 2GB"
        except BrokenPipeError:
            # the reader of the pipe has gone; the interpreter must not flush the pipe again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            names = ", ".join(str(path) for path in _written)
            code = STOPPED
            text = f"stopped; written: {names}" if names else "stopped; nothing was written"
        typer.echo(text, err=True)
        raise typer.Exit(code)


def _announce_compilation() -> Callable[[bool], None]:
    """Make a watcher that prints one line when the first compilation of a command begins."""
    silent = bool({"-q", "--quiet"} & set(_words))

    def announce(compiling: bool) -> None:
        nonlocal silent
        if not silent:
            silent = True
            typer.echo("compiling (once); later runs load the machine code", err=True)

    return announce


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def print_warnings(texts: Iterable[str], *, verbose: bool = False) -> None:
    """Print warnings on standard error, the gravest first; without `verbose` no details."""
    from partita.linkage.notes import Note, Severity

    screen = console(stderr=True)
    for note in sorted(map(Note.of, texts), key=lambda note: list(Severity).index(note.severity)):
        if verbose or note.severity is not Severity.VERBOSE:
            screen.print(Text(f"warning: {note}", style="yellow"), soft_wrap=True)


def to_json(value: Any) -> Any:
    """Convert a value to what JSON can hold; numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if hasattr(value, "tolist"):
        return to_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    typer.echo(json.dumps(to_json(content), ensure_ascii=False, allow_nan=False))
