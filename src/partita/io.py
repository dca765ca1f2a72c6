"""Atomic writes and TOML: readers see either the previous file or the complete new file."""

from __future__ import annotations

import os
import secrets
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from partita.errors import InputError

__all__ = [
    "SUFFIX",
    "atomic_write",
    "cannot_write",
    "read_toml",
    "remove_temporary",
    "write_file",
    "write_text",
]

SUFFIX = ".tmp"
"""Ending of temporary files; their names begin with a dot and the name of the target."""


@contextmanager
def atomic_write(*paths: str | os.PathLike[str]) -> Iterator[tuple[Path, ...]]:
    """Yield one temporary path beside each target; replace the targets when the block succeeds.

    A target that exists keeps its mode, and a symbolic link keeps pointing to the new file. On any
    error the targets stay as they are and the temporary files are removed.

    >>> with atomic_write("people.csv") as (temporary,):  # doctest: +SKIP
    ...     temporary.write_text("id,name")
    """
    targets = [Path(path).resolve() for path in paths]
    token = secrets.token_hex(4)
    temporary = tuple(path.with_name(f".{path.name}.{token}{SUFFIX}") for path in targets)
    try:
        yield temporary
        for source, target in zip(temporary, targets, strict=True):
            with source.open("rb+") as file:
                os.fsync(file.fileno())
            if target.exists():
                source.chmod(target.stat().st_mode & 0o777)
        for source, target in zip(temporary, targets, strict=True):
            source.replace(target)
    finally:
        for source in temporary:
            with suppress(OSError):
                source.unlink()


def write_file(path: str | os.PathLike[str], fill: Callable[[Path], object]) -> Path:
    """Write a file through `fill`, which gets the temporary path; raise InputError for OSError."""
    target = Path(path).resolve()
    try:
        with atomic_write(target) as (temporary,):
            fill(temporary)
    except OSError as error:
        raise cannot_write(target, error) from error
    return target


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file in UTF-8 and return its path; raise InputError for OSError."""
    return write_file(path, lambda temporary: temporary.write_text(text, "utf-8"))


def cannot_write(path: object, error: Exception) -> InputError:
    """Build the InputError for a file that cannot be written, with the first line of the cause."""
    reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return InputError(
        f"{path} could not be written ({reason}); free some room or choose another folder"
    )


def remove_temporary(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files that killed writers of a target left behind."""
    target = Path(path)
    for file in target.parent.iterdir():
        if file.name.startswith(f".{target.name}.") and file.suffix == SUFFIX:
            file.unlink(missing_ok=True)


def read_toml(path: Path, what: str, hint: str) -> dict[str, Any]:
    """Read a TOML file; `what` names it and `hint` is the next step if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{what} cannot be read ({error.strerror}); {hint}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is not TOML: {error}; correct that place") from error
