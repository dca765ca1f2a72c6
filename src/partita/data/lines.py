"""Plain text: one record for each line, empty lines included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from partita.data.encoding import decode_file
from partita.data.inputs import is_like_path
from partita.data.layout import Layout
from partita.data.postgres import is_postgres
from partita.data.read import read
from partita.data.sources import open_local
from partita.data.table import Records, list_some, to_text
from partita.errors import EmptyInputError, InputError

__all__ = ["LINE_COLUMN", "LINE_SUFFIXES", "choose_text_column", "read_text_records"]

LINE_COLUMN = "text"
"""The column of lines."""
LINE_SUFFIXES = (".txt", ".text", ".log", ".tagged", "")
"""Endings of files that are read as lines; the empty ending is that of standard input."""


def read_text_records(
    data: Any,
    column: str | None = None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> tuple[Records, str]:
    """Read lines of text, or a table with a column of text; return the records and the column.

    A path with an ending of `LINE_SUFFIXES` and standard input are lines, unless `column` names a
    column of a table. The texts of a list are lines, unless all resemble paths.
    """
    if isinstance(data, str | Path) and column is None and not is_postgres(data):
        with open_local(data) as file:
            if file.table is None and file.suffix in LINE_SUFFIXES:
                layout = Layout.of(encoding=encoding)
                if delimiter is not None:
                    raise InputError(
                        f"delimiter has no effect on the lines of {file.name}; leave it out, or "
                        "name a column (--column, or column=)"
                    )
                return _read_lines(file.path, file.name, data, layout.encoding), LINE_COLUMN
    if _are_lines(data):
        data = pa.array(data, pa.string())
    # ids are not needed, and repeated ids are no reason to refuse a column of text
    records = read(data, id=False, encoding=encoding, delimiter=delimiter)
    return records, choose_text_column(records, column)


def _are_lines(data: Any) -> bool:
    """Whether data is a list of texts of which at least one does not resemble a path."""
    texts = [text for text in data if text is not None] if isinstance(data, list | tuple) else []
    is_text = bool(texts) and all(isinstance(text, str) for text in texts)
    return is_text and not all(is_like_path(text) for text in texts)


def _read_lines(path: Path, name: str, data: Any, encoding: str | None) -> Records:
    content, notes = decode_file(path, name, encoding)
    lines = content.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not any(line.strip() for line in lines):
        raise EmptyInputError(f"{name} has no text; give at least one line")
    table = pa.table({LINE_COLUMN: pa.array(lines, pa.string())})
    ids = pa.array(range(1, len(lines) + 1), pa.int64())
    return Records(table, (LINE_COLUMN,), ids, input_type="path", input=data, notes=notes)


def choose_text_column(records: Records, column: str | None) -> str:
    """Return the named column, or the one with the longest values; missing values are empty."""
    names = records.names
    if column is not None and column not in names:
        raise InputError(
            f"there is no column {column!r} to extract from; there are {list_some(names)}"
        )
    if not names:
        raise InputError("the input has no column to extract from; give a column of text")
    if column is not None:
        return column
    lengths = {name: pc.utf8_length(to_text(records.table.column(name))) for name in names}
    return max(names, key=lambda name: pc.sum(lengths[name]).as_py() or 0)
