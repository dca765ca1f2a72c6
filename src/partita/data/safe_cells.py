"""Cells that a spreadsheet would run as formulas, made text on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["mark_formulas", "protect", "safe_cells"]

FORMULA = r"^[=+\-@\t\r]"
"""Beginnings of formulas. Origin: OWASP, CSV Injection."""
_requested: ContextVar[bool] = ContextVar("safe_cells", default=False)


@contextmanager
def safe_cells(requested: bool = True) -> Iterator[None]:
    """Write CSV files within this block with an apostrophe before cells that may be formulas."""
    token = _requested.set(requested)
    try:
        yield
    finally:
        _requested.reset(token)


def protect(table: pa.Table) -> pa.Table:
    """Mark the formulas of a table to write, if the caller requested safe cells."""
    return mark_formulas(table) if _requested.get() else table


def mark_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before texts and column names that a spreadsheet would run as formulas.

    >>> mark_formulas(pa.table({"n": ["=1+1", "Ann", None], "x": [-1, 2, 3]})).to_pydict()
    {'n': ["'=1+1", 'Ann', None], 'x': [-1, 2, 3]}
    """
    columns = [_mark(column) for column in table.columns]
    names = [f"'{name}" if name[:1] in tuple("=+-@\t\r") else name for name in table.column_names]
    return pa.table(columns, names=names)


def _mark(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Mark the formulas of a column of text; other columns stay."""
    type = column.type
    if pa.types.is_dictionary(type):
        column, type = column.cast(type.value_type), type.value_type
    if not (pa.types.is_string(type) or pa.types.is_large_string(type)):
        return column
    text = column.cast(pa.string())
    marked = pc.binary_join_element_wise("'", text, "")
    return pc.if_else(pc.match_substring_regex(text, FORMULA), marked, text)
