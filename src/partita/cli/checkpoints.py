"""The checkpoint of `partita resolve`: a folder beside the output, which one run uses at a time."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partita.cli.outputs import is_stdout
from partita.cli.shell import mark_resumable
from partita.errors import InputError
from partita.io import resolve_path

__all__ = ["keep_checkpoint", "refuse_resume"]

MIN_SECONDS = 60.0
"""Seconds of work from which a stopped run keeps its checkpoint."""


@contextmanager
def keep_checkpoint(out: Path | None, resume: bool) -> Iterator[Path | None]:
    """Yield the folder of the checkpoint, or None where there can be none.

    Success removes the folder. A stopped run keeps it after a minute of work, and a killed one as
    it is. Without `resume`, a checkpoint of an earlier run is removed first.
    """
    if out is None or is_stdout(out):
        if resume:
            raise InputError("--resume needs a checkpoint beside the output; give --out a file")
        yield None
        return
    target = resolve_path(out)
    folder = target.with_name(f".{target.name}.checkpoint")
    handle = _lock(folder)
    if handle is None:
        if resume:
            raise InputError(
                f"the checkpoint {folder} is in use or cannot be written; wait for the other run"
            )
        yield None
        return
    began = time.monotonic()
    try:
        if not resume:
            _clear(folder)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        if time.monotonic() - began < MIN_SECONDS and not resume:
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.exists():
            mark_resumable()
        raise
    finally:
        os.close(handle)


def refuse_resume(resume: bool) -> None:
    """Raise if a run without a checkpoint shall continue."""
    if resume:
        raise InputError("--resume continues runs without a recipe; drop it")


def _lock(folder: Path) -> int | None:
    """Make the folder and lock it for this process; None if another process has it."""
    try:
        import fcntl
    except ImportError:
        # without locks, two runs could use the same folder
        return None
    try:
        folder.mkdir(exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _clear(folder: Path) -> None:
    """Remove the content of a folder."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
