"""Typing errors on many strings at once: each kind is a set of places and a splice.

Every edit replaces a few characters at one place by up to two others, so one splice serves all. A
row without a place for the edit stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partita.synthetic.cells import LOWER, Cells
from partita.synthetic.draws import Floats, Ints, Mask

__all__ = ["KINDS", "apply_edit", "pick_places", "splice"]

ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
CONFUSED = {
    **{"m": ("rn", "nn"), "n": ("ri", "u"), "u": ("n", "ii"), "w": ("vv",), "d": ("cl",)},
    **{"l": ("1", "I"), "i": ("l", "1"), "o": ("0",), "e": ("c",), "c": ("e",), "h": ("b",)},
    **{"a": ("o",), "s": ("5",), "g": ("q", "9"), "t": ("f",), "f": ("t",), "y": ("v",)},
    **{"O": ("0", "D"), "I": ("l", "1"), "B": ("8", "R"), "S": ("5",), "D": ("O",), "G": ("6",)},
    **{"0": ("O",), "1": ("l", "I"), "5": ("S",), "6": ("G", "b"), "8": ("B",), "9": ("g",)},
}
"""Characters that optical recognition confuses with each character."""


class Table(NamedTuple):
    """Replacements of every byte: their number and their characters."""

    options: Ints
    put: Cells


class Kind(NamedTuple):
    """One kind of typing error."""

    places: Callable[[Cells], Mask]
    """Mask of the cells at which the error can happen."""
    removed: int
    """Number of characters that the error removes."""
    change: Callable[[Cells, Floats], Cells]
    """New characters, from the two characters at the place and a number between 0 and 1."""


def splice(cells: Cells, at: Ints, removed: int, put: Cells) -> Cells:
    """Replace `removed` characters from `at` on by the characters of `put`."""
    width = cells.shape[1]
    count = np.count_nonzero(put, axis=1)
    column = np.arange(width)
    behind = column >= (at + count)[:, None]
    source = np.where(behind, column - (count - removed)[:, None], column)
    # a deletion reads past the end, so the rows are padded
    padded = np.pad(cells, ((0, 0), (0, removed)))
    out = np.take_along_axis(padded, source, axis=1)
    for place in range(put.shape[1]):
        rows = np.flatnonzero((put[:, place] != 0) & (at + place < width))
        out[rows, at[rows] + place] = put[rows, place]
    return out


def pick_places(places: Mask, unit: Floats) -> Ints:
    """Draw one of the places of each row with equal probability; rows must have one."""
    reached = np.cumsum(places, axis=1)
    target = (unit * reached[:, -1]).astype(np.int64)
    return np.argmax(reached > target[:, None], axis=1)


def apply_edit(kind: str, cells: Cells, place: Floats, choice: Floats, spared: int = 0) -> Cells:
    """Apply one error of a kind to every row, behind its first `spared` characters.

    `place` and `choice`, numbers between 0 and 1, select the place and the replacement.
    """
    places, removed, change = KINDS[kind]
    where = places(cells)
    where[:, :spared] = False
    rows = np.flatnonzero(where.any(axis=1))
    out = cells.copy()
    if rows.size:
        at = pick_places(where[rows], place[rows])
        padded = np.pad(cells[rows], ((0, 0), (0, 1)))
        old = np.take_along_axis(padded, at[:, None] + np.arange(2), axis=1)
        out[rows] = splice(cells[rows], at, removed, change(old, choice[rows]))
    return out


def _build_table(replacements: dict[str, tuple[str, ...]]) -> Table:
    width = max(len(options) for options in replacements.values())
    count, put = np.zeros(256, np.int64), np.zeros((256, width, 2), np.uint8)
    for before, options in replacements.items():
        count[ord(before)] = len(options)
        for row, after in enumerate(options):
            put[ord(before), row, : len(after)] = [ord(letter) for letter in after]
    return Table(count, put)


def _neighbours() -> Table:
    """Table of the keys beside every key in its keyboard row, in both cases."""
    neighbours: dict[str, tuple[str, ...]] = {}
    for row in ROWS:
        for place, key in enumerate(row):
            beside = tuple(row[max(place - 1, 0) : place] + row[place + 1 : place + 2])
            neighbours[key] = beside
            neighbours[key.upper()] = tuple(letter.upper() for letter in beside)
    return _build_table(neighbours)


def _present(cells: Cells) -> Mask:
    return cells != 0


def _room(cells: Cells) -> Mask:
    """Mask of the cells of a string and the cell behind it; none for a full row."""
    places = cells != 0
    places[:, 1:] |= places[:, :-1]
    places[places[:, -1]] = False
    return places


def _several(cells: Cells) -> Mask:
    """Mask of the characters of strings with at least two characters."""
    places = cells != 0
    places[places[:, 1] == 0] = False
    return places


def _unequal(cells: Cells) -> Mask:
    """Mask of characters that differ from the next."""
    places = np.zeros(cells.shape, np.bool_)
    places[:, :-1] = (cells[:, 1:] != 0) & (cells[:, :-1] != cells[:, 1:])
    return places


def _draw_same_class(old: Cells, choice: Floats) -> Cells:
    """Draw another digit for a digit and another letter for any other character."""
    lower = LOWER[old[:, 0]].astype(np.int64)
    number = (lower >= ord("0")) & (lower <= ord("9"))
    letter = (lower >= ord("a")) & (lower <= ord("z"))
    base, size = np.where(number, ord("0"), ord("a")), np.where(number, 10, 26)
    # other characters get rank -1, before "a", so that every letter can be drawn
    rank = np.where(number | letter, lower - base, -1)
    new = (rank + 1 + (choice * (size - 1)).astype(np.int64)) % size
    raised = letter & (old[:, 0] != lower)
    return (base + new - 32 * raised).astype(np.uint8)[:, None]


def _remove(old: Cells, choice: Floats) -> Cells:
    return np.zeros((len(old), 1), np.uint8)


def _swap(old: Cells, choice: Floats) -> Cells:
    return old[:, ::-1]


def _look_up(table: Table) -> tuple[Callable[[Cells], Mask], Callable[[Cells, Floats], Cells]]:
    """Places and change of an edit whose replacements come from a table."""

    def places(cells: Cells) -> Mask:
        return np.asarray(table.options[cells] > 0)

    def change(old: Cells, choice: Floats) -> Cells:
        byte = old[:, 0]
        return table.put[byte, (choice * table.options[byte]).astype(np.int64)]

    return places, change


_key_places, _key_change = _look_up(_neighbours())
_ocr_places, _ocr_change = _look_up(_build_table(CONFUSED))

KINDS = {
    "insert": Kind(_room, 0, _draw_same_class),
    "delete": Kind(_several, 1, _remove),
    "substitute": Kind(_present, 1, _draw_same_class),
    "transpose": Kind(_unequal, 2, _swap),
    "neighbour": Kind(_key_places, 1, _key_change),
    "ocr": Kind(_ocr_places, 1, _ocr_change),
}
"""The kinds of typing errors, by name."""
