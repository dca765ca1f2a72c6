"""What all commands share: errors as one sentence, exit codes, JSON, and where text goes.

Exit codes: 0 done; 2 refused, with one sentence on standard error; 130 stopped by the user. Any
other code is a fault of Partita itself, and comes with a traceback.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from partita.errors import InputError, PartitaError

__all__ = [
    "REFUSED",
    "STOPPED",
    "Guarded",
    "console",
    "plain",
    "refuse_overwriting",
    "say_json",
    "wrote",
]

REFUSED, STOPPED = 2, 130
WIDTH = 120

_written: list[Path] = []
"""Files that the running command has finished, so that a stop can say so."""


def console() -> Console:
    """Where results are shown; a file or a pipe gets more room than a terminal may have."""
    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=WIDTH)


def wrote(paths: Iterable[Path]) -> None:
    """Remember files that are complete."""
    _written.extend(paths)


class Guarded(TyperGroup):
    """Commands that end in a sentence and an exit code, and not in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what a user can act on goes to standard error."""
        _written.clear()
        try:
            return super().invoke(ctx)
        except PartitaError as error:
            code, text = REFUSED, _one_line(error)
        except MemoryError:
            code, text = REFUSED, "there is not enough memory; give fewer records, or --memory 2GB"
        except BrokenPipeError:
            # whoever read the output has enough; the interpreter must not flush it once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            told = ", ".join(str(one) for one in _written)
            code, text = (
                STOPPED,
                f"stopped; {f'written: {told}' if told else 'nothing was written'}",
            )
        typer.echo(text, err=True)
        raise typer.Exit(code)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def plain(value: Any) -> Any:
    """A value as JSON knows it; numbers that are none become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def say_json(content: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(plain(content), ensure_ascii=False, allow_nan=False))


def refuse_overwriting(outputs: Iterable[Path | None], inputs: Iterable[str | Path]) -> None:
    """Raises where an output would replace an input or another output."""
    taken = {Path(str(one).partition("::")[0]).resolve(): "an input" for one in inputs}
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in taken:
            raise InputError(f"{path} is {taken[path.resolve()]} already; give another file")
        taken[path.resolve()] = "another output"
