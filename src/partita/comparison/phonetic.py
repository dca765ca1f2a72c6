"""Phonetic codes of English words: Soundex (Russell 1918) and Metaphone (Philips 1990)."""

from __future__ import annotations

import re

__all__ = ["metaphone", "soundex"]

SOUNDEX_DIGITS = str.maketrans("bfpvcgjkqsxzdtlmnr", "111122222222334556")
SOUNDEX_LENGTH = 4
"""Characters of a Soundex code: a letter and three digits (US National Archives)."""

METAPHONE_RULES = (
    *((r"^[kgp](?=n)|^a(?=e)|^w(?=r)", ""), (r"^x", "s"), (r"^wh", "w")),
    *((r"mb$", "m"), (r"([^c])\1+", r"\1"), (r"sc(?=[iey])", "s"), (r"tch", "#"), (r"sch", "sk")),
    *((r"c(?=ia)|ch", "#"), (r"c(?=[iey])", "s"), (r"ck|c|q", "k")),
    *((r"dg(?=[eyi])", "j"), (r"d", "t")),
    *((r"gh(?![aeiou])", ""), (r"g(?=n(ed)?$)", ""), (r"(?<!g)g(?=[iey])", "j"), (r"g", "k")),
    *((r"ph", "f"), (r"(?<=[aeiou])h(?![aeiou])", ""), (r"sh|[st](?=i[oa])", "#"), (r"th", "0")),
    *((r"v", "f"), (r"[wy](?![aeiou])", ""), (r"x", "ks"), (r"z", "s")),
)
"""Replacements in the order of application; # is the sound sh, 0 the sound th."""


def soundex(word: str) -> str:
    """The Soundex code of a word; empty for a word without a letter from a to z.

    >>> soundex("Robert"), soundex("Rupert"), soundex("Ashcraft"), soundex("Tymczak")
    ('r163', 'r163', 'a261', 't522')
    """
    letters = re.sub(r"[^a-z]", "", word.lower())
    if not letters:
        return ""
    # h and w do not separate two letters of one digit; a vowel does
    digits = re.sub(r"(?<=.)[hw]", "", letters).translate(SOUNDEX_DIGITS)
    digits = re.sub(r"(\d)\1+", r"\1", digits)
    tail = re.sub(r"\D", "", digits[1:])
    return (letters[0] + tail + "000")[:SOUNDEX_LENGTH]


def metaphone(word: str) -> str:
    """The Metaphone code of a word; empty for a word without a letter from a to z.

    >>> metaphone("Knight") == metaphone("Night"), metaphone("Philip"), metaphone("Catherine")
    (True, 'flp', 'k0rn')
    """
    sound = re.sub(r"[^a-z]", "", word.lower())
    for pattern, replacement in METAPHONE_RULES:
        sound = re.sub(pattern, replacement, sound)
    return sound[:1] + re.sub(r"[aeiou]", "", sound[1:])
