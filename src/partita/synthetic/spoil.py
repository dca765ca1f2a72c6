"""Copies of any records with errors, as rows that a model can learn from."""

from __future__ import annotations

from collections.abc import Sequence

from partita.synthetic.dice import Dice
from partita.synthetic.phrases import change_words
from partita.synthetic.settings import TextErrors

__all__ = ["spoil_rows"]

TYPED = 0.3
"""Share of values with a typing error."""
CHANGED = 0.08
"""Share of values that are those of another record, as `TextErrors.change`."""
MISSING = 0.1
"""Share of missing values, apart from the first column."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"

Row = dict[str, str | None]


def spoil_rows(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return one copy of each row with typing errors, lost words, other and missing values.

    The first column has neither other nor missing values, so that it still names its record.
    """
    copies: list[Row] = []
    for number, row in enumerate(rows):
        dice = Dice((seed << 32) + number)
        copy: Row = {}
        for place, (name, value) in enumerate(row.items()):
            if place and dice.happens(CHANGED):
                value = dice.pick(rows)[name]
            is_missing = value is None or (place > 0 and dice.happens(MISSING))
            copy[name] = None if is_missing or value is None else _spoil(value, dice)
        copies.append(copy)
    return copies


def _spoil(text: str, dice: Dice) -> str:
    """Change the words of a text, and one of its characters."""
    changed = change_words(text, dice, TextErrors()) or text
    return _mistype(changed, dice) if changed and dice.happens(TYPED) else changed


def _mistype(text: str, dice: Dice) -> str:
    """Delete, insert, replace or transpose one character."""
    at = dice.below(len(text))
    letter = dice.pick(DIGITS if text[at].isdigit() else LETTERS)
    kind = dice.below(4)
    if kind == 0 and len(text) > 1:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + letter + text[at:]
    if kind == 2 and at + 1 < len(text):
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + letter + text[at + 1 :]
