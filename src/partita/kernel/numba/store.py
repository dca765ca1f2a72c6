"""Files of machine code: each key has one of its own, written in one step and sealed.

Whoever can write them can run code, so that a folder that others can write to is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from pathlib import Path

import platformdirs

from partita.io import SUFFIX, atomic_write

__all__ = ["folder", "place_of", "prune", "read", "write"]

LIMIT = 512 * 2**20
"""Bytes the folder may hold before the files that were not used for longest go."""
FORGOTTEN = 3600.0
"""Seconds after which a half-written file belongs to a process that died."""

log = logging.getLogger(__name__)


def folder() -> Path:
    """Where machine code is kept: PARTITA_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("PARTITA_CACHE_DIR")
    return Path(chosen) if chosen else platformdirs.user_cache_path("partita") / "kernels"


def place_of(key: str) -> Path:
    """The file of a key."""
    return folder() / f"{key}.kernel"


def _trusted(place: Path) -> bool:
    # whoever can write here can run code here
    return os.name == "nt" or not place.stat().st_mode & 0o002


def read(key: str) -> bytes | None:
    """The stored payload, or None if there is none that is whole."""
    place = place_of(key)
    try:
        data = place.read_bytes() if _trusted(place.parent) else b""
    except OSError:
        return None
    seal, payload = data[:32], data[32:]
    if hashlib.sha256(key.encode() + payload).digest() != seal:
        log.debug("%s is damaged or not trusted", place)
        return None
    with contextlib.suppress(OSError):
        os.utime(place)
    return payload


def write(key: str, payload: bytes) -> None:
    """Store a payload in one step, so that no reader ever sees half of it."""
    place = place_of(key)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _trusted(place.parent):
            log.debug("%s can be written by others and is not used", place.parent)
            return
        with atomic_write(place) as (temporary,):
            temporary.write_bytes(hashlib.sha256(key.encode() + payload).digest() + payload)
        prune(place.parent)
    except OSError as error:
        log.debug("cannot store machine code: %s", error)


def prune(place: Path) -> None:
    """Remove what dead processes left and, above the limit, what was not used for longest."""
    files, now = [], time.time()
    for path in place.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            if path.suffix == ".kernel":
                files.append((status.st_mtime, status.st_size, path))
            elif path.suffix == SUFFIX and now - status.st_mtime > FORGOTTEN:
                path.unlink()
    total = sum(size for _, size, _ in files)
    if total <= LIMIT:
        return
    for _, size, path in sorted(files):
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
        if total <= LIMIT * 3 // 4:
            return
