"""Citations with the split of CODL, the draws of labelled ones, and the attributes of a token."""

from __future__ import annotations

import re
from typing import NamedTuple

from papers.samplerank.data import Sentences, folder

__all__ = ["DRAWS", "Citations", "attributes", "read_blocks", "read_citations"]

FOLDER = "citations_codl"
DRAWS = 5
"""Published draws of 25 labelled citations; the first n of a draw are the labelled ones."""
MONTH = re.compile(
    r"(?i)jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    r"|oct(ober)?|nov(ember)?|dec(ember)?"
)
YEAR = re.compile(r"(19|20)\d\d[a-z]?")
QUOTES = ('"', "''", "``")


class Citations(NamedTuple):
    """The parts of citations_codl."""

    train: Sentences
    development: Sentences
    test: Sentences
    more: list[list[str]]
    """1,000 citations without labels."""
    draws: list[list[int]]
    """Places in `train` of the citations of each draw."""


def read_citations() -> Citations:
    """Read all parts; a draw lists its citations by their places in the training part."""
    train = read_blocks(FOLDER, "train300.conll")
    draws = []
    for number in range(DRAWS):
        draw: list[int] = []
        for words in read_blocks(FOLDER, f"citation_train.25.{number}.txt").words:
            places = (k for k, other in enumerate(train.words) if other == words and k not in draw)
            draw.append(next(places))
        draws.append(draw)
    parts = (read_blocks(FOLDER, f"{part}100.conll") for part in ("dev", "test"))
    return Citations(train, *parts, read_blocks(FOLDER, "unlabeled.conll").words, draws)


def read_blocks(data_set: str, name: str) -> Sentences:
    """Read blocks of lines, each with a token and its field."""
    citations = Sentences([], [])
    text = folder(data_set, name).read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line.strip()]
        if rows:
            citations.words.append([row[0] for row in rows])
            citations.labels.append([row[1] for row in rows])
    return citations


def shape(word: str) -> str:
    """Return the pattern of capitals, letters and digits, with repetitions as one sign."""
    for letters, sign in (("[A-Z]", "A"), ("[a-z]", "a"), ("[0-9]", "0")):
        word = re.sub(letters, sign, word)
    return re.sub(r"(.)\1+", r"\1+", word)


def attributes(sentence: list[str], i: int) -> list[str]:
    """Return word, shape, affixes, a window of two tokens, place, and earlier tokens."""
    word, n = sentence[i], len(sentence)
    low = word.lower()
    listed = ["bias", f"word={low}", f"shape={shape(word)}", f"place={6 * i // n}"]
    listed += [f"begins={low[:k]}" for k in (1, 2, 3)] + [f"ends={low[-k:]}" for k in (2, 3)]
    listed += [name for name, holds in _kinds(word, i, n) if holds]
    for distance in (-2, -1, 1, 2):
        other = sentence[i + distance] if 0 <= i + distance < n else "<>"
        listed += [f"word{distance}={other.lower()}", f"shape{distance}={shape(other)}"]
    return listed + _context(sentence, i)


def _kinds(word: str, i: int, n: int) -> list[tuple[str, bool]]:
    """List properties of a token by itself."""
    return [
        ("first", i == 0),
        ("last", i == n - 1),
        ("punctuation", not any(map(str.isalnum, word))),
        (f"digits={min(len(word), 5)}", word.isdigit()),
        ("month", MONTH.fullmatch(word) is not None),
        ("year", YEAR.fullmatch(word) is not None),
        ("initial", len(word) == 1 and word.isupper()),
    ]


def _context(sentence: list[str], i: int) -> list[str]:
    """List the punctuation around a token, and the years, quotes and brackets before it."""
    past, n = sentence[:i], len(sentence)
    left = next((k for k in range(i - 1, -1, -1) if not sentence[k].isalnum()), -1)
    right = next((k for k in range(i + 1, n) if not sentence[k].isalnum()), n)
    return [
        f"punctuation before={sentence[left] if left >= 0 else '<>'}",
        f"punctuation after={sentence[right] if right < n else '<>'}",
        f"since={min(i - left, 6)}",
        f"until={min(right - i, 6)}",
        f"at={min(i, 8)}",
        f"year before={any(map(YEAR.fullmatch, past))}",
        f"quotes before={min(2, sum(word in QUOTES for word in past))}",
        f"in brackets={past.count('(') > past.count(')')}",
        f"in before={any(word.lower() in ('in', 'proceedings', 'proc') for word in past)}",
    ]
