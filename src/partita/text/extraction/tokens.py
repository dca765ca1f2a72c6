"""Tokens of lines, in any alphabet, with their character offsets."""

from __future__ import annotations

import itertools
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from partita.errors import InputError
from partita.kernel import Ints

__all__ = ["MAX_LINE_TOKENS", "SPLITS", "Tokens", "fold", "is_punctuation", "tokenise"]

SPLITS = ("words", "spaces")
"""Ways to split a line: at every change between word and punctuation, or at blanks only."""
MAX_LINE_TOKENS = 5_000
"""Tokens of a line that are read; a page of text has about 500."""
UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Letters of scripts that do not separate words by blanks: each letter is a token."""
EDGES = ".,;:!?\"'`()[]{}<>«»“”‘’„،؛。、，；："
"""Punctuation that `fold` removes from the ends of a token."""


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of all lines, numbered from the first token of the first line.

    Examples
    --------
    >>> tokens = tokenise(["Lee, A. 1999", ""])
    >>> tokens.texts(0), tokens.start.tolist()
    (['Lee', ',', 'A', '.', '1999'], [0, 5, 5])
    """

    lines: tuple[str, ...]
    start: Ints
    """The first token of each line, and the number of all tokens."""
    begin: Ints
    """The first character of each token in its line."""
    end: Ints
    """The character after the last character of each token."""
    word: Ints
    """The place of each token's text in `words`."""
    words: tuple[str, ...]
    """The distinct texts of tokens, in order of first occurrence."""
    split: str = "words"
    cut_lines: tuple[int, ...] = ()
    """Lines with more than MAX_LINE_TOKENS tokens; the later tokens are not read."""

    @property
    def n(self) -> int:
        """The number of tokens."""
        return int(self.word.size)

    def texts(self, line: int) -> list[str]:
        """Return the texts of a line's tokens."""
        return [self.words[k] for k in self.word[self.start[line] : self.start[line + 1]]]

    def sentences(self) -> list[list[str]]:
        """Return the texts of all tokens, by line."""
        return [self.texts(line) for line in range(len(self.lines))]

    def line_of(self) -> Ints:
        """Return the line of each token."""
        return np.repeat(np.arange(len(self.lines)), np.diff(self.start))

    def find_shifted(self, by: int) -> Ints:
        """Return the tokens t whose line contains token t + by as well."""
        line, other = self.line_of(), np.arange(self.n) + by
        inside = (other >= 0) & (other < self.n)
        inside[inside] = line[other[inside]] == line[inside]
        return np.flatnonzero(inside)

    def quote(self, line: int, start: int, stop: int) -> str:
        """Return the characters of a line from token `start` up to token `stop`."""
        return self.lines[line][self.begin[start] : self.end[stop - 1]]

    @classmethod
    def from_words(cls, sentences: Iterable[Sequence[str]]) -> Tokens:
        """Build tokens of lines that are already split; a line is its tokens joined by blanks."""
        tokenised = [list(sentence) for sentence in sentences]
        spans = []
        for sentence in tokenised:
            ends = list(itertools.accumulate(len(word) + 1 for word in sentence))
            spans.append([(b - len(w) - 1, b - 1) for w, b in zip(sentence, ends, strict=True)])
        return _build([" ".join(sentence) for sentence in tokenised], spans, "spaces", ())


def tokenise(lines: Sequence[str | None], split: str = "words") -> Tokens:
    """Split lines into tokens; a missing or empty line has no tokens.

    Parameters
    ----------
    lines
        Text lines, such as the cells of a column.
    split
        "words" separates words from punctuation and keeps inner hyphens and apostrophes;
        "spaces" splits at blanks only.
    """
    if split not in SPLITS:
        raise InputError(f"split is {split!r}; give one of {', '.join(SPLITS)}")
    texts = ["" if line is None else str(line) for line in lines]
    pattern = _word_pattern() if split == "words" else re.compile(r"\S+")
    spans, cut = [], []
    for at, text in enumerate(texts):
        matches = itertools.islice(pattern.finditer(text), MAX_LINE_TOKENS + 1)
        places = [match.span() for match in matches]
        if len(places) > MAX_LINE_TOKENS:
            places.pop()
            cut.append(at)
        spans.append(places)
    return _build(texts, spans, split, tuple(cut))


def _build(
    texts: Sequence[str],
    spans: Sequence[Sequence[tuple[int, int]]],
    split: str,
    cut: tuple[int, ...],
) -> Tokens:
    """Number the words and concatenate the tokens of all lines."""
    places: dict[str, int] = {}
    word = [
        places.setdefault(text[a:b], len(places))
        for text, line in zip(texts, spans, strict=True)
        for a, b in line
    ]
    offsets = np.array([span for line in spans for span in line], np.int64).reshape(-1, 2)
    start = np.concatenate([[0], np.cumsum([len(line) for line in spans], dtype=np.int64)])
    return Tokens(
        tuple(texts),
        start.astype(np.int64),
        offsets[:, 0].copy(),
        offsets[:, 1].copy(),
        np.array(word, np.int64),
        tuple(places),
        split,
        cut,
    )


@cache
def _word_pattern() -> re.Pattern[str]:
    """Compile the pattern of a word, of one letter of an unspaced script, or of one sign."""
    # Python's \w lacks the vowel signs of Indic scripts, which are marks
    marks = "".join(
        letter
        for letter in map(chr, range(0x300, min(0x12000, sys.maxunicode)))
        if unicodedata.category(letter) in ("Mn", "Mc", "Me")
    )
    letter = rf"(?:(?![{UNSPACED}])[\w{marks}\u200c\u200d])"
    joint = r"(?:['’\-](?=\w)|(?<=\d)\.(?=\d))"
    # a zero-width joiner makes one sign of several, such as the emoji of a family
    sign = rf"[^\s\w][{marks}]*"
    return re.compile(
        rf"{letter}+(?:{joint}{letter}+)*|[{UNSPACED}][{marks}]*|{sign}(?:\u200d{sign})*|\w"
    )


def fold(word: str) -> str:
    """Return the form of a token that dictionaries compare: lower case, without edge punctuation.

    >>> fold("Road,"), fold("St."), fold(",")
    ('road', 'st', ',')
    """
    plain = unicodedata.normalize("NFKC", word).casefold()
    return plain.strip(EDGES) or plain


def is_punctuation(word: str) -> bool:
    """Return whether a token is punctuation or ends with it."""
    return not (word[-1].isalnum() or unicodedata.category(word[-1]).startswith("M"))
