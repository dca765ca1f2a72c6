"""Error channels: each changes one text as clerks, scanners and exports do."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from benchmarks.kinds.common import COMMON
from benchmarks.kinds.templates import strip_accents

__all__ = ["CHANNELS"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SCANNED = {"m": "rn", "l": "1", "o": "0", "i": "l", "e": "c", "s": "5", "b": "h", "u": "ii"}
"""Characters and what optical recognition reads in their place."""
JITTER = 0.08
"""Largest relative change of a number."""
FILLERS = ("n/a", "-", "unknown", "none", "tbd", "?")
"""Texts that stand for a missing value."""
EXTRAS = ("new", "(old)", "*", "- check", "copy", "incl. VAT", "updated", "see file", "!")
"""Texts that are added behind a value."""
ABBREVIATIONS: dict[str, list[str]] = COMMON["abbreviations"]
"""Short forms of words in lower case."""

Channel = Callable[[str, np.random.Generator], str]


def _pick(count: int, random: np.random.Generator) -> int:
    return int(random.random() * count)


def _typo(text: str, random: np.random.Generator) -> str:
    """One letter is left out, doubled, exchanged with the next or replaced."""
    if len(text) < 3:
        return text
    place, change = 1 + _pick(len(text) - 2, random), _pick(4, random)
    before, letter, after = text[:place], text[place], text[place + 1 :]
    if change == 0:
        return before + after
    if change == 1:
        return before + letter + letter + after
    if change == 2:
        return before + after[:1] + letter + after[1:]
    if letter.isdigit():
        return before + str(_pick(10, random)) + after
    other = LETTERS[_pick(26, random)]
    return before + (other.upper() if letter.isupper() else other) + after


def _scan(text: str, random: np.random.Generator) -> str:
    places = [place for place, letter in enumerate(text) if letter in SCANNED]
    if not places:
        return text
    place = places[_pick(len(places), random)]
    return text[:place] + SCANNED[text[place]] + text[place + 1 :]


def _abbreviate(text: str, random: np.random.Generator) -> str:
    """Words with a short form are shortened; else one long word becomes its first letters."""
    words = text.split(" ")
    known = [place for place, word in enumerate(words) if word.lower() in ABBREVIATIONS]
    if known:
        for place in known:
            forms = ABBREVIATIONS[words[place].lower()]
            short = forms[_pick(len(forms), random)]
            words[place] = short if words[place].islower() else short[:1].upper() + short[1:]
    else:
        long = [place for place, word in enumerate(words) if len(word) > 5 and word.isalpha()]
        if len(words) > 1 and long:
            place = long[_pick(len(long), random)]
            words[place] = words[place][: 3 + _pick(2, random)] + "."
    return " ".join(words)


def _initial(text: str, random: np.random.Generator) -> str:
    words = text.split(" ")
    words[0] = words[0][:1] + "."
    return " ".join(words)


def _drop(text: str, random: np.random.Generator) -> str:
    words = text.split(" ")
    if len(words) < 2:
        return text
    del words[_pick(len(words), random)]
    return " ".join(words)


def _reorder(text: str, random: np.random.Generator) -> str:
    words = text.split(" ")
    place = _pick(len(words), random)
    return " ".join(words[place:] + words[:place])


def _case(text: str, random: np.random.Generator) -> str:
    return text.upper() if random.random() < 0.5 else text.lower()


def _truncate(text: str, random: np.random.Generator) -> str:
    return text[: max(4, int(len(text) * (0.5 + 0.4 * random.random())))].rstrip()


def _digit(text: str, random: np.random.Generator) -> str:
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    place = places[_pick(len(places), random)]
    return text[:place] + str(_pick(10, random)) + text[place + 1 :]


def _jitter(text: str, random: np.random.Generator) -> str:
    number = re.search(r"\d+(?:\.\d+)?", text)
    if number is None:
        return text
    digits = len(number[0].partition(".")[2])
    value = float(number[0]) * (1 + JITTER * (2 * random.random() - 1))
    return text[: number.start()] + f"{value:.{digits}f}" + text[number.end() :]


CHANNELS: dict[str, Channel] = {
    "typo": _typo,
    "ocr": _scan,
    "abbreviate": _abbreviate,
    "initial": _initial,
    "drop": _drop,
    "reorder": _reorder,
    "case": _case,
    "accent": lambda text, random: strip_accents(text),
    "truncate": _truncate,
    "digit": _digit,
    "jitter": _jitter,
    "punctuation": lambda text, random: re.sub(r"[-./,' ]+", ("", " ")[_pick(2, random)], text),
    "extra": lambda text, random: f"{text} {EXTRAS[_pick(len(EXTRAS), random)]}",
    "filler": lambda text, random: FILLERS[_pick(len(FILLERS), random)],
}
"""Error channels by name: a text and random numbers to the text with the error."""
