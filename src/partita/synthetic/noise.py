"""Errors in records of people, applied to their text."""

from __future__ import annotations

import numpy as np

from partita.synthetic.cells import LOWER, PLAIN, UPPER, Cells, fit, lengths
from partita.synthetic.draws import Draws, Ints, Mask
from partita.synthetic.edits import KINDS, edited, picked, spliced
from partita.synthetic.settings import Errors

__all__ = ["Noise"]

TYPED = {
    **{"given_name": 0.25, "surname": 0.3, "street": 0.15, "city": 0.1},
    **{"postcode": 0.05, "phone": 0.05, "email": 0.1},
}
"""Fields with typing errors."""
TEXT = ("given_name", "surname", "street", "city")
# the digits of a date that a slip of the finger reaches: decade, year, month, day
DIGITS = np.array([2, 3, 6, 9])
SLACK = 4


class Noise:
    """The errors of some rows; the errors of a row depend on its number only."""

    def __init__(self, draws: Draws, errors: Errors, row: Ints, erring: Mask) -> None:
        self.draws, self.errors, self.row, self.erring = draws, errors, row, erring

    def hit(self, kind: str, name: str = "") -> Mask:
        """The rows with one kind of error."""
        rate = getattr(self.errors, kind)
        if rate == 0.0:
            return np.zeros(self.row.size, np.bool_)
        return self.erring & self.draws.happens(f"error {kind} {name}", self.row, rate)

    def later(self, kind: str) -> Ints:
        """0 for rows as they were, 1 or 2 for those with one of two later values."""
        which = 1 + self.draws.below(f"later {kind}", self.row, 2)
        return np.where(self.hit(kind), which, 0)

    def spoil(self, cells: dict[str, Cells]) -> None:
        """Change the columns of the rows in place."""
        for name in TYPED:
            cells[name] = fit(cells[name], cells[name].shape[1] + SLACK)
        self._names(cells)
        self._dates(cells["date_of_birth"])
        self._typing(cells)
        self._blanks(cells)
        self._case(cells)
        for name, column in cells.items():
            column[self.hit("missing", name)] = 0

    def _names(self, cells: dict[str, Cells]) -> None:
        given, surname = cells["given_name"], cells["surname"]
        rows = self.hit("plain")
        for column in (given, surname):
            column[rows] = PLAIN[column[rows]]
        rows = self.hit("initial")
        given[rows, 1:] = 0
        dotted = rows & (self.draws.bits("dot", self.row) % 2 == 0)
        given[dotted, 1] = ord(".")
        rows = self.hit("swap")
        given[rows], surname[rows] = surname[rows], given[rows]

    def _dates(self, born: Cells) -> None:
        day = (born[:, 8] - ord("0")) * 10 + (born[:, 9] - ord("0"))
        rows = np.flatnonzero(self.hit("day_month") & (day <= 12))
        born[rows] = born[rows][:, [0, 1, 2, 3, 4, 8, 9, 7, 5, 6]]
        rows = np.flatnonzero(self.hit("date_digit"))
        place = DIGITS[self.draws.below("date place", self.row[rows], DIGITS.size)]
        more = 1 + self.draws.below("date digit", self.row[rows], 9)
        born[rows, place] = (born[rows, place] - ord("0") + more) % 10 + ord("0")
        born[self.hit("partial_date"), 7:] = 0
        born[self.hit("year_only"), 4:] = 0

    def _typing(self, cells: dict[str, Cells]) -> None:
        ends = np.cumsum(list(TYPED.values()))
        for kind in KINDS:
            rows = np.flatnonzero(self.hit(kind))
            field = np.searchsorted(ends, self.draws.unit(f"field {kind}", self.row[rows]))
            for number, name in enumerate(TYPED):
                here = rows[field == number]
                cells[name][here] = edited(
                    *(kind, cells[name][here]),
                    self.draws.unit(f"place {kind}", self.row[here]),
                    self.draws.unit(f"choice {kind}", self.row[here]),
                )

    def _blanks(self, cells: dict[str, Cells]) -> None:
        rows = np.flatnonzero(self.hit("whitespace"))
        field = self.draws.below("blank field", self.row[rows], len(TEXT))
        for number, name in enumerate(TEXT):
            here = rows[field == number]
            column = cells[name][here]
            # before, behind, or at a blank that is there already
            places = column == ord(" ")
            places[:, 0] = True
            places[np.arange(here.size), lengths(column)] = True
            at = picked(places, self.draws.unit("blank", self.row[here]))
            blank = np.full((here.size, 1), ord(" "), np.uint8)
            blank[lengths(column) == 0] = 0
            cells[name][here] = spliced(column, at, 0, blank)

    def _case(self, cells: dict[str, Cells]) -> None:
        rows = self.hit("case")
        raised = self.draws.bits("capitals", self.row) % 3 != 0
        for name in TEXT:
            column = cells[name]
            for table, which in ((UPPER, rows & raised), (LOWER, rows & ~raised)):
                column[which] = table[column[which]]
