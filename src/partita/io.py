"""Atomic writes and TOML: readers see either the previous file or the complete new file.

Names of temporary files and folders hold the host and the process that made them, so that the next
writer can remove those of killed processes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import secrets
import shutil
import tempfile
import time
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
    "resolve_path",
    "temporary_folder",
    "write_file",
    "write_text",
]

SUFFIX = ".tmp"
"""Ending of temporary files; their names begin with a dot and the name of the target."""
FOLDER = "partita-"
"""Beginning of the names of temporary folders."""
ABANDONED_SECONDS = 86_400.0
"""Seconds after which a temporary file of another host counts as one of a killed process."""


@contextmanager
def atomic_write(*paths: str | os.PathLike[str]) -> Iterator[tuple[Path, ...]]:
    """Yield one temporary path beside each target; replace the targets when the block succeeds.

    A target that exists keeps its mode, and a symbolic link keeps pointing to the new file. On any
    error the targets stay as they are and the temporary files are removed. Files and folders reach
    the disk before the function returns. Temporary files of killed processes are removed.

    >>> with atomic_write("people.csv") as (temporary,):  # doctest: +SKIP
    ...     temporary.write_text("id,name")
    """
    targets = [resolve_path(path) for path in paths]
    for target in targets:
        remove_temporary(target)
    token = f"{_tag_process()}{secrets.token_hex(4)}"
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
        for folder in {target.parent for target in targets}:
            _sync_folder(folder)
    finally:
        for source in temporary:
            with suppress(OSError):
                source.unlink()


def _sync_folder(folder: Path) -> None:
    """Bring the new name of a file to the disk, where the system can."""
    # Windows opens no folder, and some network file systems do not support the call
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_file(path: str | os.PathLike[str], fill: Callable[[Path], object]) -> Path:
    """Write a file through `fill`, which gets the temporary path; raise InputError for OSError."""
    target = resolve_path(path)
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


def resolve_path(path: str | os.PathLike[str]) -> Path:
    """Follow the symbolic links of a path; raise InputError for links that form a loop."""
    try:
        resolved = Path(path).resolve()
        # later versions of Python return the loop itself
        looped = resolved.is_symlink()
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise cannot_write(path, error) from error
        looped = True
    except (RuntimeError, ValueError):
        looped = True
    if looped:
        raise InputError(f"{path} is a link that leads to no file; give another path")
    return resolved


@contextmanager
def temporary_folder(place: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Yield a folder for temporary files, and remove it with those of killed processes."""
    try:
        parent = Path(tempfile.gettempdir() if place is None else place)
    except OSError as error:
        raise InputError(
            "no folder for temporary files can be written; free some room, or set TMPDIR"
        ) from error
    for folder in parent.glob(f"{FOLDER}*"):
        if _is_abandoned(folder, folder.name.removeprefix(FOLDER)):
            shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix=f"{FOLDER}{_tag_process()}", dir=parent, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def remove_temporary(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files of a target whose processes have ended."""
    target = Path(path)
    start = f".{target.name}."
    with suppress(OSError):
        for file in target.parent.iterdir():
            is_temporary = file.name.startswith(start) and file.name.endswith(SUFFIX)
            if is_temporary and _is_abandoned(file, file.name.removeprefix(start)):
                file.unlink(missing_ok=True)


def _tag_process() -> str:
    """Return the beginning of temporary names: hashed host and process."""
    return f"{_hash_host()}-{os.getpid()}-"


def _hash_host() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _is_abandoned(path: Path, token: str) -> bool:
    """Return whether the process that made a temporary file or folder has ended."""
    host, _, rest = token.partition("-")
    process = rest.partition("-")[0]
    # signal 0 tests a process on POSIX systems only
    if os.name != "nt" and host == _hash_host() and process.isdigit():
        return not _is_running(int(process))
    try:
        return time.time() - path.stat().st_mtime > ABANDONED_SECONDS
    except OSError:
        return False


def _is_running(process: int) -> bool:
    """Return whether a process of this host exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def read_toml(path: Path, noun: str, hint: str) -> dict[str, Any]:
    """Read a TOML file; `noun` names it and `hint` is the next step if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{noun} cannot be read ({error.strerror}); {hint}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; save it as UTF-8") from error
    except RecursionError as error:
        raise InputError("its brackets are nested too deeply; write fewer levels") from error
    except ValueError as error:
        # besides errors of TOML: numbers of thousands of digits
        raise InputError(f"this is not TOML: {error}; correct that place") from error
