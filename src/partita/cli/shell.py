"""Shared parts of all commands: errors as one sentence, exit codes, warnings, JSON, consoles.

Exit codes: 0 for success; 2 for refused input, with one sentence on standard error; 130 when the
user stops the command, 143 or 129 when a signal ends it. Any other code is a fault of Partita and
comes with a traceback. Control characters of data are printed in a visible form, so that a file
cannot send escape sequences to the terminal.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from partita.cli.signals import REFUSED, exit_code, is_stopped, reset, stop_sentence
from partita.errors import PartitaError, PartitaWarning, shorten
from partita.progress import watch_compilation

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "CONTROLS",
    "REFUSED",
    "CommandGroup",
    "command_line",
    "console",
    "escape_controls",
    "mark_resumable",
    "mark_written",
    "print_json",
    "print_warnings",
    "to_json",
]

WIDTH = 120
"""Characters per line where the output is no terminal."""
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal may obey: C0 except tab and line feed, DEL, C1, and directions."""

USAGE_ERROR: type[Any] = typer.BadParameter.__mro__[1]
"""The class of all errors of words on the command line; newer versions of Typer hide its module."""
EXHAUSTED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOMEM, errno.EMFILE)
"""Errors of a system without room, memory or open files left."""

_written: list[Path] = []
"""Files that the running command has completed; the message of a stop names them."""
_resumable: list[bool] = []
"""Filled if `--resume` can continue the running command."""
_words: list[str] = []
"""The words of the running command."""


def escape_controls(text: str) -> str:
    r"""Write control characters in a visible form, such as \x1b.

    >>> escape_controls("a" + chr(27) + "[2J")
    'a\\x1b[2J'
    """
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def mark_resumable() -> None:
    """Record that `--resume` can continue the running command."""
    _resumable.append(True)


def console(*, stderr: bool = False) -> Console:
    """Make the console for results; a file or a pipe gets a fixed width."""
    # help pages need no rich
    from partita.cli.safe_console import SafeConsole

    screen = SafeConsole(highlight=False, stderr=stderr)
    if screen.is_terminal:
        return screen
    return SafeConsole(highlight=False, stderr=stderr, width=WIDTH)


def command_line() -> str:
    """Return the running command as one types it, without passwords of databases."""
    from partita.data.postgres import hide_password

    return shlex.join(("partita", *map(hide_password, _words)))


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
        try:
            return super().make_context(info_name, args, parent, **extra)
        except USAGE_ERROR as error:
            if not _words:
                # the error is the help page
                raise
            raise _refuse_usage(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors that a user can act on go to standard error."""
        _written.clear()
        _resumable.clear()
        reset()
        try:
            with watch_compilation(_announce_compilation()), warnings.catch_warnings():
                # commands print the warnings of a result themselves
                warnings.simplefilter("ignore", PartitaWarning)
                return super().invoke(ctx)
        except USAGE_ERROR as error:
            raise _refuse_usage(error) from None
        except PartitaError as error:
            stopped = is_stopped()
            code, text = (exit_code(), _describe_stop()) if stopped else (REFUSED, str(error))
        except BrokenPipeError:
            # the reader of the pipe has gone; the interpreter must not flush the pipe again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except MemoryError:
            code, text = REFUSED, "memory is exhausted; give fewer records, or add --memory 2GB"
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            code, text = REFUSED, f"{error.strerror}: {error.filename or 'a file'}; make room"
        except KeyboardInterrupt:
            code, text = exit_code(), _describe_stop()
        except Exception:
            # a library may turn the exception of a signal into one of its own
            if not is_stopped():
                raise
            code, text = exit_code(), _describe_stop()
        typer.echo(_one_line(text), err=True)
        raise typer.Exit(code)


def _refuse_usage(error: Any) -> typer.Exit:
    """Print a wrong word of the command line as one sentence."""
    command = error.ctx.command_path if error.ctx is not None else "partita"
    text = str(error.format_message()).strip().rstrip(".")
    typer.echo(
        _one_line(shorten(f"{text[:1].lower()}{text[1:]}; `{command} --help` lists the options")),
        err=True,
    )
    return typer.Exit(REFUSED)


def _describe_stop() -> str:
    hint = "; add --resume to continue" if _resumable else ""
    return stop_sentence(", ".join(str(path) for path in _written)) + hint


def _announce_compilation() -> Callable[[bool], None]:
    """Make a watcher that prints one line when the first compilation of a command begins."""
    silent = bool({"-q", "--quiet"} & set(_words))

    def announce(compiling: bool) -> None:
        nonlocal silent
        if not silent:
            silent = True
            typer.echo("compiling (once); later runs load the machine code", err=True)

    return announce


def _one_line(text: str) -> str:
    return escape_controls(" ".join(text.split()))


def print_warnings(texts: Iterable[str], *, verbose: bool = False) -> None:
    """Print warnings on standard error, the gravest first; without `verbose` no details."""
    from rich.text import Text

    from partita.linkage.notes import Note, Severity

    screen = console(stderr=True)
    for note in sorted(map(Note.of, texts), key=lambda note: list(Severity).index(note.severity)):
        if verbose or note.severity is not Severity.VERBOSE:
            screen.print(Text(f"warning: {note}", style="yellow"), soft_wrap=True)


def to_json(value: Any) -> Any:
    """Convert a value to a type of JSON; numbers that are not finite become null."""
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
    text = json.dumps(to_json(content), ensure_ascii=False, allow_nan=False)
    # JSON itself escapes C0 only
    typer.echo(CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text))
