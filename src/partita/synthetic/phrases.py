"""Errors of words in a text: other order, a word left out, a text cut off, abbreviations."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from partita.synthetic.dice import Dice
from partita.synthetic.settings import TextErrors

__all__ = ["abbreviate", "change_words", "join_words", "move_article", "strip_accents"]

ARTICLES = ("The", "A", "Die", "Ein", "Le", "Un")
"""Articles at the start of titles."""
MIN_CUT = 0.5
"""Share of a text that a cut leaves at least."""


def join_words(*words: str) -> str:
    """Join the words that are not empty with blanks."""
    return " ".join(word for word in words if word)


def change_words(text: str, dice: Dice, errors: TextErrors, spared: int = 1) -> str:
    """Reorder words, drop a word behind the first `spared` words, or cut the text off."""
    words = text.split()
    if len(words) > spared + 1 and dice.happens(errors.drop):
        del words[spared + dice.below(len(words) - spared)]
    if len(words) > 1 and dice.happens(errors.reorder):
        place = dice.between(1, len(words) - 1)
        words = words[place:] + words[:place]
    text = " ".join(words)
    if len(words) > 1 and dice.happens(errors.truncate):
        text = text[: int(len(text) * (MIN_CUT + (1 - MIN_CUT) * dice.unit()))].rstrip()
    return text


def abbreviate(text: str, forms: Mapping[str, Sequence[str]], dice: Dice, rate: float) -> str:
    """Replace words that have other forms by one of them, each with a probability."""
    return " ".join(
        dice.pick(forms[word]) if word in forms and dice.happens(rate) else word
        for word in text.split()
    )


def strip_accents(text: str) -> str:
    """Remove the accents of letters."""
    pairs = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in pairs if not unicodedata.combining(letter))


def move_article(title: str) -> str:
    """Move the article behind the title: Matrix, The."""
    article, _, rest = title.partition(" ")
    return f"{rest}, {article}" if rest and article in ARTICLES else title
