"""Files of machine code: one per key, written atomically, each authenticated by the user's own key.

A file holds a pickle, and loading a pickle can run code. A file is therefore loaded only if the
effective user owns folder and file, if no other user can write to either, and if its HMAC matches
the key in the folder, which has mode 0600; `partita.kernel.numba` describes this in full.
"""

from __future__ import annotations

import contextlib
import functools
import hmac
import logging
import os
import secrets
import stat
import time
from pathlib import Path

import platformdirs

from partita.io import SUFFIX, atomic_write

__all__ = ["cache_folder", "file_of", "prune", "read", "write"]

MAX_BYTES = 512 * 2**20
"""Size limit of the folder, in bytes; above it the least recently used files are removed."""
STALE_SECONDS = 3600.0
"""Seconds after which a temporary file is taken to belong to a dead process."""
SECRET = "secret.key"
"""Name of the file with the key of the HMAC."""
SECRET_BYTES = 32
"""Bytes of the key: as many as the SHA-256 of the HMAC has."""
PRIVATE = 0o600
"""Mode of files: only their owner reads and writes them."""
OTHERS_READ, OTHERS_WRITE = 0o044, 0o022
"""Bits of a mode by which the group or all users read and write."""

log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return the cache folder: PARTITA_CACHE_DIR, or the user's cache directory."""
    chosen = os.environ.get("PARTITA_CACHE_DIR")
    return Path(chosen) if chosen else platformdirs.user_cache_path("partita") / "kernels"


def file_of(key: str) -> Path:
    """Return the file of a key."""
    return cache_folder() / f"{key}.kernel"


def _find_fault(status: os.stat_result) -> str | None:
    """Return why other users could have written a file or a folder, or None."""
    if os.name == "nt":
        return None
    if status.st_uid != os.geteuid():
        return f"belongs to user {status.st_uid}"
    if status.st_mode & OTHERS_WRITE:
        return f"has mode {stat.S_IMODE(status.st_mode):04o}"
    return None


@functools.cache
def _warn(place: Path, fault: str) -> None:
    """Log once per process that a folder is not used, because every run then compiles anew."""
    log.warning(
        "machine code is not kept in %s, which %s; "
        "set PARTITA_CACHE_DIR to a folder that only you can write to",
        place,
        fault,
    )


def _is_trusted(place: Path) -> bool:
    """Return whether only the effective user can have written to the folder or replaced it."""
    fault = _find_fault(place.stat()) if place.exists() else None
    for folder in place.resolve().parents if fault is None and os.name != "nt" else ():
        # the owner of a folder above can replace the cache folder at any time
        if folder.exists() and folder.stat().st_uid not in (0, os.geteuid()):
            fault = f"is inside {folder}, which belongs to user {folder.stat().st_uid}"
    if fault is not None:
        _warn(place, fault)
    return fault is None


def _read_own(place: Path) -> bytes:
    """Read a file that only the effective user can have written; raise OSError otherwise."""
    with open(place, "rb", opener=_open_file) as file:
        # the opened file itself is checked: its name may lead to another file at any time
        status = os.fstat(file.fileno())
        fault = None if stat.S_ISREG(status.st_mode) else "is no file"
        fault = fault or _find_fault(status)
        if fault is not None:
            raise PermissionError(f"{place} {fault}")
        return file.read()


def _open_file(path: str, flags: int) -> int:
    # a link is not followed; a pipe does not block
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _write_new(place: Path, data: bytes) -> None:
    """Write a new file that only the effective user can read and write."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _write_own(place: Path, data: bytes) -> None:
    """Replace a file by one that only the effective user can read and write."""
    # an atomic write keeps the mode of an earlier file
    with contextlib.suppress(FileNotFoundError):
        if stat.S_IMODE(place.lstat().st_mode) != PRIVATE:
            place.unlink()
    with atomic_write(place) as (temporary,):
        _write_new(temporary, data)


def _read_secret(place: Path) -> bytes:
    """Return the key that authenticates the files of a folder; empty if there is none."""
    try:
        secret = _read_own(place / SECRET)
        if os.name == "nt" or not (place / SECRET).stat().st_mode & OTHERS_READ:
            return secret if len(secret) == SECRET_BYTES else b""
    except OSError as error:
        log.debug("no key: %s", error)
    return b""


def _create_secret(place: Path) -> bytes:
    """Return the key of a folder without a usable one; all processes get the same key."""
    file = place / SECRET
    own = file.with_name(f".{SECRET}.{secrets.token_hex(8)}{SUFFIX}")
    try:
        _write_new(own, secrets.token_bytes(SECRET_BYTES))
        try:
            # unlike a rename, a link never replaces the key that another process has just created
            os.link(own, file)
        except OSError:
            # an unusable key, or a file system without links; files under a lost key are misses
            if not _read_secret(place):
                own.replace(file)
    finally:
        own.unlink(missing_ok=True)
    return _read_secret(place)


def _authenticate(secret: bytes, key: str, payload: bytes) -> bytes:
    return hmac.digest(secret, key.encode() + payload, "sha256")


def read(key: str) -> bytes | None:
    """Return the stored payload, or None if it is missing, damaged or not trusted."""
    place = file_of(key)
    try:
        secret = _read_secret(place.parent) if _is_trusted(place.parent) else b""
        data = _read_own(place) if secret else b""
    except OSError as error:
        log.debug("no machine code: %s", error)
        return None
    seal, payload = data[:32], data[32:]
    if not secret or not hmac.compare_digest(_authenticate(secret, key, payload), seal):
        log.debug("%s is damaged or not trusted", place)
        return None
    with contextlib.suppress(OSError):
        os.utime(place)
    return payload


def write(key: str, payload: bytes) -> None:
    """Store a payload atomically, so that no reader sees a part of it."""
    place = file_of(key)
    try:
        if not _is_trusted(place.parent):
            return
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = _read_secret(place.parent) or _create_secret(place.parent)
        if not secret:
            return
        _write_own(place, _authenticate(secret, key, payload) + payload)
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
