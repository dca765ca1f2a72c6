"""Files of machine code: one per key, written atomically, with a digest.

The digest detects damage, not forgery. A folder that all users can write to is not used, because
loading a file can run code; `partita.kernel.numba` describes this in full.
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

__all__ = ["cache_folder", "file_of", "prune", "read", "write"]

MAX_BYTES = 512 * 2**20
"""Size limit of the folder, in bytes; above it the least recently used files are removed."""
STALE_SECONDS = 3600.0
"""Seconds after which a temporary file is taken to belong to a dead process."""

log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return the cache folder: PARTITA_CACHE_DIR, or the user's cache directory."""
    chosen = os.environ.get("PARTITA_CACHE_DIR")
    return Path(chosen) if chosen else platformdirs.user_cache_path("partita") / "kernels"


def file_of(key: str) -> Path:
    """Return the file of a key."""
    return cache_folder() / f"{key}.kernel"


def _is_trusted(place: Path) -> bool:
    # a user who can write to this folder can run code in this process
    return os.name == "nt" or not place.stat().st_mode & 0o002


def read(key: str) -> bytes | None:
    """Return the stored payload, or None if it is missing, damaged or not trusted."""
    place = file_of(key)
    try:
        data = place.read_bytes() if _is_trusted(place.parent) else b""
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
    """Store a payload atomically, so that no reader sees a part of it."""
    place = file_of(key)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_trusted(place.parent):
            log.debug("%s can be written by others and is not used", place.parent)
            return
        with atomic_write(place) as (temporary,):
            temporary.write_bytes(hashlib.sha256(key.encode() + payload).digest() + payload)
        prune(place.parent)
    except OSError as error:
        log.debug("cannot store machine code: %s", error)


def prune(place: Path) -> None:
    """Remove files of dead processes and, above the limit, the least recently used files."""
    files, now = [], time.time()
    for path in place.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            if path.suffix == ".kernel":
                files.append((status.st_mtime, status.st_size, path))
            elif path.suffix == SUFFIX and now - status.st_mtime > STALE_SECONDS:
                path.unlink()
    total = sum(size for _, size, _ in files)
    if total <= MAX_BYTES:
        return
    for _, size, path in sorted(files):
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
        if total <= MAX_BYTES * 3 // 4:
            return
