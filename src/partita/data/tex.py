"""TeX text and BibTeX names as plain Unicode."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["Name", "parse_name", "split_names", "strip_tex"]

COMBINING = {
    **{"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304"},
    **{".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328"},
    **{"r": "\u030a", "d": "\u0323", "b": "\u0331"},
}
LETTERS = {
    **{"ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ"},
    **{"OE": "Œ", "aa": "å", "AA": "Å", "i": "i", "j": "j", "th": "þ", "TH": "Þ", "dh": "ð"},
}
SIGN_ACCENT = re.compile(r"\\([`'^~\"=.])\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\?([^\W\d_]))")
LETTER_ACCENT = re.compile(r"\\([cvuHkrdb])(?:\s*\{\s*\\?([^\W\d_])\s*\}|\s+([^\W\d_]))")
LETTER_COMMAND = re.compile(
    r"\\(ss|ae|AE|oe|OE|aa|AA|th|TH|dh|o|O|l|L|i|j)(?![A-Za-z])\s*(?:\{\})?"
)
ESCAPED = re.compile(r"\\([&%_$#{}])")
LOGO = re.compile(r"\\((?:La|Bib)?TeX)(?![A-Za-z])")
COMMAND = re.compile(r"\\[A-Za-z]+\*?\s*|\\.")
GLUED_INITIAL = re.compile(r"\.(?=\w)")


class Name(NamedTuple):
    """The parts of one person's name; an absent part is empty."""

    first: str
    middle: str
    last: str

    def __str__(self) -> str:
        """The name in reading order."""
        return " ".join(part for part in self if part)


def _compose_accent(match: re.Match[str]) -> str:
    letter = match[2] or match[3]
    return unicodedata.normalize("NFC", letter + COMBINING[match[1]])


def _convert_letters(text: str) -> str:
    """Convert accents and letters of TeX to Unicode; braces stay."""
    if "\\" not in text:
        return text
    text = LETTER_ACCENT.sub(_compose_accent, SIGN_ACCENT.sub(_compose_accent, text))
    return LETTER_COMMAND.sub(lambda match: LETTERS[match[1]], text)


def strip_tex(text: str) -> str:
    r"""Strip the markup of TeX from a text.

    >>> plain(r"{\"U}ber  die {DNA} \emph{of} Erd{\H o}s")
    'Über die DNA of Erdős'
    """
    text = ESCAPED.sub(r" \1 ", _convert_letters(text)) if "\\" in text else text
    text = COMMAND.sub("", LOGO.sub(r"\1", text)).replace("~", " ").replace("--", "-")
    return " ".join(text.translate({ord(mark): None for mark in "{}$"}).split())


def split_names(text: str) -> list[str]:
    """Split a list of names at the word "and"; "others" is no name."""
    names, words = [], list[str]()
    for word in [*_split(_convert_letters(text), None), "and"]:
        if word.lower() != "and":
            words.append(word)
            continue
        if words and words != ["others"]:
            names.append(" ".join(words))
        words = []
    return names


def parse_name(text: str) -> Name:
    r"""Parse one name: "Last, First Middle", "Last, Jr, First" or "First von Last".

    >>> name_of(r"Donald E. Knuth"), name_of(r"van der Berg, J.R.").first
    (Name(first='Donald', middle='E.', last='Knuth'), 'J.')
    """
    parts = _split(_convert_letters(text), ",")
    if len(parts) > 1:
        last, given_names = parts[0], _split(parts[-1], None)
    else:
        words = _split(parts[0], None) if parts else []
        # lower case marks a particle only if the name has capitals
        cased = bool(words) and not words[0][:1].islower()
        small = (at for at, word in enumerate(words[:-1]) if cased and at and word[:1].islower())
        cut = next(small, len(words) - 1)
        last, given_names = " ".join(words[max(cut, 0) :]), words[: max(cut, 0)]
    names = [
        part for word in given_names for part in GLUED_INITIAL.sub(". ", strip_tex(word)).split()
    ]
    return Name(names[0] if names else "", " ".join(names[1:]), strip_tex(last))


def _split(text: str, mark: str | None) -> list[str]:
    """Split a text at marks (None: blanks) outside braces and drop empty pieces."""
    pieces, piece, depth = [], list[str](), 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth <= 0 and (
            letter == mark or (mark is None and (letter.isspace() or letter == "~"))
        ):
            pieces.append("".join(piece).strip())
            piece = []
        else:
            piece.append(letter)
    pieces.append("".join(piece).strip())
    return [piece for piece in pieces if piece]
