"""Word lists: pseudo-words of syllable grammars, and hand-written lists, in two halves.

The hash of a word decides its half. Hence training and test share no word of any list that is
split.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.kinds.common import COMMON

__all__ = ["SPLITS", "WordList", "build_words", "draw_ranks", "split_words"]

SPLITS = ("train", "test")
FILE_SHARE = 0.7
"""Share of a list's words that one file uses."""


TRIES = 20
"""Tries for each word; a grammar of few words ends before its list is full."""


@dataclass(frozen=True)
class WordList:
    """A word list: words by hand, separated by commas, or pseudo-words of languages."""

    list: str = ""
    languages: str = ""
    """Names of syllable grammars, separated by blanks."""
    role: str = "word"
    """The endings of the pseudo-words."""
    count: int = 200
    """Number of pseudo-words in each half."""
    skew: float = 0.7
    """Exponent of Zipf's law of the frequencies."""
    case: str = "title"
    split: bool = True
    """Whether training and test use different words."""


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def build_words(words: WordList) -> list[str]:
    """All words of a list, both halves."""
    if words.list:
        return [word.strip() for word in words.list.split(",")]
    random = np.random.default_rng(_hash(f"{words.languages}/{words.role}"))
    names = words.languages.split()
    built: dict[str, None] = {}
    for number in range(words.count * TRIES):
        if len(built) >= words.count * 2:
            break
        grammar = COMMON["languages"][names[number % len(names)]]
        word = _draw_word(grammar, words.role, random)
        built[word.title() if words.case == "title" else getattr(word, words.case)()] = None
    return list(built)


@cache
def split_words(words: WordList, split: str) -> tuple[str, ...]:
    """The words of one half, or all words of a list that is not split."""
    built = build_words(words)
    if not words.split:
        return tuple(built)
    return tuple(word for word in built if _hash(word.lower()) % 2 == SPLITS.index(split))


def _draw_word(grammar: Mapping[str, str], role: str, random: np.random.Generator) -> str:
    """One pseudo-word: one to three syllables and the ending of a role."""
    onsets, nuclei, codas = (grammar[part].split(",") for part in ("onsets", "nuclei", "codas"))
    endings = grammar.get(role, grammar["word"]).split(",")

    def pick(parts: list[str]) -> str:
        # the first parts are the most frequent
        return parts[int(random.random() ** 1.5 * len(parts))]

    syllables = 1 + int(random.random() < 0.55)
    text = "".join(pick(onsets) + pick(nuclei) + pick(codas) for _ in range(syllables))
    return text + pick(endings)


def draw_ranks(size: int, skew: float, rows: int, random: np.random.Generator) -> np.ndarray:
    """Ranks by Zipf's law with an exponent."""
    law = np.cumsum(np.arange(1.0, size + 1) ** -skew)
    ranks = np.searchsorted(law, random.random(rows) * law[-1])
    return np.minimum(ranks, size - 1)
