"""Limits on the size of a run, before it begins: its memory and its columns."""

from __future__ import annotations

from partita.data import Records
from partita.data.read import parse_bytes
from partita.errors import InputError

__all__ = ["check_memory", "check_width", "estimate"]

BASE_BYTES = 500 << 20
"""Bytes of the program, its libraries and compiled kernels. Measured, and rounded up."""
BYTES_PER_RECORD = 1200
"""Bytes per record for candidate pairs and their scores. Measured, and rounded up."""
BYTES_PER_CELL = 150
"""Bytes per record and column for codes, values and comparisons. Measured, and rounded up."""
MAX_COLUMNS = 500
"""Columns that a run compares at most, since some stages compare every pair of columns. Measured:
500 columns of three records take 4 CPU seconds."""
COPIES_OF_INPUT = 2
"""Copies of the input's text that are in memory at once."""


def estimate(records: Records) -> int:
    """The bytes that a run needs at most."""
    cells = BYTES_PER_CELL * len(records.names)
    return int(
        BASE_BYTES + COPIES_OF_INPUT * records.table.nbytes + records.n * (BYTES_PER_RECORD + cells)
    )


def check_memory(records: Records, limit: int | str | None) -> None:
    """Raise InputError if a run needs more memory than the limit."""
    allowed = parse_bytes(limit)
    needed = estimate(records)
    if allowed is not None and needed > allowed:
        raise InputError(
            f"{records.n:,} records of {len(records.names)} columns need about "
            f"{needed / 1e9:.1f} GB, more than the memory limit of {limit}; raise the limit, "
            "ignore columns, or resolve the file in parts"
        )


def check_width(records: Records) -> None:
    """Raise InputError if records have more columns than a run can compare."""
    if len(records.names) > MAX_COLUMNS:
        raise InputError(
            f"the input has {len(records.names):,} columns to compare, and at most {MAX_COLUMNS} "
            "are possible; keep those that describe the entity, or ignore the others"
        )
