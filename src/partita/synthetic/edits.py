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

__all__ = ["KINDS", "edited", "picked", "spliced"]

ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
CONFUSED = {
    **{"m": ("rn", "nn"), "n": ("ri", "u"), "u": ("n", "ii"), "w": ("vv",), "d": ("cl",)},
    **{"l": ("1", "I"), "i": ("l", "1"), "o": ("0",), "e": ("c",), "c": ("e",), "h": ("b",)},
    **{"a": ("o",), "s": ("5",), "g": ("q", "9"), "t": ("f",), "f": ("t",), "y": ("v",)},
    **{"O": ("0", "D"), "I": ("l", "1"), "B": ("8", "R"), "S": ("5",), "D": ("O",), "G": ("6",)},
    **{"0": ("O",), "1": ("l", "I"), "5": ("S",), "6": ("G", "b"), "8": ("B",), "9": ("g",)},
}
"""What optical recognition reads in place of a character."""


class Table(NamedTuple):
    """Replacements of every byte: how many there are, and their characters."""

    options: Ints
    put: Cells


class Kind(NamedTuple):
    """One kind of typing error."""

    places: Callable[[Cells], Mask]
    """Where it can happen."""
    removed: int
    """The number of characters it takes away."""
    change: Callable[[Cells, Floats], Cells]
    """The characters it puts there, from the two it found and a number between 0 and 1."""


def spliced(cells: Cells, at: Ints, removed: int, put: Cells) -> Cells:
    """Rows with `removed` characters from `at` on replaced by the characters of `put`."""
    width = cells.shape[1]
    count = np.count_nonzero(put, axis=1)
    column = np.arange(width)
    behind = column >= (at + count)[:, None]
    source = np.where(behind, column - (count - removed)[:, None], column)
    # a deletion reads past the end, where nothing is left
    padded = np.pad(cells, ((0, 0), (0, removed)))
    out = np.take_along_axis(padded, source, axis=1)
    for place in range(put.shape[1]):
        rows = np.flatnonzero((put[:, place] != 0) & (at + place < width))
        out[rows, at[rows] + place] = put[rows, place]
    return out


def picked(places: Mask, unit: Floats) -> Ints:
    """One of the places of each row, each as likely; rows must have one."""
    reached = np.cumsum(places, axis=1)
    target = (unit * reached[:, -1]).astype(np.int64)
    return np.argmax(reached > target[:, None], axis=1)


def edited(kind: str, cells: Cells, place: Floats, choice: Floats, spared: int = 0) -> Cells:
    """Every row with one error of a kind, not among its first `spared` characters.

    `place` and `choice`, numbers between 0 and 1, say where and which.
    """
    places, removed, change = KINDS[kind]
    where = places(cells)
    where[:, :spared] = False
    rows = np.flatnonzero(where.any(axis=1))
    out = cells.copy()
    if rows.size:
        at = picked(where[rows], place[rows])
        padded = np.pad(cells[rows], ((0, 0), (0, 1)))
        found = np.take_along_axis(padded, at[:, None] + np.arange(2), axis=1)
        out[rows] = spliced(cells[rows], at, removed, change(found, choice[rows]))
    return out


def _tabled(replacements: dict[str, tuple[str, ...]]) -> Table:
    most = max(len(options) for options in replacements.values())
    count, put = np.zeros(256, np.int64), np.zeros((256, most, 2), np.uint8)
    for before, options in replacements.items():
        count[ord(before)] = len(options)
        for row, after in enumerate(options):
            put[ord(before), row, : len(after)] = [ord(letter) for letter in after]
    return Table(count, put)


def _neighbours() -> Table:
    """The keys beside every key of one row, in both cases."""
    found: dict[str, tuple[str, ...]] = {}
    for row in ROWS:
        for place, key in enumerate(row):
            beside = tuple(row[max(place - 1, 0) : place] + row[place + 1 : place + 2])
            found[key] = beside
            found[key.upper()] = tuple(other.upper() for other in beside)
    return _tabled(found)


def _present(cells: Cells) -> Mask:
    return cells != 0


def _room(cells: Cells) -> Mask:
    """Everywhere in a string and right behind it, where a cell is free."""
    found = cells != 0
    found[:, 1:] |= found[:, :-1]
    found[found[:, -1]] = False
    return found


def _several(cells: Cells) -> Mask:
    """The characters of strings that a deletion does not empty."""
    found = cells != 0
    found[found[:, 1] == 0] = False
    return found


def _unequal(cells: Cells) -> Mask:
    """The first of two characters that differ."""
    found = np.zeros(cells.shape, np.bool_)
    found[:, :-1] = (cells[:, 1:] != 0) & (cells[:, :-1] != cells[:, 1:])
    return found


def _alike(found: Cells, choice: Floats) -> Cells:
    """A digit for a digit, else a letter; never the one that was there."""
    old = LOWER[found[:, 0]].astype(np.int64)
    number = (old >= ord("0")) & (old <= ord("9"))
    letter = (old >= ord("a")) & (old <= ord("z"))
    base, size = np.where(number, ord("0"), ord("a")), np.where(number, 10, 26)
    # what is neither digit nor letter stands before "a", and so cannot come back
    rank = np.where(number | letter, old - base, -1)
    other = (rank + 1 + (choice * (size - 1)).astype(np.int64)) % size
    raised = letter & (found[:, 0] != old)
    return (base + other - 32 * raised).astype(np.uint8)[:, None]


def _nothing(found: Cells, choice: Floats) -> Cells:
    return np.zeros((len(found), 1), np.uint8)


def _exchanged(found: Cells, choice: Floats) -> Cells:
    return found[:, ::-1]


def _listed(table: Table) -> tuple[Callable[[Cells], Mask], Callable[[Cells, Floats], Cells]]:
    """Places and change of an edit that looks replacements up."""

    def places(cells: Cells) -> Mask:
        return np.asarray(table.options[cells] > 0)

    def change(found: Cells, choice: Floats) -> Cells:
        old = found[:, 0]
        return table.put[old, (choice * table.options[old]).astype(np.int64)]

    return places, change


_key_places, _key_change = _listed(_neighbours())
_seen_places, _seen_change = _listed(_tabled(CONFUSED))

KINDS = {
    "insert": Kind(_room, 0, _alike),
    "delete": Kind(_several, 1, _nothing),
    "substitute": Kind(_present, 1, _alike),
    "transpose": Kind(_unequal, 2, _exchanged),
    "neighbour": Kind(_key_places, 1, _key_change),
    "ocr": Kind(_seen_places, 1, _seen_change),
}
"""The kinds of typing errors, by name."""
