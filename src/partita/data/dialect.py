"""CSV files before they are parsed: encoding, dialect and an exact count of their rows.

A database that guesses a dialect may skip the rows that do not fit it. Here an automaton reads all
bytes first: it chooses the delimiter, names the line that breaks the rules and counts the rows, so
that the number of parsed records can be checked.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.data.chunks import SAMPLE_BYTES, read_chunks
from partita.data.encoding import refuse_utf7
from partita.errors import InputError
from partita.kernel import Ints, entry, kernel

__all__ = [
    "Dialect",
    "Scan",
    "scan_text",
    "split_rows",
    "walk_bytes",
]

DELIMITERS = ",;\t|"
RARE_DELIMITERS = "^~\x01\x1f"
"""Delimiters of rows that have a single column otherwise."""
MIN_ROWS = 3
"""Rows, a header included, from which equal numbers of words are evidence of fields."""
QUOTES = (('"', '"'), ('"', "\\"), ("'", "'"))
"""Pairs of quotation mark and escape character."""

LINE_ENDS = re.compile(b"(\r\n|\r|\n)")

START, PLAIN, SPACE, QUOTED, CLOSED, ESCAPED = range(6)
"""States of the scanner within a field."""
MODE, LINE, RECORDS, FIELDS, WIDTH, ODD_LINE, ODD_FIELDS, OPENED, BROKEN, BEGAN = range(10)
LENGTH, LONGEST, AFTER_CR, LF, CRLF, LEADING, AGREE, ENCLOSED, CR, SLOTS = range(10, 20)
"""Slots of the scanner's tally."""


class Dialect(NamedTuple):
    """The delimiter, quotation mark and escape character of a CSV file."""

    delimiter: str
    quote: str
    escape: str


class Scan(NamedTuple):
    """The properties of a CSV file that are known before it is parsed."""

    dialect: Dialect
    rows: int
    """Rows, a header included."""
    width: int
    """Fields of a row."""
    leading: int
    """Blank lines before the first row."""
    longest: int
    """Bytes of the longest row."""
    mixed: bool
    """Whether lines end in different ways."""


@kernel
def end_record(tally: Ints) -> int:
    """End the row at the end of a line; blank lines are rows of one-column files only."""
    blank = tally[LENGTH] <= 1 and tally[FIELDS] == 0 and tally[MODE] == START
    tally[LONGEST] = max(tally[LONGEST], tally[LENGTH])
    if blank and tally[WIDTH] == 0:
        tally[LEADING] += 1
    elif not blank or tally[WIDTH] == 1:
        fields = tally[FIELDS] + 1
        if tally[WIDTH] == 0:
            tally[WIDTH] = fields
        tally[RECORDS] += 1
        if fields == tally[WIDTH]:
            tally[AGREE] += 1
        elif tally[ODD_LINE] == 0:
            tally[ODD_LINE] = tally[BEGAN]
            tally[ODD_FIELDS] = fields
    tally[LINE] += 1
    tally[BEGAN] = tally[LINE]
    tally[MODE] = START
    tally[FIELDS] = 0
    tally[LENGTH] = 0
    return tally[RECORDS]


@entry
def close_last(tally: Ints) -> int:
    """End the last row of a file whose last line has no line end."""
    if tally[LENGTH] > 0:
        tally[LENGTH] += 1
        end_record(tally)
    return tally[RECORDS]


@entry
def walk_bytes(data: NDArray[np.uint8], size: int, marks: Ints, tally: Ints) -> int:
    """Advance the automaton over some bytes; marks are delimiter, quote and escape."""
    delimiter, quote, escape = marks[0], marks[1], marks[2]
    for at in range(size):
        byte = np.int64(data[at])
        mode = tally[MODE]
        if tally[AFTER_CR] == 1:
            tally[AFTER_CR] = 0
            if byte == 10:
                tally[CRLF] += 1
                tally[CR] -= 1
                continue
        if byte == 10 and mode in (QUOTED, ESCAPED):
            tally[LINE] += 1
        tally[LENGTH] += 1
        if mode == QUOTED:
            if byte == escape and escape != quote:
                tally[MODE] = ESCAPED
            elif byte == quote:
                tally[MODE] = CLOSED
        elif mode == ESCAPED:
            tally[MODE] = QUOTED
        elif byte == delimiter:
            tally[FIELDS] += 1
            tally[MODE] = START
        elif byte == 10 or byte == 13:
            if byte == 13:
                tally[AFTER_CR] = 1
                tally[CR] += 1
            else:
                tally[LF] += 1
            end_record(tally)
        elif mode == CLOSED:
            if byte == quote and escape == quote:
                tally[MODE] = QUOTED
            elif byte != 32 and tally[BROKEN] == 0:
                tally[BROKEN] = tally[LINE]
        elif byte == quote and mode != PLAIN:
            tally[MODE] = QUOTED
            tally[OPENED] = tally[LINE]
            tally[ENCLOSED] += 1
        elif byte == 32 and mode != PLAIN:
            tally[MODE] = SPACE
        else:
            tally[MODE] = PLAIN
    return tally[RECORDS]


def _new_tally() -> Ints:
    """A tally before the first byte."""
    tally = np.zeros(SLOTS, np.int64)
    tally[LINE] = tally[BEGAN] = 1
    return tally


def _feed(block: bytes, dialect: Dialect, tally: Ints) -> None:
    """Advance the automaton over one block of bytes."""
    marks = np.array([ord(dialect.delimiter), ord(dialect.quote), ord(dialect.escape)], np.int64)
    walk_bytes(np.frombuffer(block, np.uint8), len(block), marks, tally)


