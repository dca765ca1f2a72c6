"""How much memory a resolution needs, told before it begins."""

from __future__ import annotations

from partita.data import Records
from partita.data.read import parse_bytes
from partita.errors import InputError

__all__ = ["check_memory", "estimate"]

BASE = 500 << 20
"""The program itself, with its libraries and compiled kernels."""
PER_RECORD, PER_CELL = 1200, 150
"""Bytes for candidates and their scores, and for codes, values and what they are compared by."""
COPIES = 2
"""How often the text of the input is held at once."""


def estimate(records: Records) -> int:
    """The most bytes that a resolution of these records should need; measured, and rounded up."""
    cells = PER_CELL * len(records.names)
    return int(BASE + COPIES * records.table.nbytes + records.n * (PER_RECORD + cells))


def check_memory(records: Records, limit: int | str | None) -> None:
    """Raises if a resolution would need more memory than the limit."""
    allowed = parse_bytes(limit)
    needed = estimate(records)
    if allowed is not None and needed > allowed:
        raise InputError(
            f"{records.n:,} records of {len(records.names)} columns need about "
            f"{needed / 1e9:.1f} GB, more than the memory limit of {limit}; raise the limit, "
            "ignore columns, or resolve the file in parts"
        )
