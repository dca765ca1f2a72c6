"""Excel workbooks to Arrow: one sheet, whose first row names the columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from partita.data.header import SAMPLE_ROWS, has_header
from partita.data.sheet_bounds import check_sheets
from partita.data.sources import ZIP, LocalFile, choose_table
from partita.data.table import make_array
from partita.errors import EmptyInputError, InputError

__all__ = ["read_excel"]


def read_excel(file: LocalFile, header: bool | None) -> tuple[list[str] | None, pa.Table]:
    """Read a sheet: its column names, or None where it has no header, and its records."""
    from python_calamine import CalamineError, CalamineWorkbook

    with file.path.open("rb") as stream:
        if stream.read(len(ZIP)) == ZIP:
            check_sheets(file)
    try:
        with CalamineWorkbook.from_path(file.path) as book:
            sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
            filled = [name for name, sheet in sheets.items() if sheet.height]
            if not filled:
                raise EmptyInputError(
                    f"{file.name} is empty; give a sheet with a header and records"
                )
            sheet_name = choose_table(file.name, file.table, filled, "sheet")
            rows = [[_simplify(cell) for cell in row] for row in sheets[sheet_name].to_python()]
    except (CalamineError, OSError) as error:
        raise InputError(f"{file.name} cannot be read: {error}; save it again") from error
    is_named = header
    if is_named is None:
        is_named = has_header(
            [[str(cell or "") for cell in row] for row in rows[: SAMPLE_ROWS + 1]]
        )
    names = [str(cell or "").strip() for cell in rows[0]] if is_named else None
    # rows without a value are gaps of the layout and no records
    body = [row for row in rows[bool(is_named) :] if any(cell is not None for cell in row)]
    if not body:
        raise EmptyInputError(
            f"{file.name}::{sheet_name} has a header and no records; give at least one record"
        )
    arrays = [make_array([row[at] for row in body]) for at in range(len(rows[0]))]
    return names, pa.table(arrays, names=[f"c{at}" for at in range(len(arrays))])


def _simplify(cell: Any) -> Any:
    """Convert a cell: empty text to None, a whole float to an integer."""
    if cell == "":
        return None
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
