"""Text as matrices of bytes: one row for each string, one byte for each character, padded with 0.

A byte below 128 is ASCII; bytes from 128 number the letters of `PAGE`, so that an edit of a
character is an edit of one cell. A row of zeros is a missing value.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from partita.synthetic.draws import Ints

__all__ = [
    "LETTERS",
    "LOWER",
    "PAGE",
    "PLAIN",
    "UPPER",
    "Cells",
    "arrow",
    "digits",
    "encode",
    "fit",
    "join_cells",
    "lengths",
    "to_strings",
]

Cells = NDArray[np.uint8]

PAGE = "áàâãäåçčćéèêëěęğíîïłñńňóòôõöøőřśšşúùûüůýžźżıÁÀÂÃÄÅÇČĆÉÈÊËĚĘĞÍÎÏŁÑŃŇÓÒÔÕÖØŐŘŚŠŞÚÙÛÜŮÝŽŹŻİ"
"""Non-ASCII letters; each has two bytes in UTF-8."""

# letters that Unicode does not decompose into a base and an accent
WHOLE = {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i"}
TO_BYTE = {ord(letter): 128 + place for place, letter in enumerate(PAGE)}
LETTERS = {place: chr(place) for place in range(128)} | {
    128 + place: letter for place, letter in enumerate(PAGE)
}
"""The character of every byte."""


def _table(pairs: Iterable[tuple[str, str]]) -> Cells:
    """Translation table of all bytes that maps the first letter of each pair to the second."""
    table = np.arange(256, dtype=np.uint8)
    for before, after in pairs:
        if len(after) == 1 and (after in PAGE or ord(after) < 128):
            table[ord(before.translate(TO_BYTE))] = ord(after.translate(TO_BYTE))
    return table


UPPER = _table((letter, letter.upper()) for letter in LETTERS.values())
LOWER = _table((letter, letter.lower()) for letter in LETTERS.values())
PLAIN = _table(
    (letter, WHOLE.get(letter, unicodedata.normalize("NFD", letter)[0])) for letter in PAGE
)
"""Letters without their accents."""

FIRST, SECOND = (
    np.array([*range(128), *(letter.encode()[k] for letter in PAGE)], np.uint8) for k in (0, 1)
)
"""First and second UTF-8 byte of every cell value; only letters of `PAGE` have a second."""


def encode(words: Sequence[str], width: int = 0) -> Cells:
    """Encode words as cells, `width` wide or as wide as the longest word."""
    coded = [word.translate(TO_BYTE).encode("latin-1") for word in words]
    width = width or max(len(word) for word in coded)
    return np.array(coded, f"S{width}").view(np.uint8).reshape(len(words), width)


def lengths(cells: Cells) -> Ints:
    """The number of characters of each row."""
    return np.count_nonzero(cells, axis=1).astype(np.int64)


def fit(cells: Cells, width: int) -> Cells:
    """Truncate or pad the rows to a width."""
    out = np.zeros((len(cells), width), np.uint8)
    out[:, : cells.shape[1]] = cells[:, :width]
    return out


def join_cells(parts: Sequence[Cells | str], width: int) -> Cells:
    """Concatenate columns row by row; missing parts leave no gap."""
    rows = next(len(part) for part in parts if not isinstance(part, str))
    padded = np.hstack(
        [
            np.broadcast_to(encode([part]), (rows, len(part))) if isinstance(part, str) else part
            for part in parts
        ]
    )
    filled = padded != 0
    count = np.count_nonzero(filled, axis=1)
    out = np.zeros((rows, max(width, int(count.max(initial=0)))), np.uint8)
    # both masks run row by row, and agree on the number of cells in each row
    out[np.arange(out.shape[1]) < count[:, None]] = padded[filled]
    return out[:, :width]


def digits(values: Ints, width: int, padded: bool = True) -> Cells:
    """Whole numbers as text; without padding, leading zeros are empty cells for `join_cells`."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    cells = (values[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    if not padded:
        cells[(values[:, None] < powers) & (powers > 1)] = 0
    return cells


def arrow(cells: Cells) -> pa.StringArray:
    """The rows as Arrow strings in UTF-8, missing where a row is empty."""
    filled = cells != 0
    count = np.count_nonzero(filled, axis=1)
    flat = cells[filled]
    beyond = np.flatnonzero(flat >= 128)
    valid = np.packbits(count > 0, bitorder="little")
    missing = int(np.count_nonzero(count == 0))
    if beyond.size:
        ends = np.cumsum(count)
        count = count + np.bincount(np.searchsorted(ends, beyond, "right"), minlength=count.size)
        second = SECOND[flat[beyond]]
        flat[beyond] = FIRST[flat[beyond]]
        flat = np.insert(flat, beyond + 1, second)
    offsets = np.zeros(count.size + 1, np.int32)
    np.cumsum(count, out=offsets[1:])
    buffers = [pa.py_buffer(part) for part in (valid, offsets, np.ascontiguousarray(flat))]
    return pa.StringArray.from_buffers(
        count.size, buffers[1], buffers[2], buffers[0] if missing else None, missing
    )


def to_strings(cells: Cells) -> list[str]:
    """The rows as Python strings, for small columns."""
    return ["".join(LETTERS[byte] for byte in row if byte) for row in cells.tolist()]
