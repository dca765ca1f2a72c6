"""The encoding of a text file, by its content.

UTF-8 and UTF-16 are valid or not. Any other encoding is the one under which the characters beyond
ASCII are likeliest: a letter has the probability 1 / size of the smallest alphabet that explains
the file, and a capital after a small letter, or a sign inside a word, is rare.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from partita.data.alphabets import ALPHABETS, COMMON_SIGNS, ENCODINGS, NAMES
from partita.data.chunks import SAMPLE_BYTES, read_chunks
from partita.errors import InputError

__all__ = ["Detected", "check_encoding", "decode_file", "detect_encoding", "refuse_utf7"]

MIN_CHARACTER = 1e-5
"""The probability of a character that the alphabet lacks: one of about 10^5 in Unicode."""
SIGN = 0.05
"""The share of signs among the characters beyond ASCII. Origin: a choice."""
BREAK = 0.01
"""The probability of a capital after a small letter, a sign inside a word, or two scripts in one
word. Origin: a choice."""
COMMONEST = math.log(len(ENCODINGS) - 1)
"""The log-odds of the first encoding against each other one before any byte is read: half of the
files that are not UTF-8. Origin: a choice."""
CLEAR = math.log(100.0)
"""Log-odds against the next encoding from which the choice is clear: 100 to 1. Origin: a choice."""
SHIFT = re.compile(rb"\+([A-Za-z0-9+/]*)(-?)")
"""What begins with a plus sign; in UTF-7 every plus sign begins a run of base64."""


class Detected(NamedTuple):
    """The encoding of a file."""

    encoding: str
    name: str
    """Its usual name."""
    second: str | None = None
    """The usual name of another encoding that is nearly as likely and gives other text."""

    def note(self, file: str) -> tuple[str, ...]:
        """A sentence on the encoding of a file that is not UTF-8."""
        if self.encoding == "utf-8":
            return ()
        doubt = f", but {self.second} is nearly as likely" if self.second else ""
        return (
            f"{file} is read as {self.name}{doubt}; --encoding (encoding=) names another encoding",
        )


def check_encoding(name: str) -> str:
    """Check the name of an encoding; return it in Python's spelling."""
    try:
        info = codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"encoding is {name!r}, which is unknown; give a name such as utf-8, cp1252 or "
            "shift_jis"
        ) from error
    if info.name == "utf-7":
        raise InputError("encoding is 'utf-7', which is not read; save the file as UTF-8")
    return info.name


def detect_encoding(path: Path, name: str = "") -> Detected:
    """Detect the encoding of a text file; raise an InputError for UTF-7 and files of no text."""
    name = name or str(path)
    head = next(read_chunks(path, SAMPLE_BYTES), b"")
    for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        if head.startswith(mark):
            return Detected("utf-32", "UTF-32")
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return Detected("utf-16", "UTF-16")
    if b"\0" in head:
        return _detect_utf16(head, name)
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, is_ascii = 1, True
    for block in read_chunks(path):
        try:
            is_ascii &= decoder.decode(block).isascii()
        except UnicodeDecodeError as error:
            return _detect_other(path, name, block, line + block.count(b"\n", 0, error.start))
        line += block.count(b"\n")
    if is_ascii:
        refuse_utf7(head, name)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _detect_other(path, name, head, line)
    return Detected("utf-8", "UTF-8")


def decode_file(path: Path, name: str, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """Decode a file; return its text and notes on an encoding that was detected."""
    data = b"".join(read_chunks(path))
    if encoding is None:
        detected = detect_encoding(path, name)
        return data.decode(detected.encoding, "replace").removeprefix("\ufeff"), detected.note(name)
    try:
        return data.decode(encoding).removeprefix("\ufeff"), ()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not valid {encoding}: {error}; give another encoding, or none"
        ) from error