def split_rows(path: Path, dialect: Dialect) -> Iterator[tuple[bytes, bool]]:
    """Yield the bytes of a CSV file in parts, each with whether it is the end of a row."""
    tally, carried = _new_tally(), b""
    first = True
    for block in chain(read_chunks(path), (b"",)):
        data = carried + (block.removeprefix(codecs.BOM_UTF8) if first else block)
        first = False
        # the line feed of a line end may be in the next block
        carried = b"\r" if block and data.endswith(b"\r") else b""
        data = data.removesuffix(carried) if carried else data
        for part in LINE_ENDS.split(data):
            if LINE_ENDS.fullmatch(part):
                yield part, tally[MODE] not in (QUOTED, ESCAPED)
            elif part:
                yield part, False
            _feed(part, dialect, tally)


def _choose_dialect(head: bytes, whole: bool, delimiter: str | None, name: str) -> Dialect:
    """Choose the dialect of a sample; without a usual delimiter the evidence must be clear."""
    best, width, _ = _fit_dialect(head, whole, delimiter or DELIMITERS)
    if delimiter is not None or width > 1:
        return best
    rare, width, share = _fit_dialect(head, whole, RARE_DELIMITERS)
    if width > 1 and share == 1.0:
        return rare
    first = head.lstrip().splitlines()[0].decode("utf-8", "replace") if head.strip() else ""
    mark = next((mark for mark in RARE_DELIMITERS if mark in first), None)
    if mark is None and _are_words_fields(head, whole):
        mark = " "
    if mark is not None:
        raise InputError(
            f"{name} has one column named {first!r}; give --delimiter {mark!r} if that character "
            "separates fields, or --delimiter , if it does not"
        )
    return best


def _are_words_fields(head: bytes, whole: bool) -> bool:
    """Whether blanks separate fields: as many words in every row, and a column of numbers."""
    lines = [line.split(b" ") for line in head.splitlines() if line.strip()]
    rows = lines if whole else lines[:-1]
    if len(rows) < MIN_ROWS or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    columns = zip(*rows[1:], strict=True)
    return any(all(word.isdigit() for word in column) for column in columns)


def _fit_dialect(head: bytes, whole: bool, delimiters: str) -> tuple[Dialect, int, float]:
    """Fit the dialect under which most rows of a sample have as many fields as the first.

    Return also the number of fields and the share of these rows.
    """
    best, highest = Dialect(delimiters[0], '"', '"'), (-1.0, -1.0, -1.0)
    width, agreement = 1, 0.0
    for quote, escape in QUOTES:
        for delimiter in delimiters:
            dialect, tally = Dialect(delimiter, quote, escape), _new_tally()
            _feed(head, dialect, tally)
            # a sample may end inside a quoted field, a file may not
            broken = tally[BROKEN] > 0 or (whole and tally[MODE] == QUOTED)
            if whole:
                close_last(tally)
            # a rare dialect needs evidence of its own, or it would excuse broken quoting
            if quote == "'" and not (tally[ENCLOSED] > 0 and head.lstrip()[:1] == b"'"):
                continue
            if escape == "\\" and b'\\"' not in head:
                continue
            share = tally[AGREE] / max(1, tally[RECORDS])
            # a single column is the last resort: text in which no delimiter separates fields
            fit = round(share, 2) if tally[WIDTH] > 1 else share / 100
            score = (fit, float(not broken), float(tally[WIDTH]))
            if score > highest:
                best, highest = dialect, score
                width, agreement = int(tally[WIDTH]), share
    return best, width, agreement


def scan_text(
    path: Path, name: str = "", delimiter: str | None = None, *, is_ascii: bool = False
) -> Scan:
    """Scan a CSV file in one pass; the first line that breaks the rules is an error.

    A file that is not UTF-8 raises UnicodeDecodeError; `name` is its name in other messages. UTF-7
    is an error, unless `is_ascii` states that its plus signs are text.
    """
    name = name or str(path)
    head = next(read_chunks(path, SAMPLE_BYTES), b"").removeprefix(codecs.BOM_UTF8)
    if b"\0" in head or head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        # ASCII in UTF-16 without a byte order mark is valid UTF-8
        raise UnicodeDecodeError("utf-8", head[:2], 0, 1, "zero bytes")
    if not is_ascii:
        refuse_utf7(head, name)
    dialect = _choose_dialect(head, len(head) < SAMPLE_BYTES - 3, delimiter, name)
    tally = _new_tally()
    decoder = codecs.getincrementaldecoder("utf-8")()
    first = True
    for block in read_chunks(path):
        decoder.decode(block)
        _feed(block.removeprefix(codecs.BOM_UTF8) if first else block, dialect, tally)
        first = False
    decoder.decode(b"", final=True)
    if tally[MODE] in (QUOTED, ESCAPED):
        raise InputError(
            f"the quotation mark opened on line {tally[OPENED]} of {name} is never closed; "
            "close it, or double it if it is part of the text"
        )
    close_last(tally)
    _check_lines(name, tally)
    ends = int(tally[LF] > 0) + int(tally[CRLF] > 0) + int(tally[CR] > 0)
    return Scan(
        dialect,
        int(tally[RECORDS]),
        int(tally[WIDTH]),
        int(tally[LEADING]),
        int(tally[LONGEST]),
        ends > 1,
    )


def _check_lines(name: str, tally: Ints) -> None:
    """Raise an InputError for the first broken line of a scanned file."""
    if tally[BROKEN]:
        raise InputError(
            f"line {tally[BROKEN]} of {name} has text after a closing quotation mark; "
            "double quotation marks that are part of the text"
        )
    if tally[ODD_LINE]:
        raise InputError(
            f"line {tally[ODD_LINE]} of {name} has {tally[ODD_FIELDS]} fields and the first row "
            f"has {tally[WIDTH]}; correct the line, or quote fields that hold the delimiter"
        )
