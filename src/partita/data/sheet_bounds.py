"""The extent of the sheets of a workbook, read before a library allocates every cell of it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from xml.parsers import expat

from partita.data.sources import LocalFile, check_expansion
from partita.errors import InputError

__all__ = ["check_sheets"]

MAX_CELLS = 1 << 26
"""Cells between the first and the last one with a value; the library takes 32 bytes for each."""
CHUNK_BYTES = 1 << 20
"""Bytes of a part that are parsed at a time."""
MEDIA = ("xl/media/", "xl/embeddings/", "xl/vbaProject")
"""Parts that no reader opens."""
REFERENCE = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")


def check_sheets(file: LocalFile) -> None:
    """Raise an InputError if a sheet of an .xlsx file spans more cells than memory may hold."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            parts = [part for part in archive.infolist() if not part.filename.startswith(MEDIA)]
            check_expansion(file.name, sum(part.file_size for part in parts), file.path)
            for part in parts:
                if part.filename.endswith(".xml"):
                    with archive.open(part) as stream:
                        sheet = _Sheet(file.name)
                        while block := stream.read(CHUNK_BYTES):
                            sheet.parser.Parse(block)
                        sheet.check_extent()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(f"{file.name} cannot be unpacked: {error}; save it again") from error
    except expat.ExpatError as error:
        raise InputError(f"{file.name} holds broken XML: {error}; save it again") from error


class _Sheet:
    """The first and last row and column of the cells with a value, as the XML is parsed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.row = self.column = -1
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EntityDeclHandler = self._refuse_entity

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Follow the position of rows and cells; `v` and `is` hold the value of a cell."""
        element = tag.rpartition(":")[2]
        if element == "row":
            number = attributes.get("r", "")
            self.row = int(number) - 1 if number.isdecimal() else self.row + 1
            self.column = -1
        elif element == "c":
            self.column += 1
            place = REFERENCE.fullmatch(attributes.get("r", ""))
            if place is not None:
                self.row, self.column = int(place[2]) - 1, _to_column(place[1])
        elif element in ("v", "is"):
            self._extend()

    def _extend(self) -> None:
        """Extend the bounds to the present cell."""
        if not self.rows:
            self.rows, self.columns = [self.row, self.row], [self.column, self.column]
        if self.row < self.rows[1]:
            raise InputError(
                f"row {self.row + 1} of a sheet of {self.name} follows row {self.rows[1] + 1}; "
                "save it again"
            )
        self.rows[1] = self.row
        self.columns = [min(self.columns[0], self.column), max(self.columns[1], self.column)]

    def check_extent(self) -> None:
        """Raise an InputError if the bounds enclose too many cells."""
        if not self.rows:
            return
        height, width = (last - first + 1 for first, last in (self.rows, self.columns))
        if height * width > MAX_CELLS:
            raise InputError(
                f"a sheet of {self.name} spans {height:,} rows and {width:,} columns, more than "
                f"{MAX_CELLS:,} cells; delete stray cells in its last row and column, or save the "
                "sheet as CSV"
            )

    def _refuse_entity(self, *parts: object) -> None:
        raise InputError(f"{self.name} declares XML entities; save it again")


def _to_column(letters: str) -> int:
    """Convert the letters of a column to its number, from 0."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1
