"""Errors in records, applied to their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partita.synthetic.cells import LOWER, PLAIN, UPPER, Cells, fit, lengths
from partita.synthetic.draws import Draws, Ints, Mask
from partita.synthetic.edits import KINDS, apply_edit, pick_places, splice
from partita.synthetic.settings import Errors, TextErrors

__all__ = ["Noise"]

TYPED = {
    **{"given_name": 0.25, "surname": 0.3, "street": 0.15, "city": 0.1},
    **{"postcode": 0.05, "phone": 0.05, "email": 0.1},
}
"""Fields of people with typing errors, and the share of the errors in each."""
TEXT = ("given_name", "surname", "street", "city")
"""Fields of people with errors of blanks and letter case."""
DIGITS = np.array([2, 3, 6, 9])
"""Positions of the date digits that errors change: decade, year, month, day."""
SPARE_WIDTH = 4
"""Cells added to each column for inserted characters."""


class Noise:
    """Errors of a batch of rows; the errors of a row depend on its number only."""

    def __init__(self, draws: Draws, errors: Errors | TextErrors, row: Ints, erring: Mask) -> None:
        self.draws, self.errors, self.row, self.erring = draws, errors, row, erring

    def hit(self, kind: str, name: str = "") -> Mask:
        """Mask of the rows with one kind of error."""
        rate = getattr(self.errors, kind)
        if rate == 0.0:
            return np.zeros(self.row.size, np.bool_)
        return self.erring & self.draws.happens(f"error {kind} {name}", self.row, rate)

    def later(self, kind: str) -> Ints:
        """Version of each row's value: 0 the original, 1 or 2 a later value."""
        version = 1 + self.draws.below(f"later {kind}", self.row, 2)
        return np.where(self.hit(kind), version, 0)

    def spoil(self, cells: dict[str, Cells]) -> None:
        """Change the columns of records of people in place."""
        for name in TYPED:
            cells[name] = fit(cells[name], cells[name].shape[1] + SPARE_WIDTH)
        self._names(cells)
        self._dates(cells["date_of_birth"])
        self._spoil_values(cells, TYPED, TEXT)

    def spoil_text(
        self, cells: dict[str, Cells], typed: Mapping[str, float], text: Sequence[str], kept: str
    ) -> None:
        """Change columns in place: typing errors in `typed`, blanks and letter case in `text`.

        The column `kept` has no missing value.
        """
        for name in {*typed, *text}:
            cells[name] = fit(cells[name], cells[name].shape[1] + SPARE_WIDTH)
        self._spoil_values(cells, typed, text, kept)

    def _spoil_values(
        self,
        cells: dict[str, Cells],
        typed: Mapping[str, float],
        text: Sequence[str],
        kept: str = "",
    ) -> None:
        self._typing(cells, typed)
        self._blanks(cells, text)
        self._case(cells, text)
        for name, column in cells.items():
            if name != kept:
                column[self.hit("missing", name)] = 0

    def _names(self, cells: dict[str, Cells]) -> None:
        given_name, surname = cells["given_name"], cells["surname"]
        rows = self.hit("plain")
        for column in (given_name, surname):
            column[rows] = PLAIN[column[rows]]
        rows = self.hit("initial")
        given_name[rows, 1:] = 0
        dotted = rows & (self.draws.bits("dot", self.row) % 2 == 0)
        given_name[dotted, 1] = ord(".")
        rows = self.hit("swap")
        given_name[rows], surname[rows] = surname[rows], given_name[rows]

    def _dates(self, born: Cells) -> None:
        day = (born[:, 8] - ord("0")) * 10 + (born[:, 9] - ord("0"))
        rows = np.flatnonzero(self.hit("day_month") & (day <= 12))
        born[rows] = born[rows][:, [0, 1, 2, 3, 4, 8, 9, 7, 5, 6]]
        rows = np.flatnonzero(self.hit("date_digit"))
        place = DIGITS[self.draws.below("date place", self.row[rows], DIGITS.size)]
        shift = 1 + self.draws.below("date digit", self.row[rows], 9)
        born[rows, place] = (born[rows, place] - ord("0") + shift) % 10 + ord("0")
        born[self.hit("partial_date"), 7:] = 0
        born[self.hit("year_only"), 4:] = 0

    def _typing(self, cells: dict[str, Cells], typed: Mapping[str, float]) -> None:
        ends = np.cumsum(list(typed.values()))
        for kind in KINDS:
            rows = np.flatnonzero(self.hit(kind))
            field = np.searchsorted(ends, self.draws.unit(f"field {kind}", self.row[rows]))
            for number, name in enumerate(typed):
                field_rows = rows[field == number]
                cells[name][field_rows] = apply_edit(
                    *(kind, cells[name][field_rows]),
                    self.draws.unit(f"place {kind}", self.row[field_rows]),
                    self.draws.unit(f"choice {kind}", self.row[field_rows]),
                )

    def _blanks(self, cells: dict[str, Cells], text: Sequence[str]) -> None:
        rows = np.flatnonzero(self.hit("whitespace"))
        field = self.draws.below("blank field", self.row[rows], len(text))
        for number, name in enumerate(text):
            field_rows = rows[field == number]
            column = cells[name][field_rows]
            # before, behind, or at an existing blank
            places = column == ord(" ")
            places[:, 0] = True
            places[np.arange(field_rows.size), lengths(column)] = True
            at = pick_places(places, self.draws.unit("blank", self.row[field_rows]))
            blank = np.full((field_rows.size, 1), ord(" "), np.uint8)
            blank[lengths(column) == 0] = 0
            cells[name][field_rows] = splice(column, at, 0, blank)

    def _case(self, cells: dict[str, Cells], text: Sequence[str]) -> None:
        rows = self.hit("case")
        raised = self.draws.bits("capitals", self.row) % 3 != 0
        for name in text:
            column = cells[name]
            for table, mask in ((UPPER, rows & raised), (LOWER, rows & ~raised)):
                column[mask] = table[column[mask]]
