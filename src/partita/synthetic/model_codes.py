"""Model numbers: codes of letters and digits, and the ways to write a code.

All ways to write a code have the same letters and digits; `normalise_code` removes the rest.
"""

from __future__ import annotations

from typing import NamedTuple

from partita.synthetic.dice import Dice

__all__ = ["FORMS", "Code", "Stem", "build_code", "build_stem", "normalise_code", "write_code"]

FORMS = ("canonical", "compact", "spaced", "hyphened", "lower")
"""Ways to write a code."""
PATTERNS = (
    *("P|Z|L|N", "P|-|L|N", "P|N|S", "Z|P|N", "P|-|N|S", "P| |N", "N|-|S", "P|N|/|S", "P|-|Z|N|S"),
    *("L|N| |S", "P|.|N|.|S", "N|P|N"),
)
"""Shapes of codes: prefix P, size Z, letter L, number N, suffix S, and separators."""


class Stem(NamedTuple):
    """Shared parts of the codes of a family."""

    pattern: str
    prefix: str
    letter: str
    number: int
    step: int
    """Difference between the numbers of neighbouring models."""
    suffix: str


class Code(NamedTuple):
    """A model number as runs of letters or digits, with the maker's separators."""

    runs: tuple[str, ...]
    marks: tuple[str, ...]
    """The separator behind each run; the last is empty."""


def build_stem(dice: Dice) -> Stem:
    """Draw the stem of a family's codes."""
    length = dice.between(2, 4)
    low: int = 10 ** (length - 1)
    step = dice.pick((1, 2, 5, 10, 10, 20, 50)) if length > 2 else dice.pick((1, 2, 5))
    return Stem(
        dice.pick(PATTERNS),
        dice.letters(dice.between(1, 3)),
        dice.letters(1),
        dice.between(low, 4 * low) // step * step,
        step,
        dice.letters(dice.between(1, 2)) if dice.happens(0.7) else "",
    )


def build_code(stem: Stem, place: int, size: str, suffix: str) -> Code:
    """The code of the model at a place of its family."""
    values = {
        "P": stem.prefix,
        "Z": size.replace(".", ""),
        "L": stem.letter,
        "N": str(stem.number + place * stem.step),
        "S": suffix or stem.suffix,
    }
    runs: list[str] = []
    marks: list[str] = []
    for part in stem.pattern.split("|"):
        run = values.get(part)
        if run is None and runs:
            marks[-1] = part
        elif run:
            runs.append(run)
            marks.append("")
    if len(runs) == 1:
        runs, marks = [stem.prefix, *runs], ["", *marks]
    marks[-1] = ""
    return Code(tuple(runs), tuple(marks))


def write_code(code: Code, form: str) -> str:
    """Write a code in one of `FORMS`."""
    if form == "compact":
        return "".join(code.runs)
    if form in ("spaced", "hyphened"):
        mark = " " if form == "spaced" else "-"
        if any(code.marks):
            return "".join(run + (mark if sign else "") for run, sign in zip(*code, strict=True))
        return code.runs[0] + mark + "".join(code.runs[1:])
    text = "".join(run + sign for run, sign in zip(*code, strict=True))
    return text.lower() if form == "lower" else text


def normalise_code(text: str) -> str:
    """Letters and digits of a code, in capitals."""
    return "".join(letter for letter in text if letter.isalnum()).upper()
