"""Text tables before they are parsed: encoding, dialect, and an exact count of their records.

Databases guess a dialect and then skip what does not fit it. Here one automaton walks over all
bytes first; it tells the delimiter, names the line that breaks the rules, and counts records, so
that what is parsed afterwards can be checked against it.
"""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Ints, entry, kernel

__all__ = ["Dialect", "Scan", "detect_encoding", "read_chunks", "scan_text", "walk_bytes"]

CHUNK = 1 << 22
SAMPLE = 1 << 18
DELIMITERS = ",;\t|"
QUOTES = (('"', '"'), ('"', "\\"), ("'", "'"))

START, PLAIN, SPACE, QUOTED, CLOSED, ESCAPED = range(6)
MODE, LINE, RECORDS, FIELDS, WIDTH, ODD_LINE, ODD_FIELDS, OPENED, BROKEN, BEGAN = range(10)
LENGTH, LONGEST, AFTER_CR, LF, CRLF, LEADING, AGREE, ENCLOSED, CR, SLOTS = range(10, 20)


class Dialect(NamedTuple):
    """How a text table separates and encloses its fields."""

    delimiter: str
    quote: str
    escape: str


class Scan(NamedTuple):
    """What is known of a text table before it is parsed; records do not count the header."""

    dialect: Dialect
    records: int
    width: int
    leading: int
    longest: int
    mixed: bool


@kernel
def end_record(tally: Ints) -> int:
    """Closes the record at the end of a line; blank lines are records of one-column files only."""
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
    """Ends the last record of a file whose last line has no line end."""
    if tally[LENGTH] > 0:
        tally[LENGTH] += 1
        end_record(tally)
    return tally[RECORDS]


@entry
def walk_bytes(data: NDArray[np.uint8], size: int, marks: Ints, tally: Ints) -> int:
    """Advances the automaton over some bytes; marks are delimiter, quote and escape."""
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


def _fresh() -> Ints:
    """A tally before the first byte."""
    tally = np.zeros(SLOTS, np.int64)
    tally[LINE] = tally[BEGAN] = 1
    return tally


def _marks(dialect: Dialect) -> Ints:
    """The bytes of a dialect."""
    return np.array([ord(dialect.delimiter), ord(dialect.quote), ord(dialect.escape)], np.int64)


def _feed(block: bytes, dialect: Dialect, tally: Ints) -> None:
    """Walks over one block of bytes."""
    walk_bytes(np.frombuffer(block, np.uint8), len(block), _marks(dialect), tally)


def read_chunks(path: Path, size: int = CHUNK) -> Iterator[bytes]:
    """The bytes of a file, unpacked if its name ends in .gz."""
    packed = path.suffix.lower() == ".gz"
    try:
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            while block := file.read(size):
                yield block
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; pack it again") from error


def detect_encoding(path: Path) -> str:
    """The encoding of a text file: UTF-8, UTF-16 or, where it is neither, Windows-1252."""
    head = next(read_chunks(path, SAMPLE), b"")
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    zeros = np.frombuffer(head, np.uint8) == 0
    if zeros.any():
        odd, even = zeros[1::2].mean() if len(zeros) > 1 else 0.0, zeros[::2].mean()
        if max(odd, even) > 0.3 and min(odd, even) < 0.05:
            return "utf-16-le" if odd > even else "utf-16-be"
        raise InputError(f"{path} holds zero bytes and is no text file; save it as CSV or Parquet")
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    for block in read_chunks(path):
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            return _single_byte(path, block, line + block.count(b"\n", 0, error.start))
        line += block.count(b"\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _single_byte(path: Path, block: bytes, line: int) -> str:
    """Windows-1252, unless the block is UTF-8 but for a few bytes: then nobody knows what it is."""
    text = block.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - sum(map(text.count, map(chr, range(128)))) - bad
    if good > bad:
        raise InputError(
            f"line {line} of {path} is not valid UTF-8, but other lines are; save the file as UTF-8"
        )
    try:
        block.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _dialect(head: bytes, whole: bool) -> Dialect:
    """The dialect under which most records of the beginning have as many fields as the header."""
    best, most = Dialect(",", '"', '"'), (-1.0, -1.0, -1.0)
    for quote, escape in QUOTES:
        for delimiter in DELIMITERS:
            dialect, tally = Dialect(delimiter, quote, escape), _fresh()
            _feed(head, dialect, tally)
            # a sample may end inside a quoted field; a file may not
            broken = tally[BROKEN] > 0 or (whole and tally[MODE] == QUOTED)
            if whole:
                close_last(tally)
            # a rarer dialect needs a sign of its own, or it would excuse broken quoting
            if quote == "'" and not (tally[ENCLOSED] > 0 and head.lstrip()[:1] == b"'"):
                continue
            if escape == "\\" and b'\\"' not in head:
                continue
            share = tally[AGREE] / max(1, tally[RECORDS])
            # a single column is the last resort: text in which no delimiter is one
            fits = round(share, 2) if tally[WIDTH] > 1 else share / 100
            score = (fits, float(not broken), float(tally[WIDTH]))
            if score > most:
                best, most = dialect, score
    return best


def scan_text(path: Path, called: str = "") -> Scan:
    """Scans a UTF-8 text table; the first line that breaks the rules of `called` is an error."""
    called = called or str(path)
    head = next(read_chunks(path, SAMPLE), b"").removeprefix(codecs.BOM_UTF8)
    dialect = _dialect(head, len(head) < SAMPLE - 3)
    tally = _fresh()
    first = True
    for block in read_chunks(path):
        _feed(block.removeprefix(codecs.BOM_UTF8) if first else block, dialect, tally)
        first = False
    if tally[MODE] in (QUOTED, ESCAPED):
        raise InputError(
            f"the quotation mark opened on line {tally[OPENED]} of {called} is never closed; "
            "close it, or double it if it is part of the text"
        )
    close_last(tally)
    _complain(called, tally)
    ends = int(tally[LF] > 0) + int(tally[CRLF] > 0) + int(tally[CR] > 0)
    return Scan(
        dialect,
        max(0, int(tally[RECORDS]) - 1),
        int(tally[WIDTH]),
        int(tally[LEADING]),
        int(tally[LONGEST]),
        ends > 1,
    )


def _complain(path: str, tally: Ints) -> None:
    """Raises for the first broken line of a scanned file."""
    if tally[BROKEN]:
        raise InputError(
            f"line {tally[BROKEN]} of {path} has text after a closing quotation mark; "
            "double quotation marks that are part of the text"
        )
    if tally[ODD_LINE]:
        raise InputError(
            f"line {tally[ODD_LINE]} of {path} has {tally[ODD_FIELDS]} fields and the header has "
            f"{tally[WIDTH]}; correct the line, or quote fields that hold the delimiter"
        )