def _detect_utf16(head: bytes, name: str) -> Detected:
    """The byte order of UTF-16 without a mark: line ends are characters of their own."""
    head = head[: len(head) // 2 * 2]
    for encoding in ("utf-16-le", "utf-16-be"):
        text = head.decode(encoding, "replace")
        if "\0" not in text and re.search(r"[\n\r]", text) and text.count("\ufffd") < 2:
            return Detected(encoding, "UTF-16")
    raise InputError(f"{name} holds zero bytes and is no text file; save it as CSV or Parquet")


def refuse_utf7(head: bytes, name: str) -> None:
    """Raise an InputError if every plus sign of an ASCII file begins a word of UTF-7."""
    if b"+" not in head or not head.isascii():
        return
    runs = [match[1] for match in SHIFT.finditer(head) if match[0] != b"+-"]
    # whole numbers after a plus sign are telephone numbers
    if not runs or any(not run or run.isdigit() for run in runs):
        return
    try:
        text = head[: head.rfind(b"\n") + 1 or len(head)].decode("utf-7")
    except UnicodeDecodeError:
        return
    if any(letter.isalpha() for letter in text if not letter.isascii()):
        raise InputError(
            f"{name} is UTF-7, which is not read; save it as UTF-8, or give --encoding utf-8 if "
            "its plus signs are text"
        )


def _detect_other(path: Path, name: str, block: bytes, line: int) -> Detected:
    """The likeliest encoding of a file that is not UTF-8."""
    text = block.decode("utf-8", "replace")
    undecoded = text.count("\ufffd")
    decoded = len(text) - sum(map(text.count, map(chr, range(128)))) - undecoded
    if decoded > undecoded:
        raise InputError(
            f"line {line} of {name} is not valid UTF-8, but other lines are; save the file as "
            "UTF-8, or name its encoding (--encoding, or encoding=)"
        )
    sample = _sample_lines(path)
    texts = {encoding: _decode(sample, encoding) for encoding in ENCODINGS}
    scores = {encoding: _score(text) for encoding, text in texts.items() if text is not None}
    if not scores:
        return Detected("latin-1", "Latin-1")
    if ENCODINGS[0] in scores:
        scores[ENCODINGS[0]] += COMMONEST
    ranked = sorted(scores, key=lambda encoding: -scores[encoding])
    best = ranked[0]
    seconds = (
        NAMES[other]
        for other in ranked[1:]
        if texts[other] != texts[best] and scores[best] - scores[other] < CLEAR
    )
    return Detected(best, NAMES[best], next(seconds, None))


def _sample_lines(path: Path) -> bytes:
    """The first lines with characters beyond ASCII, up to the size of a sample."""
    lines, size = [], 0
    with path.open("rb") as file:
        for line in file:
            if not line.isascii():
                lines.append(line[:SAMPLE_BYTES])
                size += len(line)
                if size > SAMPLE_BYTES:
                    break
    return b"".join(lines)


def _decode(sample: bytes, encoding: str) -> str | None:
    """Decode a sample, or return None where it is no text of the encoding."""
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError:
        return None


def _score(text: str) -> float:
    """The log-likelihood of a text by the alphabet that explains it best."""
    counts = Counter(letter for letter in text if not letter.isascii())
    letters = {letter: n for letter, n in counts.items() if letter not in COMMON_SIGNS}
    signs = counts.total() - sum(letters.values())
    fit = max(
        sum(n * _weigh(letter, alphabet) for letter, n in letters.items()) for alphabet in ALPHABETS
    )
    return (
        fit
        + signs * math.log(SIGN / len(COMMON_SIGNS))
        + len(BREAKS.findall(text)) * math.log(BREAK)
        + sum(n for letter, n in letters.items() if not letter.isprintable())
        * math.log(MIN_CHARACTER)
    )


@cache
def _weigh(letter: str, alphabet: str) -> float:
    """The log-probability of a letter of an alphabet."""
    members = ALPHABETS[alphabet]
    if letter in members or letter.lower() in members:
        return math.log((1 - SIGN) / len(members))
    return math.log(MIN_CHARACTER)


CAPITALS, SMALL = (
    "".join(chr(code) for code in range(0x80, 0x530) if getattr(chr(code), test)())
    for test in ("isupper", "islower")
)
LATIN, OTHERS = "A-Za-z\u00c0-\u024f", "\u0370-\u05ff\u0600-\u06ff\u0e00-\u0e7f"
BREAKS = re.compile(
    rf"(?<=[a-z{SMALL}])(?=[{CAPITALS}])|(?<=[{SMALL}])(?=[A-Z{CAPITALS}])"
    rf"|(?<=[{LATIN}])(?=[{OTHERS}])|(?<=[{OTHERS}])(?=[{LATIN}])"
    rf"|(?<=\d )[{CAPITALS}](?!\w)|(?<=\d)[{CAPITALS}](?!\w)"
    r"|(?<=[\u00c0-\u024f]{2})(?=[\u00c0-\u024f])"
    rf"|(?<=[{LATIN}{OTHERS}])[^\w\s\x00-\x7f’·‘](?=[{LATIN}{OTHERS}])"
)
"""Places that are rare in every orthography, such as a third accented letter in a row, or a
capital in the place of a currency."""
