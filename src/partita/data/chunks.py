"""The bytes of a file, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["CHUNK_BYTES", "SAMPLE_BYTES", "read_chunks"]

CHUNK_BYTES = 1 << 22
"""Bytes that are read at a time."""
SAMPLE_BYTES = 1 << 18
"""Bytes at the beginning of a file from which its format is chosen."""


def read_chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file in chunks."""
    with path.open("rb") as file:
        while block := file.read(size):
            yield block
