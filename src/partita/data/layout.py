"""What a user states about files of text: header, encoding and delimiter."""

from __future__ import annotations

from typing import NamedTuple

from partita.data.encoding import check_encoding
from partita.errors import InputError

__all__ = ["BY_CONTENT", "Layout"]

DELIMITER_NAMES = {"tab": "\t", r"\t": "\t", "space": " ", r"\x01": "\x01", r"\x1f": "\x1f"}
"""Delimiters that are hard to type."""


class Layout(NamedTuple):
    """The layout of files of text; None is found by the content."""

    header: bool | None = None
    """Whether the first row of a CSV or Excel file names the columns."""
    encoding: str | None = None
    delimiter: str | None = None

    @classmethod
    def of(
        cls, header: bool | None = None, encoding: str | None = None, delimiter: str | None = None
    ) -> Layout:
        """Check and complete what a user states."""
        mark = DELIMITER_NAMES.get(delimiter or "", delimiter)
        if mark is not None and (
            len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in "\"'\\\r\n\0"
        ):
            raise InputError(
                f"delimiter is {delimiter!r}; give one ASCII character that is no letter, digit "
                "or quotation mark, or tab, space or \\x01"
            )
        return cls(header, None if encoding is None else check_encoding(encoding), mark)

    def check_use(self, formats: frozenset[str]) -> None:
        """Raise an InputError for a statement that concerns none of the formats of the input."""
        uses = {
            "header": (self.header, {"csv", "excel"}, "CSV or Excel file"),
            "encoding": (self.encoding, {"csv", "json", "bibtex"}, "file of text"),
            "delimiter": (self.delimiter, {"csv"}, "CSV file"),
        }
        for name, (value, own, noun) in uses.items():
            if value is not None and not formats & own:
                raise InputError(
                    f"{name} has no effect on an input without a {noun}; leave --{name} "
                    f"({name}=) out"
                )


BY_CONTENT = Layout()
"""Nothing is stated."""
